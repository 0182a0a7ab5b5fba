package dev.slipway.catalog;

import dev.slipway.catalog.app.CatalogSeed;
import dev.slipway.catalog.entitlement.EntitlementApi;
import dev.slipway.catalog.entitlement.EntitlementStore;
import dev.slipway.catalog.entitlement.Launchability;
import dev.slipway.catalog.entitlement.LaunchabilityStore;
import dev.slipway.catalog.launched.InstanceCounts;
import dev.slipway.catalog.launched.LaunchedStore;
import dev.slipway.catalog.policy.PlaceStore;
import dev.slipway.catalog.policy.PolicyApi;
import dev.slipway.catalog.policy.PolicyLevelStore;
import dev.slipway.catalog.policy.PolicyStore;
import dev.slipway.catalog.policy.PreviewApi;
import dev.slipway.catalog.policy.PreviewStore;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Service;
import io.vertx.core.Future;

import java.time.Duration;
import java.util.List;

/** Policy, entitlements and what is known of instances: wiring only. */
final class PolicyWiring {
    private static final Duration GATHER = Duration.ofMillis(100);

    private final Service service;
    private final PolicyStore policies;
    private final LaunchedStore launched;

    PolicyWiring(Service service) {
        this.service = service;
        policies = new PolicyStore(service.reads());
        launched = new LaunchedStore(service.reads());
    }

    /** What the other parts ask: whether a project could launch a version. */
    Launchability launchability() {
        return new Launchability(policies, new LaunchabilityStore(service.reads()));
    }

    /** What the other parts ask: how many instances of a version there are. */
    InstanceCounts instanceCounts() {
        return new InstanceCounts(launched);
    }

    Service serve() {
        var levels = new PolicyLevelStore(service.reads());
        var policy = new PolicyApi(policies, levels, service.mutations());
        var previews = new PreviewApi(policies, levels, new PreviewStore(service.reads()));
        var entitlements = new EntitlementApi(new EntitlementStore(service.reads()), service.mutations());
        var places = new PlaceStore();
        return service.serve("getGlobalPolicy", policy.get(PolicyApi::global))
                .serve("putGlobalPolicy", policy.put(PolicyApi::global))
                .serve("getPlanPolicy", policy.get(PolicyApi::plan))
                .serve("putPlanPolicy", policy.put(PolicyApi::plan))
                .serve("getOrganizationPolicy", policy.get(PolicyApi::organization))
                .serve("putOrganizationPolicy", policy.put(PolicyApi::organization))
                .serve("getDepartmentPolicy", policy.get(PolicyApi::department))
                .serve("putDepartmentPolicy", policy.put(PolicyApi::department))
                .serve("getProjectPolicy", policy.get(PolicyApi::project))
                .serve("putProjectPolicy", policy.put(PolicyApi::project))
                .serve("getEffectivePolicy", policy::effective)
                .serve("previewPolicy", previews::ofOrganization)
                .serve("previewPlatformPolicy", previews::ofPlatform)
                .serve("listAppEntitlements", entitlements::list)
                .serve("getAppEntitlement", entitlements::get)
                .serve("putAppEntitlement", entitlements::put)
                .consume("places", List.of(Topics.IAM_STATE), (unit, record, event) -> {
                    places.keep(unit, event);
                    return Future.succeededFuture();
                })
                .consumeBatches("launched", List.of(Topics.INSTANCES_EVENTS), GATHER, launched::keep);
    }

    /** Adds the entitlements of the seed that are not there. */
    Future<Void> ensure(UnitOfWork unit, CatalogSeed seed) {
        var chain = Future.<Void>succeededFuture();
        for (var each : seed.entitlements()) {
            chain = chain.compose(ok -> EntitlementStore.ensure(
                    unit, each.id(), each.orgId(), each.projectId(), each.appId(), each.appSlug()));
        }
        return chain;
    }
}

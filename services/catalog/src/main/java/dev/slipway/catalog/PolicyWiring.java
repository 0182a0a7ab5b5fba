package dev.slipway.catalog;

import dev.slipway.catalog.app.CatalogSeed;
import dev.slipway.catalog.instanceprojection.InstanceConsumer;
import dev.slipway.catalog.instanceprojection.InstanceProjectionStore;
import dev.slipway.catalog.policy.EffectivePolicyStore;
import dev.slipway.catalog.policy.PolicyApi;
import dev.slipway.catalog.policy.PolicyLevelStore;
import dev.slipway.catalog.policy.PolicyLevels;
import dev.slipway.catalog.policy.PolicyScopeConsumer;
import dev.slipway.catalog.policy.PreviewApi;
import dev.slipway.catalog.policy.PreviewStore;
import dev.slipway.catalog.policy.domain.Eligibility;
import dev.slipway.catalog.policy.entitlement.EligibilityEvaluator;
import dev.slipway.catalog.policy.entitlement.EligibilityStore;
import dev.slipway.catalog.policy.entitlement.EntitlementApi;
import dev.slipway.catalog.policy.entitlement.EntitlementStore;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.policy.EffectivePolicy;
import dev.slipway.service.Service;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Wires policy, entitlements and the projection of instances. */
final class PolicyWiring {
    private static final Duration BATCH_WINDOW = Duration.ofMillis(100);

    private final Service service;
    private final EffectivePolicyStore policies;
    private final EligibilityEvaluator eligibility;
    private final InstanceProjectionStore instanceProjection;

    PolicyWiring(Service service) {
        this.service = service;
        policies = new EffectivePolicyStore(service.reads());
        eligibility = new EligibilityEvaluator(policies, new EligibilityStore(service.reads()));
        instanceProjection = new InstanceProjectionStore(service.reads());
    }

    Future<EffectivePolicy> findEffectivePolicy(UUID orgId, UUID projectId, @Nullable String appSlug) {
        return policies.findForProject(orgId, projectId, appSlug).map(PolicyLevels::effective);
    }

    Future<Map<UUID, Eligibility>> findEligibility(UUID orgId, UUID projectId, List<UUID> versionIds) {
        return eligibility.evaluate(orgId, projectId, versionIds);
    }

    /** Returns the number of live instances by version id. */
    Future<Map<UUID, Long>> countInstances(List<UUID> versionIds) {
        return instanceProjection.countLive(versionIds);
    }

    Service serve() {
        var levels = new PolicyLevelStore(service.reads());
        var policy = new PolicyApi(policies, levels, service.mutations());
        var previews = new PreviewApi(policies, levels, new PreviewStore(service.reads()));
        var entitlements = new EntitlementApi(new EntitlementStore(service.reads()), service.mutations());
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
                .serve("getEffectivePolicy", policy::getEffective)
                .serve("previewPolicy", previews::previewOrganization)
                .serve("previewPlatformPolicy", previews::previewPlatform)
                .serve("listAppEntitlements", entitlements::list)
                .serve("getAppEntitlement", entitlements::get)
                .serve("putAppEntitlement", entitlements::put)
                .consume("places", List.of(Topics.IAM_STATE), (unit, record, event) -> {
                    PolicyScopeConsumer.apply(unit, event);
                    return Future.succeededFuture();
                })
                .consumeBatches(
                        "launched",
                        List.of(Topics.INSTANCES_EVENTS),
                        BATCH_WINDOW,
                        new InstanceConsumer(instanceProjection)::apply);
    }

    /** Creates the seeded entitlements that do not exist. */
    Future<Void> ensureSeeds(UnitOfWork unit, CatalogSeed seed) {
        var chain = Future.<Void>succeededFuture();
        for (var each : seed.entitlements()) {
            chain = chain.compose(ok -> EntitlementStore.insertIfMissing(
                    unit, each.id(), each.orgId(), each.projectId(), each.appId(), each.appSlug()));
        }
        return chain;
    }
}

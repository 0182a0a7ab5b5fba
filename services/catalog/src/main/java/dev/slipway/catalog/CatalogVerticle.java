package dev.slipway.catalog;

import dev.slipway.catalog.app.CatalogSeed;
import dev.slipway.catalog.instanceprojection.InstanceProjectionInvariantStore;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.StateHeartbeat;
import dev.slipway.messaging.Topics;
import dev.slipway.service.AuditResult;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
import dev.slipway.service.Service;
import dev.slipway.service.ServiceContext;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import org.jspecify.annotations.Nullable;

/** The catalog service. */
public final class CatalogVerticle extends VerticleBase {
    private final ServiceContext serviceContext;
    private final CatalogSeed seed;
    private final ArtifactConfig artifactConfig;
    private @Nullable Service service;
    private @Nullable StateHeartbeat heartbeat;

    public CatalogVerticle(ServiceContext serviceContext, CatalogSeed seed, ArtifactConfig artifactConfig) {
        this.serviceContext = serviceContext;
        this.seed = seed;
        this.artifactConfig = artifactConfig;
    }

    @Override
    public Future<?> start() {
        return Service.open(vertx, serviceContext, "catalog").compose(this::serve);
    }

    private Future<Void> serve(Service opened) {
        service = opened;
        opened.verify(InstanceProjectionInvariantStore.verifier());
        var registries = new RegistryWiring(serviceContext, opened);
        var policies = new PolicyWiring(opened);
        var gates = new ReleaseGateWiring();
        var artifacts = new ArtifactWiring(vertx, serviceContext, artifactConfig, opened, registries, policies, gates);
        var apps = new AppWiring(vertx, serviceContext, opened, registries, policies, artifacts, gates);
        var wired = gates.serve(apps.serve(registries.serve(artifacts.serve(policies.serve()))));
        var publisher = new StateHeartbeat(vertx, opened.outbox(), Topics.CATALOG_STATE, "catalog.heartbeat");
        heartbeat = publisher;
        return new CatalogSnapshots(vertx, serviceContext.kafka(), opened.outbox())
                .republishIfNeeded()
                .compose(ok -> ensureSeeds(opened, registries, apps, policies))
                .compose(ok -> wired.start())
                .compose(ok -> publisher.start());
    }

    private Future<Void> ensureSeeds(Service opened, RegistryWiring registries, AppWiring apps, PolicyWiring policies) {
        var changeContext = new ChangeContext(Ids.next().toString(), Context.root());
        return opened.outbox().transaction(changeContext, unit -> registries
                .ensureSeeds(unit)
                .compose(ok -> apps.ensureSeeds(unit, seed))
                .compose(ok -> policies.ensureSeeds(unit, seed))
                .compose(ok -> {
                    var auditEntry = new AuditEntry("catalog.seed.ensure", "platform", "-", null, null, Json.object());
                    AuditTrail.recordSystemAction(
                            unit, "system", "catalog", null, auditEntry, AuditResult.SUCCESS, null);
                    return Future.succeededFuture();
                }));
    }

    @Override
    public Future<?> stop() {
        if (heartbeat != null) {
            heartbeat.stop();
        }
        return service == null ? Future.succeededFuture() : service.stop();
    }
}

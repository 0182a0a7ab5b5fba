package dev.slipway.catalog;

import dev.slipway.catalog.app.CatalogSeed;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.messaging.Cause;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.Entry;
import dev.slipway.service.Frame;
import dev.slipway.service.Service;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import org.jspecify.annotations.Nullable;

/** The catalog service: wiring only. */
public final class CatalogVerticle extends VerticleBase {
    private final Frame frame;
    private final CatalogSeed seed;
    private final ArtifactConfig artifacts;
    private @Nullable Service service;
    private @Nullable CatalogHeartbeat heartbeat;

    public CatalogVerticle(Frame frame, CatalogSeed seed, ArtifactConfig artifacts) {
        this.frame = frame;
        this.seed = seed;
        this.artifacts = artifacts;
    }

    @Override
    public Future<?> start() {
        return Service.open(vertx, frame, "catalog").compose(this::serve);
    }

    private Future<Void> serve(Service opened) {
        service = opened;
        var registries = new RegistryWiring(frame, opened);
        var policies = new PolicyWiring(opened);
        var trusted = new ArtifactWiring(vertx, frame, artifacts, opened, registries.store(), policies.policies());
        var apps = new AppWiring(vertx, frame, opened, registries.store(), policies, trusted.trust());
        var wired = apps.serve(registries.serve(trusted.serve(policies.serve())));
        var beat = new CatalogHeartbeat(vertx, opened.outbox());
        heartbeat = beat;
        return new Snapshots(vertx, frame.kafka(), opened.outbox())
                .tellAgainIfNeeded()
                .compose(ok -> ensureSeed(opened, registries, apps, policies))
                .compose(ok -> wired.start())
                .compose(ok -> beat.start());
    }

    private Future<Void> ensureSeed(Service opened, RegistryWiring registries, AppWiring apps, PolicyWiring policies) {
        var cause = new Cause(Ids.next().toString(), Context.root());
        return opened.outbox().transaction(cause, unit -> registries
                .ensureSeeds(unit)
                .compose(ok -> apps.ensureSeeds(unit, seed))
                .compose(ok -> policies.ensure(unit, seed))
                .compose(ok -> {
                    var entry = new Entry("catalog.seed.ensure", "platform", "-", null, null, Json.object());
                    AuditTrail.byOther(unit, "system", "catalog", null, entry, "success", null);
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

package dev.slipway.instances;

import dev.slipway.instances.lifecycle.MemberIssue;
import dev.slipway.instances.projection.ProjectionStore;
import dev.slipway.messaging.Topics;
import dev.slipway.service.Frame;
import dev.slipway.service.Service;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import org.jspecify.annotations.Nullable;

import java.util.List;

/** The instances service: wiring only. */
public final class InstancesVerticle extends VerticleBase {
    private final Frame frame;
    private final InstancesConfig config;
    private @Nullable Service service;

    public InstancesVerticle(Frame frame, InstancesConfig config) {
        this.frame = frame;
        this.config = config;
    }

    @Override
    public Future<?> start() {
        return Service.open(vertx, frame, "instances").compose(this::serve);
    }

    private Future<Void> serve(Service opened) {
        service = opened;
        var runtime = new RuntimeWiring(vertx, frame, opened);
        var lifecycle = new LifecycleWiring(vertx, frame, opened, config, runtime.adapters(), MemberIssue.NONE);
        runtime.handle(lifecycle.reports());
        var projections = new ProjectionStore();
        return runtime.serve(lifecycle.serve(opened))
                .consume("reports", List.of(Topics.RUNTIME_REPORTS), lifecycle.reports()::onReport)
                .consume("read-models", List.of(Topics.IAM_STATE, Topics.CATALOG_STATE), (unit, record, event) -> {
                    projections.apply(unit, event);
                    return Future.succeededFuture();
                })
                .start()
                .onSuccess(ok -> {
                    runtime.start();
                    lifecycle.start();
                });
    }

    @Override
    public Future<?> stop() {
        return service == null ? Future.succeededFuture() : service.stop();
    }
}

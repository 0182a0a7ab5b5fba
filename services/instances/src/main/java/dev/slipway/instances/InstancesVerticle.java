package dev.slipway.instances;

import dev.slipway.instances.member.MemberStore;
import dev.slipway.instances.member.Members;
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
    private @Nullable HistoryWiring history;

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
        var store = new MemberStore(opened.reads());
        var crew = new Members(store);
        var lifecycle = new LifecycleWiring(vertx, frame, opened, config, runtime.adapters(), crew);
        runtime.handle(lifecycle.reports());
        var projections = new ProjectionStore();
        var past = new HistoryWiring(vertx, frame, opened);
        history = past;
        var members = new MemberWiring(vertx, frame, opened, lifecycle, store, crew);
        return runtime.serve(lifecycle.serve(members.serve(past.serve(opened)), past))
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
        if (history != null) {
            history.stop();
        }
        return service == null ? Future.succeededFuture() : service.stop();
    }
}

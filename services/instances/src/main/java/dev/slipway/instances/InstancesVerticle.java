package dev.slipway.instances;

import dev.slipway.contract.EventSchemas;
import dev.slipway.instances.appinstance.AdmissionStore;
import dev.slipway.instances.appinstance.AppInstanceApi;
import dev.slipway.instances.appinstance.AppInstanceEvents;
import dev.slipway.instances.appinstance.AppInstanceStore;
import dev.slipway.instances.projection.ProjectionStore;
import dev.slipway.instances.runtime.CommandStore;
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
        var admissions = new AdmissionStore(config.policyBudget());
        var commands = new CommandStore();
        var store = new AppInstanceStore(opened.reads(), admissions, commands, config.region());
        var api = new AppInstanceApi(store, admissions, opened.mutations());
        var reports = new AppInstanceEvents(
                store,
                commands,
                frame.authz(),
                frame.tokens(),
                EventSchemas.load(),
                frame.clock(),
                frame.authzBudgetForWrites());
        var projections = new ProjectionStore();
        var runtime = new RuntimeWiring(vertx, frame, opened, commands);
        return runtime.serve(opened)
                .serve("createAppInstance", api::create)
                .serve("listAppInstances", api::list)
                .serve("getAppInstance", api::get)
                .serve("deleteAppInstance", api::delete)
                .consume("reports", List.of(Topics.RUNTIME_REPORTS), reports::onReport)
                .consume("read-models", List.of(Topics.IAM_STATE, Topics.CATALOG_STATE), (unit, record, event) -> {
                    projections.apply(unit, event);
                    return Future.succeededFuture();
                })
                .start()
                .onSuccess(ok -> runtime.start());
    }

    @Override
    public Future<?> stop() {
        return service == null ? Future.succeededFuture() : service.stop();
    }
}

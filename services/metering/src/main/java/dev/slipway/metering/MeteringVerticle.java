package dev.slipway.metering;

import dev.slipway.messaging.Topics;
import dev.slipway.metering.runtimeusage.RuntimeUsageApi;
import dev.slipway.metering.runtimeusage.RuntimeUsageConsumer;
import dev.slipway.metering.runtimeusage.RuntimeUsageStore;
import dev.slipway.metering.usage.ReportedUsageConsumer;
import dev.slipway.metering.usage.UsageApi;
import dev.slipway.metering.usage.UsageConsumer;
import dev.slipway.metering.usage.UsageStore;
import dev.slipway.service.Service;
import dev.slipway.service.ServiceContext;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;

/** Wires the metering service. */
public final class MeteringVerticle extends VerticleBase {
    private static final Duration BATCH_WINDOW = Duration.ofMillis(100);

    private final ServiceContext serviceContext;
    private @Nullable Service service;

    public MeteringVerticle(ServiceContext serviceContext) {
        this.serviceContext = serviceContext;
    }

    @Override
    public Future<?> start() {
        return Service.open(vertx, serviceContext, "metering").compose(this::serve);
    }

    private Future<Void> serve(Service opened) {
        service = opened;
        var store = new UsageStore(opened.reads());
        var api = new UsageApi(store, serviceContext.clock());
        var consumer = new UsageConsumer(store);
        var reported = new ReportedUsageConsumer();
        var runtimeStore = new RuntimeUsageStore(opened.reads());
        var runtimeApi = new RuntimeUsageApi(runtimeStore);
        var runtimes = new RuntimeUsageConsumer(runtimeStore);
        return opened.serve("getProjectUsage", api::list)
                .serve("getSharedRuntimeUsage", runtimeApi::listOfRuntime)
                .serve("getProjectSharedRuntimeUsage", runtimeApi::listOfProject)
                .consume("reported-usage", List.of(Topics.USAGE_EVENTS), (unit, record, event) -> {
                    runtimes.applyUsage(unit, event);
                    return reported.apply(unit, record, event);
                })
                .consumeBatches(
                        "usage", List.of(Topics.INSTANCES_EVENTS), BATCH_WINDOW, (unit, events) -> runtimes.applyEvents(
                                        unit, events)
                                .compose(ok -> consumer.apply(unit, events)))
                .start();
    }

    @Override
    public Future<?> stop() {
        return service == null ? Future.succeededFuture() : service.stop();
    }
}

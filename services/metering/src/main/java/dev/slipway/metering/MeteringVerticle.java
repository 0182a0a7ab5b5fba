package dev.slipway.metering;

import dev.slipway.messaging.Topics;
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
        return opened.serve("getProjectUsage", api::list)
                .consume("reported-usage", List.of(Topics.USAGE_EVENTS), new ReportedUsageConsumer()::apply)
                .consumeBatches("usage", List.of(Topics.INSTANCES_EVENTS), BATCH_WINDOW, consumer::apply)
                .start();
    }

    @Override
    public Future<?> stop() {
        return service == null ? Future.succeededFuture() : service.stop();
    }
}

package dev.slipway.metering;

import dev.slipway.messaging.Topics;
import dev.slipway.metering.usage.ReportedUsageStore;
import dev.slipway.metering.usage.UsageApi;
import dev.slipway.metering.usage.UsageEvents;
import dev.slipway.metering.usage.UsageStore;
import dev.slipway.service.Frame;
import dev.slipway.service.Service;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;

/** The metering service: wiring only. */
public final class MeteringVerticle extends VerticleBase {
    private static final Duration GATHER = Duration.ofMillis(100);

    private final Frame frame;
    private @Nullable Service service;

    public MeteringVerticle(Frame frame) {
        this.frame = frame;
    }

    @Override
    public Future<?> start() {
        return Service.open(vertx, frame, "metering").compose(this::serve);
    }

    private Future<Void> serve(Service opened) {
        service = opened;
        var store = new UsageStore(opened.reads());
        var api = new UsageApi(store, frame.clock());
        var events = new UsageEvents(store);
        return opened.serve("getProjectUsage", api::list)
                .consume("reported-usage", List.of(Topics.USAGE_EVENTS), new ReportedUsageStore()::apply)
                .consumeBatches("usage", List.of(Topics.INSTANCES_EVENTS), GATHER, events::apply)
                .start();
    }

    @Override
    public Future<?> stop() {
        return service == null ? Future.succeededFuture() : service.stop();
    }
}

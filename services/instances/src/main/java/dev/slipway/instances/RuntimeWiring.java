package dev.slipway.instances;

import dev.slipway.instances.report.ReportRouter;
import dev.slipway.instances.runtime.AdapterStore;
import dev.slipway.instances.runtime.CommandStore;
import dev.slipway.instances.runtime.DesiredStateStore;
import dev.slipway.instances.runtime.Heartbeats;
import dev.slipway.instances.runtime.Resending;
import dev.slipway.instances.runtime.RuntimeApi;
import dev.slipway.service.Frame;
import dev.slipway.service.Service;
import io.vertx.core.Vertx;

import java.time.Duration;

/** The part of the instances service that looks after adapters: wiring only. */
final class RuntimeWiring {
    private static final Duration LOOK_EVERY = Duration.ofSeconds(5);

    private final AdapterStore adapters;
    private final RuntimeApi api;
    private final Resending resending;

    RuntimeWiring(Vertx vertx, Frame frame, Service service) {
        adapters = new AdapterStore(service.reads());
        api = new RuntimeApi(adapters, new DesiredStateStore(service.reads()), frame.clock());
        resending = new Resending(vertx, service.outbox(), new CommandStore(), LOOK_EVERY);
    }

    AdapterStore adapters() {
        return adapters;
    }

    void handle(ReportRouter reports) {
        reports.onHeartbeat(new Heartbeats(adapters));
    }

    Service serve(Service service) {
        return service.serve("listRuntimeAdapters", api::list).serve("listDesiredState", api::desiredState);
    }

    void start() {
        resending.start();
    }
}

package dev.slipway.instances;

import dev.slipway.instances.history.ConsistencyApi;
import dev.slipway.instances.history.ConsistencyStore;
import dev.slipway.instances.history.HistoryApi;
import dev.slipway.instances.history.TimelineStore;
import dev.slipway.instances.history.Watchers;
import dev.slipway.messaging.Topics;
import dev.slipway.service.Frame;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import dev.slipway.service.Service;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

import java.util.function.Function;

/** What happened to instances: wiring only. */
final class HistoryWiring {
    private final Watchers watchers;
    private final HistoryApi history;
    private final ConsistencyApi consistency;

    HistoryWiring(Vertx vertx, Frame frame, Service service) {
        watchers = new Watchers(vertx, frame.clustered());
        history = new HistoryApi(new TimelineStore(service.reads()), watchers);
        consistency = new ConsistencyApi(new ConsistencyStore(service.reads()), frame.clock());
        service.outbox().onAnnounced(Topics.INSTANCES_EVENTS, watchers::tell);
    }

    Service serve(Service service) {
        return service.serve("getInstanceTimeline", history::timeline)
                .serve("watchAppInstance", history::watch)
                .serve("checkInstanceConsistency", consistency::check);
    }

    /** An instance at a past time is told by its history, as it is now by who keeps it. */
    Function<Request, Future<Reply>> orAtATime(Function<Request, Future<Reply>> now) {
        return request -> request.query("at") == null ? now.apply(request) : history.at(request);
    }

    /** Nobody is kept waiting. */
    void stop() {
        watchers.close();
    }
}

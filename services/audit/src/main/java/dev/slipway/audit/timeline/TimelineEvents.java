package dev.slipway.audit.timeline;

import dev.slipway.messaging.InboxConsumer.Event;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;

import java.util.List;

/** Keeps every fact that comes in on the topics. */
public final class TimelineEvents {
    private final TimelineStore store;

    public TimelineEvents(TimelineStore store) {
        this.store = store;
    }

    public Future<Void> apply(UnitOfWork unit, List<Event> events) {
        store.keep(
                unit,
                events.stream()
                        .map(e -> Fact.of(e.record().headers(), e.envelope()))
                        .toList());
        return Future.succeededFuture();
    }
}

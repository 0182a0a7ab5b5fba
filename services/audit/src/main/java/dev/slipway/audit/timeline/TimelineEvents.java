package dev.slipway.audit.timeline;

import dev.slipway.messaging.InboxConsumer.Event;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;

import java.util.ArrayList;
import java.util.List;

/** Keeps every fact that comes in on the topics. */
public final class TimelineEvents {
    private final TimelineStore store;

    public TimelineEvents(TimelineStore store) {
        this.store = store;
    }

    public Future<Void> apply(UnitOfWork unit, List<Event> events) {
        var calls = new ArrayList<Call>();
        var facts = new ArrayList<Fact>();
        for (var event : events) {
            if (Call.isIn(event)) {
                Call.of(event).forEach(calls::add);
            } else {
                facts.add(Fact.of(event.record().headers(), event.envelope()));
            }
        }
        store.keepCalls(unit, calls);
        store.keep(unit, facts);
        return Future.succeededFuture();
    }
}

package dev.slipway.audit.correlation;

import dev.slipway.contract.AccessLogEntry;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;

import java.util.ArrayList;
import java.util.List;

/** Stores access-log records, audit records and events from their topics. */
public final class CorrelationConsumer {
    private final CorrelationStore store;

    public CorrelationConsumer(CorrelationStore store) {
        this.store = store;
    }

    public Future<Void> apply(UnitOfWork unit, List<ReceivedEvent> events) {
        var calls = new ArrayList<AccessLogEntry>();
        var entries = new ArrayList<CorrelationEntry>();
        for (var event : events) {
            if (AccessLogDecoder.isAccessLog(event)) {
                AccessLogDecoder.decode(event).forEach(calls::add);
            } else {
                entries.add(CorrelationEntry.of(event.record().headers(), event.envelope()));
            }
        }
        store.insertCalls(unit, calls);
        store.insertEntries(unit, entries);
        return Future.succeededFuture();
    }
}

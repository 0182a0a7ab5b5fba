package dev.slipway.messaging;

import dev.slipway.messaging.InboxConsumer.EventBatchHandler;
import dev.slipway.messaging.InboxConsumer.EventHandler;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
import dev.slipway.telemetry.Correlation;
import dev.slipway.telemetry.Traces;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.sqlclient.Tuple;

import java.util.HashSet;
import java.util.List;
import java.util.UUID;

/** Stores the ids of the events in the inbox and applies the new ones in order, each in its own trace. */
record DeduplicatingHandler(Vertx vertx, String consumer, Traces traces, EventHandler handler)
        implements EventBatchHandler {
    private static final String CLAIM = """
            INSERT INTO inbox (consumer, event_id)
            SELECT $1, unnest($2::uuid[]) ON CONFLICT DO NOTHING RETURNING event_id
            """;

    @Override
    public Future<Void> apply(UnitOfWork unit, List<ReceivedEvent> events) {
        return claim(unit, events).compose(fresh -> {
            var chain = Future.<Void>succeededFuture();
            for (var receivedEvent : fresh) {
                chain = chain.compose(ok -> applyOne(unit, receivedEvent));
            }
            return chain;
        });
    }

    private Future<List<ReceivedEvent>> claim(UnitOfWork unit, List<ReceivedEvent> events) {
        var ids = events.stream().map(e -> e.envelope().eventId()).distinct().toArray(UUID[]::new);
        return unit.query(CLAIM, Tuple.of(consumer, (Object) ids)).map(rows -> {
            var fresh = new HashSet<UUID>();
            rows.forEach(row -> fresh.add(row.getUUID("event_id")));
            // remove, because an event can be in the batch twice
            return events.stream()
                    .filter(e -> fresh.remove(e.envelope().eventId()))
                    .toList();
        });
    }

    private Future<Void> applyOne(UnitOfWork unit, ReceivedEvent receivedEvent) {
        var envelope = receivedEvent.envelope();
        var correlationId = envelope.correlationId();
        var parent = Correlation.with(traces.extract(receivedEvent.record().headers()), correlationId);
        var context = (ContextInternal) vertx.getOrCreateContext();
        return traces.runInSpan(
                context,
                parent,
                SpanKind.CONSUMER,
                "process " + envelope.eventType(),
                () -> handler.apply(
                        unit.withContext(new ChangeContext(correlationId, Context.current())),
                        receivedEvent.record(),
                        envelope));
    }
}

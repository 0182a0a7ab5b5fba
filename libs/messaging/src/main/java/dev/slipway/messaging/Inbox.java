package dev.slipway.messaging;

import dev.slipway.messaging.InboxConsumer.BatchEffect;
import dev.slipway.messaging.InboxConsumer.Effect;
import dev.slipway.messaging.InboxConsumer.Event;
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

/** Keeps the ids of a batch's events and applies, one after another and each in its own trace, those that were not there. */
record Inbox(Vertx vertx, String consumer, Traces traces, Effect effect) implements BatchEffect {
    private static final String CLAIM = """
            INSERT INTO inbox (consumer, event_id)
            SELECT $1, unnest($2::uuid[]) ON CONFLICT DO NOTHING RETURNING event_id
            """;

    @Override
    public Future<Void> apply(UnitOfWork unit, List<Event> events) {
        return claim(unit, events).compose(fresh -> {
            var chain = Future.<Void>succeededFuture();
            for (var event : fresh) {
                chain = chain.compose(ok -> applyOne(unit, event));
            }
            return chain;
        });
    }

    private Future<List<Event>> claim(UnitOfWork unit, List<Event> events) {
        var ids = events.stream().map(e -> e.envelope().eventId()).distinct().toArray(UUID[]::new);
        return unit.query(CLAIM, Tuple.of(consumer, (Object) ids)).map(rows -> {
            var fresh = new HashSet<UUID>();
            rows.forEach(row -> fresh.add(row.getUUID(0)));
            // remove: the same event twice in one batch is applied once
            return events.stream()
                    .filter(e -> fresh.remove(e.envelope().eventId()))
                    .toList();
        });
    }

    private Future<Void> applyOne(UnitOfWork unit, Event event) {
        var envelope = event.envelope();
        var correlationId = envelope.correlationId();
        var parent = Correlation.with(traces.extract(event.record().headers()), correlationId);
        var context = (ContextInternal) vertx.getOrCreateContext();
        return traces.within(
                context,
                parent,
                SpanKind.CONSUMER,
                "process " + envelope.eventType(),
                () -> effect.apply(
                        unit.because(new Cause(correlationId, Context.current())), event.record(), envelope));
    }
}

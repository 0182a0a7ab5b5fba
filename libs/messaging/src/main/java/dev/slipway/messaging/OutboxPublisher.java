package dev.slipway.messaging;

import dev.slipway.messaging.KafkaSender.OutgoingRecord;
import dev.slipway.telemetry.Correlation;
import dev.slipway.telemetry.Traces;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Sends outbox rows to Kafka in order, each with its CloudEvents headers and in its own trace. */
final class OutboxPublisher {
    private final Vertx vertx;
    private final KafkaSender sender;
    private final Traces traces;
    private final String source;
    private final Duration publishTimeout;

    /**
     * @param publishTimeout the time after which unacknowledged rows are sent again with a new producer. A producer whose sequence numbers
     *     no longer match the broker's retries without end, and only a new one recovers.
     */
    OutboxPublisher(Vertx vertx, KafkaSettings kafka, Traces traces, String source, Duration publishTimeout) {
        this.vertx = vertx;
        this.sender = new KafkaSender(vertx, kafka);
        this.traces = traces;
        this.source = source;
        this.publishTimeout = publishTimeout;
    }

    /** Completes when the broker has acknowledged every row and fails if it has not acknowledged one of them. */
    Future<Void> publish(List<OutboxRow> rows) {
        var spans = new ArrayList<Span>(rows.size());
        var records = new ArrayList<OutgoingRecord>(rows.size());
        for (var row : rows) {
            records.add(toRecord(row, spans));
        }
        var timer = vertx.setTimer(publishTimeout.toMillis(), id -> sender.closeImmediately());
        return sender.send(records).eventually(() -> {
            vertx.cancelTimer(timer);
            spans.forEach(Span::end);
            return Future.succeededFuture();
        });
    }

    /** Drops the records that the broker has not acknowledged: a new leader may already publish, and they must not follow its records. */
    void abort() {
        sender.closeImmediately();
    }

    Future<Void> close() {
        return sender.close();
    }

    private OutgoingRecord toRecord(OutboxRow row, List<Span> spans) {
        var headers = new HashMap<String, String>();
        CloudEvents.addHeaders(
                headers, source, row.eventId(), row.eventType(), row.key(), row.occurredAt(), row.correlationId());
        var traceparent = row.traceparent();
        var parent = Correlation.with(
                traces.extract(traceparent == null ? Map.of() : Map.of("traceparent", traceparent)),
                row.correlationId());
        var span = traces.startSpan(parent, SpanKind.PRODUCER, "publish " + row.topic());
        span.setAttribute("messaging.destination.name", row.topic());
        spans.add(span);
        traces.inject(parent.with(span), headers::put);
        var tombstone = row.value().length == 0;
        return new OutgoingRecord(row.topic(), row.key(), tombstone ? null : row.value(), headers);
    }
}

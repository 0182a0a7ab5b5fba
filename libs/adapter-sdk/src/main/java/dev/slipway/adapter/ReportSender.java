package dev.slipway.adapter;

import dev.slipway.messaging.CloudEvents;
import dev.slipway.messaging.KafkaSender;
import dev.slipway.messaging.KafkaSender.OutgoingRecord;
import dev.slipway.messaging.KafkaSettings;
import dev.slipway.messaging.Topics;
import dev.slipway.telemetry.Correlation;
import dev.slipway.telemetry.Traces;
import io.opentelemetry.api.trace.SpanKind;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;

/** Sends reports to their topic, each with its token. */
final class ReportSender {
    /** Shorter than the remaining validity of a token, so that no report arrives with an expired one. */
    private static final Duration DEADLINE = Duration.ofSeconds(Token.MARGIN_SECONDS - 10);

    private static final int CONCURRENT = 4;

    private final KafkaSender sender;
    private final Traces traces;
    private final String source;
    // A producer can block its worker thread while the broker is unavailable, so only a few send at a time.
    private final Slots slots = new Slots(CONCURRENT);
    private final Future<Void> never = Promise.<Void>promise().future();

    ReportSender(Vertx vertx, KafkaSettings kafka, Traces traces, String backend) {
        this.sender = KafkaSender.withDeadline(vertx, kafka, DEADLINE);
        this.traces = traces;
        this.source = "adapter." + backend;
    }

    /** Completes when the broker has acknowledged the report. */
    Future<Void> send(String key, Message report, Token token) {
        return slots.acquire(never)
                .compose(acquired -> sendNow(key, report, token).onComplete(done -> slots.release()));
    }

    private Future<Void> sendNow(String key, Message report, Token token) {
        var event = report.event();
        var headers = new HashMap<String, String>();
        CloudEvents.addHeaders(
                headers, source, event.eventId(), event.eventType(), key, event.occurredAt(), event.correlationId());
        headers.put("authorization", "Bearer " + token.value());
        var parent = Correlation.with(traces.extract(report.trace()), event.correlationId());
        var span = traces.startSpan(parent, SpanKind.PRODUCER, "publish " + Topics.RUNTIME_REPORTS);
        traces.inject(parent.with(span), headers::put);
        return sender.send(List.of(new OutgoingRecord(Topics.RUNTIME_REPORTS, key, event.toBytes(), headers)))
                .onComplete(done -> span.end());
    }

    Future<Void> close() {
        return sender.close();
    }
}

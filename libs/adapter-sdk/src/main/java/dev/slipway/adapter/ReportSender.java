package dev.slipway.adapter;

import dev.slipway.messaging.CloudEvents;
import dev.slipway.messaging.KafkaSender;
import dev.slipway.messaging.KafkaSender.Outgoing;
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

/** Puts reports on their topic, each with the token that it is sent under. */
final class ReportSender {
    /** Less than what a token is good for at least: a report must not arrive with one that has expired on the way. */
    private static final Duration DEADLINE = Duration.ofSeconds(Token.MARGIN_SECONDS - 10);

    private static final int CONCURRENT = 4;

    private final KafkaSender sender;
    private final Traces traces;
    private final String source;
    // A producer may block its worker while the broker is away: few at a time, or nothing else would get a worker.
    private final Slots sending = new Slots(CONCURRENT);
    private final Future<Void> never = Promise.<Void>promise().future();

    ReportSender(Vertx vertx, KafkaSettings kafka, Traces traces, String backend) {
        this.sender = KafkaSender.timely(vertx, kafka, DEADLINE);
        this.traces = traces;
        this.source = "adapter." + backend;
    }

    /** Done when the broker has it. */
    Future<Void> send(String key, Message report, Token token) {
        return sending.acquire(never).compose(got -> sendNow(key, report, token).onComplete(done -> sending.release()));
    }

    private Future<Void> sendNow(String key, Message report, Token token) {
        var event = report.event();
        var headers = new HashMap<String, String>();
        CloudEvents.describe(
                headers, source, event.eventId(), event.eventType(), key, event.occurredAt(), event.correlationId());
        headers.put("authorization", "Bearer " + token.value());
        var parent = Correlation.with(traces.extract(report.trace()), event.correlationId());
        var span = traces.start(parent, SpanKind.PRODUCER, "publish " + Topics.RUNTIME_REPORTS);
        traces.inject(parent.with(span), headers::put);
        return sender.send(List.of(new Outgoing(Topics.RUNTIME_REPORTS, key, event.toBytes(), headers)))
                .onComplete(done -> span.end());
    }

    Future<Void> close() {
        return sender.close();
    }
}

package dev.slipway.messaging;

import dev.slipway.contract.Envelope;
import dev.slipway.contract.Envelope.MalformedEnvelopeException;
import dev.slipway.messaging.KafkaSender.Outgoing;
import dev.slipway.telemetry.Correlation;
import dev.slipway.telemetry.Traces;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Applies every event once, though it may be delivered more often: see {@link Effect} and {@link BatchEffect}.
 *
 * <p>A batch is applied in one transaction. If that fails, its records are applied one by one, so that the one at fault shows: it is
 * tried a few times more and then goes to the dead-letter topic with the reason. An outage is nobody's fault: it is waited out.
 */
public final class InboxConsumer {
    private static final Logger LOG = LoggerFactory.getLogger(InboxConsumer.class);
    /** Events that are applied one after another hold their transaction open for long; a batch as one is the cheaper the larger. */
    private static final int MAX_SINGLY = 200;

    private static final int MAX_AS_ONE = 1_000;
    private static final int ATTEMPTS = 5;

    /** What an event changes; runs in the transaction that also keeps the event's id, so that a second delivery finds it. */
    public interface Effect {
        Future<Void> apply(UnitOfWork unit, Incoming record, Envelope event);
    }

    /**
     * What many events change at once. Their ids are not kept beside it, so the change itself must pass over an event that it has seen:
     * by a unique id, or by the event's number.
     */
    public interface BatchEffect {
        Future<Void> apply(UnitOfWork unit, List<Event> events);
    }

    /** A record and the event in it. */
    public record Event(Incoming record, Envelope envelope) {}

    /** Shows in the trace of each event that it was applied, and how long the batch took. */
    private record Traced(Traces traces, BatchEffect effect) implements BatchEffect {
        @Override
        public Future<Void> apply(UnitOfWork unit, List<Event> events) {
            var spans = events.stream()
                    .filter(event -> event.record.headers().containsKey("traceparent"))
                    .map(this::start)
                    .toList();
            return effect.apply(unit, events).onComplete(done -> spans.forEach(Span::end));
        }

        private Span start(Event event) {
            var parent = Correlation.with(traces.extract(event.record.headers()), event.envelope.correlationId());
            return traces.start(parent, SpanKind.CONSUMER, "process " + event.envelope.eventType());
        }
    }

    private final Vertx vertx;
    private final String name;
    private final Outbox outbox;
    private final KafkaSender deadLetters;
    private final BatchEffect effect;
    private final RecordLoop loop;
    private final MeterRegistry meters;
    private final Counter buried;

    public InboxConsumer(
            Vertx vertx,
            KafkaSettings kafka,
            String name,
            List<String> topics,
            Outbox outbox,
            Traces traces,
            KafkaSender deadLetters,
            MeterRegistry meters,
            Effect effect) {
        this(
                vertx,
                kafka,
                name,
                topics,
                outbox,
                deadLetters,
                meters,
                new Inbox(vertx, name, traces, effect),
                MAX_SINGLY,
                Duration.ZERO);
    }

    public InboxConsumer(
            Vertx vertx,
            KafkaSettings kafka,
            String name,
            List<String> topics,
            Outbox outbox,
            Traces traces,
            KafkaSender deadLetters,
            MeterRegistry meters,
            Duration gather,
            BatchEffect effect) {
        this(vertx, kafka, name, topics, outbox, deadLetters, meters, new Traced(traces, effect), MAX_AS_ONE, gather);
    }

    private InboxConsumer(
            Vertx vertx,
            KafkaSettings kafka,
            String name,
            List<String> topics,
            Outbox outbox,
            KafkaSender deadLetters,
            MeterRegistry meters,
            BatchEffect effect,
            int maxBatch,
            Duration gather) {
        this.vertx = vertx;
        this.name = name;
        this.outbox = outbox;
        this.deadLetters = deadLetters;
        this.effect = effect;
        this.loop = new RecordLoop(vertx, kafka, name, topics, maxBatch, gather, this::handle);
        this.meters = meters;
        this.buried = Counter.builder("slipway.dead.letters")
                .description("Records that could not be applied and were put aside")
                .tag("consumer", name)
                .register(meters);
    }

    public Future<Void> start() {
        Gauge.builder("slipway.consumer.poll.age", loop, RecordLoop::secondsSincePoll)
                .description("How long ago the consumer last polled; one that is stuck does not")
                .baseUnit("seconds")
                .tag("consumer", name)
                .register(meters);
        Gauge.builder("slipway.consumer.behind", loop, RecordLoop::secondsBehind)
                .description("How long the records that are being applied had waited in their topic")
                .baseUnit("seconds")
                .tag("consumer", name)
                .register(meters);
        return loop.start();
    }

    public Future<Void> stop() {
        return loop.stop();
    }

    private Future<Void> handle(List<Incoming> batch) {
        var events = new ArrayList<Event>(batch.size());
        var malformed = Future.<Void>succeededFuture();
        for (var record : batch) {
            try {
                events.add(new Event(record, record.envelope()));
            } catch (MalformedEnvelopeException e) {
                malformed = malformed.compose(ok -> bury(record, e));
            }
        }
        return malformed.compose(
                ok -> apply(events).recover(e -> events.size() == 1 ? retry(events.get(0), e, 1) : oneByOne(events)));
    }

    private Future<Void> oneByOne(List<Event> events) {
        var chain = Future.<Void>succeededFuture();
        for (var event : events) {
            chain = chain.compose(ok -> apply(List.of(event)).recover(e -> retry(event, e, 1)));
        }
        return chain;
    }

    private Future<Void> retry(Event event, Throwable failure, int attempt) {
        var outage = Transient.isOutage(failure);
        if (!outage && attempt >= ATTEMPTS) {
            return bury(event.record, failure);
        }
        LOG.atWarn()
                .addKeyValue("consumer", name)
                .addKeyValue("event_type", event.envelope.eventType())
                .addKeyValue("event_id", event.envelope.eventId())
                .addKeyValue("attempt", attempt)
                .log("could not apply an event; will try again: {}", failure.toString());
        return pause(attempt)
                .compose(ok -> apply(List.of(event)))
                .recover(e -> retry(event, e, outage ? attempt : attempt + 1));
    }

    private Future<Void> apply(List<Event> events) {
        if (events.isEmpty()) {
            return Future.succeededFuture();
        }
        var first = events.get(0).envelope;
        var cause = new Cause(first.correlationId(), Context.root());
        return outbox.transaction(cause, unit -> effect.apply(unit, events));
    }

    private Future<Void> pause(int attempt) {
        var promise = Promise.<Void>promise();
        var delay = Math.min(5_000, 50L << Math.min(attempt, 7))
                + ThreadLocalRandom.current().nextInt(50);
        vertx.setTimer(delay, timer -> promise.complete());
        return promise.future();
    }

    /** Puts a record aside, with what a person needs to mend and replay it. Anything secret in its headers stays behind. */
    private Future<Void> bury(Incoming record, Throwable reason) {
        buried.increment();
        LOG.atError()
                .addKeyValue("consumer", name)
                .addKeyValue("topic", record.topic())
                .addKeyValue("partition", record.partition())
                .addKeyValue("offset", record.offset())
                .setCause(reason)
                .log("an event cannot be applied; it is in the dead-letter topic");
        var headers = new HashMap<>(record.headers());
        headers.remove("authorization");
        headers.put(DeadLetters.REASON, String.valueOf(reason));
        headers.put(DeadLetters.CONSUMER, name);
        headers.put(DeadLetters.TOPIC, record.topic());
        headers.put(DeadLetters.POSITION, record.partition() + "/" + record.offset());
        var key = record.key() == null ? "" : record.key();
        return deadLetters.send(
                List.of(new Outgoing(Topics.deadLetters(record.topic()), key, record.value(), headers)));
    }
}

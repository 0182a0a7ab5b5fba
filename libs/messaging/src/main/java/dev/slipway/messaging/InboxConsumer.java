package dev.slipway.messaging;

import dev.slipway.contract.Envelope;
import dev.slipway.contract.ProblemException;
import dev.slipway.messaging.BatchPreparer.Batch;
import dev.slipway.messaging.KafkaSender.OutgoingRecord;
import dev.slipway.telemetry.Traces;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.HashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;

/**
 * Applies every event once, although it can be delivered more often: see {@link EventHandler} and {@link EventBatchHandler}.
 *
 * <p>A batch is applied in one transaction. If that fails, the batch is bisected until the failing event is isolated. That event is retried
 * a few times and then sent to the dead-letter topic with the reason: at once if the handler refused it with a {@link ProblemException}.
 * During an outage it is retried until the outage ends.
 */
public final class InboxConsumer {
    private static final Logger LOG = LoggerFactory.getLogger(InboxConsumer.class);
    private static final int ATTEMPTS = 5;
    /** A batch is usually applied within this time. */
    private static final int MAX_POLL_SECONDS = 10;

    /** Applies one event, in the transaction that also stores the event id, so that a second delivery is ignored. */
    public interface EventHandler {
        Future<Void> apply(UnitOfWork unit, ReceivedRecord record, Envelope event);
    }

    /**
     * Applies many events at once. Event ids are not stored for it, so the handler itself must ignore events it has already applied: by a
     * unique key or by the sequence number of the event.
     */
    public interface EventBatchHandler {
        Future<Void> apply(UnitOfWork unit, List<ReceivedEvent> events);
    }

    /**
     * Applies many events at once, as an {@link EventBatchHandler}, and parses the next ones while PostgreSQL works. For topics with large
     * records: the size of a transaction is limited, and parsing does not occupy the event loop.
     */
    public interface PreparingHandler {
        /** Returns the number of items in an event. A transaction ends after the event that reaches {@code maxItems}. */
        int countItems(Envelope event);

        /**
         * Parses events and returns the work of their transaction, which is called at most once. Runs on a worker thread while earlier events
         * are applied, so it must not depend on their effect.
         */
        Function<UnitOfWork, Future<Void>> prepare(List<ReceivedEvent> events);
    }

    /** A record and its parsed envelope. */
    public record ReceivedEvent(ReceivedRecord record, Envelope envelope) {}

    private final Vertx vertx;
    private final String name;
    private final Outbox outbox;
    private final KafkaSender deadLetters;
    private final RecordVerifier verifier;
    private final BatchPreparer preparer;
    private final PollLoop loop;
    private final MeterRegistry meters;
    private final Counter deadLetterCounter;
    private boolean applyingHeartbeats;

    public InboxConsumer(
            Vertx vertx,
            KafkaSettings kafka,
            String name,
            List<String> topics,
            Outbox outbox,
            Traces traces,
            KafkaSender deadLetters,
            MeterRegistry meters,
            Delivery delivery) {
        this.vertx = vertx;
        this.name = name;
        this.outbox = outbox;
        this.deadLetters = deadLetters;
        this.verifier = new RecordVerifier(vertx, kafka.keys());
        this.preparer = delivery.preparer(vertx, traces, name);
        this.loop = new PollLoop(vertx, kafka, name, topics, delivery.maxRecords(), delivery.gather(), this::handle);
        this.meters = meters;
        this.deadLetterCounter = Counter.builder("slipway.dead.letters")
                .description("Records that could not be applied and were sent to the dead-letter topic")
                .tag("consumer", name)
                .register(meters);
    }

    public String name() {
        return name;
    }

    /** Returns the age of the oldest record that was received but is not applied yet, or the time since the last poll if it is overdue. */
    public double secondsBehind() {
        var sincePoll = loop.secondsSincePoll();
        return sincePoll < MAX_POLL_SECONDS ? loop.secondsBehind() : Math.max(sincePoll, loop.secondsBehind());
    }

    String group() {
        return loop.group();
    }

    Set<String> topics() {
        return loop.topics();
    }

    long appliedOffset(TopicPartition partition) {
        return loop.appliedOffset(partition.topic(), partition.partition());
    }

    /** Passes heartbeats of state topics to the handler. Without this call they are skipped, because most handlers ignore them. */
    public void applyHeartbeats() {
        applyingHeartbeats = true;
    }

    public Future<Void> start() {
        Gauge.builder("slipway.consumer.poll.age", loop, PollLoop::secondsSincePoll)
                .description(
                        "Time since the consumer last polled, except while it waits for records; grows without limit if it is stuck")
                .baseUnit("seconds")
                .tag("consumer", name)
                .register(meters);
        Gauge.builder("slipway.consumer.behind", loop, PollLoop::secondsBehind)
                .description("Age of the oldest record that was received but is not applied yet; 0 if all are applied")
                .baseUnit("seconds")
                .tag("consumer", name)
                .register(meters);
        return loop.start();
    }

    public Future<Void> stop() {
        return loop.stop();
    }

    private Future<Void> handle(List<ReceivedRecord> batch) {
        var applicable = applyingHeartbeats
                ? batch
                : batch.stream().filter(record -> !isHeartbeat(record)).toList();
        return applicable.isEmpty()
                ? Future.succeededFuture()
                : verifier.filter(applicable).compose(this::applyVerified);
    }

    private static boolean isHeartbeat(ReceivedRecord record) {
        return Topics.isState(record.topic()) && Topics.HEARTBEAT_KEY.equals(record.key());
    }

    private Future<Void> applyVerified(List<ReceivedRecord> records) {
        return preparer.prepareNext(records, 0).compose(first -> applyFrom(first, records));
    }

    /** Applies a batch and then the records after it, of which the next batch is prepared in the meantime. */
    private Future<Void> applyFrom(Batch batch, List<ReceivedRecord> records) {
        if (batch.end() == records.size()) {
            return apply(batch);
        }
        var next = preparer.prepareNext(records, batch.end());
        return apply(batch).compose(ok -> next).compose(following -> applyFrom(following, records));
    }

    private Future<Void> apply(Batch batch) {
        var malformed = Future.<Void>succeededFuture();
        for (var each : batch.malformed()) {
            malformed = malformed.compose(ok -> sendToDeadLetterTopic(each.record(), each.reason()));
        }
        return malformed.compose(ok -> apply(batch.events(), batch.work()));
    }

    private Future<Void> apply(List<ReceivedEvent> events, Function<UnitOfWork, Future<Void>> work) {
        return transaction(events, work).recover(e -> {
            if (events.size() == 1) {
                return retry(events.get(0), e, 1);
            }
            var middle = events.size() / 2;
            return applyAgain(events.subList(0, middle))
                    .compose(ok -> applyAgain(events.subList(middle, events.size())));
        });
    }

    private Future<Void> applyAgain(List<ReceivedEvent> events) {
        return preparer.prepareAgain(events).compose(work -> apply(events, work));
    }

    private Future<Void> retry(ReceivedEvent receivedEvent, Throwable failure, int attempt) {
        var outage = Failures.isRetryable(failure);
        if (failure instanceof ProblemException || (!outage && attempt >= ATTEMPTS)) {
            return sendToDeadLetterTopic(receivedEvent.record, failure);
        }
        LOG.atWarn()
                .addKeyValue("consumer", name)
                .addKeyValue("event_type", receivedEvent.envelope.eventType())
                .addKeyValue("event_id", receivedEvent.envelope.eventId())
                .addKeyValue("attempt", attempt)
                .log("event could not be applied; retrying: {}", failure.toString());
        return pause(attempt)
                .compose(ok -> preparer.prepareAgain(List.of(receivedEvent)))
                .compose(work -> transaction(List.of(receivedEvent), work))
                .recover(e -> retry(receivedEvent, e, outage ? attempt : attempt + 1));
    }

    private Future<Void> transaction(List<ReceivedEvent> events, Function<UnitOfWork, Future<Void>> work) {
        if (events.isEmpty()) {
            return Future.succeededFuture();
        }
        var first = events.get(0).envelope;
        var changeContext = new ChangeContext(first.correlationId(), Context.root());
        return outbox.transaction(changeContext, work);
    }

    private Future<Void> pause(int attempt) {
        var promise = Promise.<Void>promise();
        var delay = Math.min(5_000, 50L << Math.min(attempt, 7))
                + ThreadLocalRandom.current().nextInt(50);
        vertx.setTimer(delay, timer -> promise.complete());
        return promise.future();
    }

    /** Adds headers that an operator needs to find the cause and replay the record, and removes its token. */
    private Future<Void> sendToDeadLetterTopic(ReceivedRecord record, Throwable reason) {
        deadLetterCounter.increment();
        LOG.atError()
                .addKeyValue("consumer", name)
                .addKeyValue("topic", record.topic())
                .addKeyValue("partition", record.partition())
                .addKeyValue("offset", record.offset())
                .setCause(reason)
                .log("event could not be applied; sending it to the dead-letter topic");
        var headers = new HashMap<>(record.headers());
        headers.remove("authorization");
        headers.put(DeadLetterClient.REASON, String.valueOf(reason));
        headers.put(DeadLetterClient.CONSUMER, name);
        headers.put(DeadLetterClient.TOPIC, record.topic());
        headers.put(DeadLetterClient.POSITION, record.partition() + "/" + record.offset());
        var key = record.key() == null ? "" : record.key();
        return deadLetters.send(
                List.of(new OutgoingRecord(Topics.deadLetters(record.topic()), key, record.value(), headers)));
    }
}

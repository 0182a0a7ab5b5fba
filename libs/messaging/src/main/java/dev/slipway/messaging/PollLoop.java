package dev.slipway.messaging;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.kafka.client.common.TopicPartition;
import io.vertx.kafka.client.consumer.KafkaConsumer;
import io.vertx.kafka.client.consumer.KafkaConsumerRecords;
import io.vertx.kafka.client.consumer.OffsetAndMetadata;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Polls a batch, passes it to the handler and polls again. At most one batch is in flight, and an offset is committed only after its record
 * has been handled.
 *
 * <p>Offsets are committed a few times a second and when the topics are idle. A commit per batch would cost the broker more than the
 * records do. After a crash the last records are delivered again, which handlers must expect anyway. A failed batch is delivered again; no
 * other record is polled until it succeeds.
 */
public final class PollLoop {
    private static final Logger LOG = LoggerFactory.getLogger(PollLoop.class);
    /** Data ends a poll at once, so only the cost of an idle consumer depends on this. */
    private static final Duration IDLE_POLL_TIMEOUT = Duration.ofSeconds(20);
    /** Used while offsets wait to be committed. */
    private static final Duration COMMIT_POLL_TIMEOUT = Duration.ofMillis(250);

    private static final long COMMIT_INTERVAL_NS = 200_000_000;
    private static final long RETRY_MS = 500;
    private static final long STOP_TIMEOUT_MS = 5_000;

    private final Vertx vertx;
    private final Context context;
    private final KafkaSettings kafka;
    private final String group;
    private final Set<String> topics;
    private final int maxBatch;
    private final long gatherNanos;
    private final Function<List<ReceivedRecord>, Future<Void>> handler;
    private final Map<String, String> config;
    private final Promise<Void> stopped = Promise.promise();
    private final Map<TopicPartition, OffsetAndMetadata> uncommittedOffsets = new HashMap<>();
    /** For other threads; a partition that moves to another process keeps its last value. */
    private final Map<TopicPartition, Long> appliedOffsets = new ConcurrentHashMap<>();

    private @Nullable KafkaConsumer<String, byte[]> consumer;
    private long lastCommitNanos = System.nanoTime();
    private volatile boolean polling;
    private volatile boolean stopping;
    private volatile long lastPollNanos = System.nanoTime();
    private volatile @Nullable Instant oldestUnapplied;

    public PollLoop(
            Vertx vertx,
            KafkaSettings kafka,
            String group,
            List<String> topics,
            int maxBatch,
            Function<List<ReceivedRecord>, Future<Void>> handler) {
        this(vertx, kafka, group, topics, maxBatch, Duration.ZERO, handler);
    }

    /**
     * Creates a loop that polls at most once per {@code gather} interval unless batches are full. The cost of a batch hardly depends on its
     * size.
     */
    PollLoop(
            Vertx vertx,
            KafkaSettings kafka,
            String group,
            List<String> topics,
            int maxBatch,
            Duration gather,
            Function<List<ReceivedRecord>, Future<Void>> handler) {
        this.vertx = vertx;
        this.context = vertx.getOrCreateContext();
        this.kafka = kafka;
        this.group = kafka.topic(group);
        this.topics = topics.stream().map(kafka::topic).collect(Collectors.toUnmodifiableSet());
        this.maxBatch = maxBatch;
        this.gatherNanos = gather.toNanos();
        this.handler = handler;
        this.config = new HashMap<>(kafka.consumer());
        config.put("group.id", this.group);
        config.put("max.poll.records", String.valueOf(maxBatch));
    }

    public Future<Void> start() {
        return ConsumerFactory.create(vertx, config).compose(created -> {
            consumer = created;
            return created.subscribe(topics).onSuccess(ok -> context.runOnContext(ignored -> poll(created)));
        });
    }

    /** Stops after the batch in flight, but waits for it only briefly: during an outage it would never end, and it is delivered again. */
    public Future<Void> stop() {
        var current = consumer;
        if (current == null) {
            return Future.succeededFuture();
        }
        stopping = true;
        if (polling) {
            current.unwrap().wakeup();
        }
        vertx.setTimer(STOP_TIMEOUT_MS, timer -> stopped.tryComplete());
        return stopped.future().eventually(current::close);
    }

    /**
     * Returns the time since the last successful poll and its batch ended, without the time that an idle consumer waits for records. It grows
     * while a batch is being handled, and without limit if the handler or the consumer is stuck.
     */
    public double secondsSincePoll() {
        var seconds = (System.nanoTime() - lastPollNanos) / 1e9;
        return polling ? Math.max(0, seconds - IDLE_POLL_TIMEOUT.toSeconds()) : seconds;
    }

    /** Returns the age of the oldest record that was received but is not applied yet; 0 if all are. It grows while a batch is retried. */
    public double secondsBehind() {
        var oldest = oldestUnapplied;
        return oldest == null ? 0 : secondsSince(oldest);
    }

    String group() {
        return group;
    }

    /** The names of the topics on the broker. */
    Set<String> topics() {
        return topics;
    }

    /** Returns the offset after the last record of the partition that this loop has handled, or -1. */
    long appliedOffset(String topic, int partition) {
        return appliedOffsets.getOrDefault(new TopicPartition(topic, partition), -1L);
    }

    private void poll(KafkaConsumer<String, byte[]> from) {
        if (stopping) {
            commitBeforeStop(from).onComplete(done -> stopped.tryComplete());
            return;
        }
        polling = true;
        from.poll(uncommittedOffsets.isEmpty() ? IDLE_POLL_TIMEOUT : COMMIT_POLL_TIMEOUT)
                .compose(records -> {
                    polling = false;
                    lastPollNanos = System.nanoTime();
                    return handle(from, records);
                })
                .onComplete(done -> {
                    polling = false;
                    if (done.succeeded()) {
                        var delayMs = gatherDelayMs(done.result());
                        lastPollNanos = System.nanoTime();
                        pollAfter(from, delayMs);
                    } else if (stopping) {
                        poll(from);
                    } else {
                        // A commit failed in a rebalance, the broker is unavailable, or the handler failed.
                        LOG.atWarn()
                                .addKeyValue("group", group)
                                .setCause(done.cause())
                                .log("consumer poll failed; retrying");
                        pollAfter(from, RETRY_MS);
                    }
                });
    }

    private void pollAfter(KafkaConsumer<String, byte[]> from, long delayMs) {
        if (delayMs > 0 && !stopping) {
            vertx.setTimer(delayMs, timer -> poll(from));
        } else {
            context.runOnContext(ignored -> poll(from));
        }
    }

    private long gatherDelayMs(int records) {
        var idleOrFull = records == 0 || records >= maxBatch;
        return idleOrFull ? 0 : (lastPollNanos + gatherNanos - System.nanoTime()) / 1_000_000;
    }

    /** Completes with the number of records after all of them have been handled. */
    private Future<Integer> handle(KafkaConsumer<String, byte[]> from, KafkaConsumerRecords<String, byte[]> polled) {
        var records = polled.records();
        if (records.isEmpty()) {
            oldestUnapplied = null;
            return commit(from).map(0);
        }
        var starts = new HashMap<TopicPartition, Long>();
        var offsets = new HashMap<TopicPartition, OffsetAndMetadata>();
        for (var record : records) {
            var partition = new TopicPartition(record.topic(), record.partition());
            starts.putIfAbsent(partition, record.offset());
            offsets.put(partition, new OffsetAndMetadata(record.offset() + 1, ""));
        }
        return Future.succeededFuture()
                .compose(ignored -> {
                    var batch = new ArrayList<ReceivedRecord>(records.count());
                    records.forEach(record -> batch.add(ReceivedRecord.of(record, kafka)));
                    oldestUnapplied = batch.stream()
                            .map(ReceivedRecord::appendedAt)
                            .min(Instant::compareTo)
                            .orElse(null);
                    return handler.apply(batch);
                })
                .recover(e -> rewind(from, starts).transform(done -> Future.failedFuture(e)))
                .compose(ok -> {
                    oldestUnapplied = null;
                    uncommittedOffsets.putAll(offsets);
                    offsets.forEach((partition, offset) -> appliedOffsets.put(partition, offset.getOffset()));
                    return System.nanoTime() - lastCommitNanos < COMMIT_INTERVAL_NS
                            ? Future.succeededFuture()
                            : commit(from);
                })
                .map(records.count());
    }

    private Future<Void> commit(KafkaConsumer<String, byte[]> from) {
        if (uncommittedOffsets.isEmpty()) {
            return Future.succeededFuture();
        }
        var offsets = Map.copyOf(uncommittedOffsets);
        uncommittedOffsets.clear();
        lastCommitNanos = System.nanoTime();
        return from.commit(offsets).mapEmpty();
    }

    /** Repeats a commit that received the wake-up meant for a poll that had just returned. */
    private Future<Void> commitBeforeStop(KafkaConsumer<String, byte[]> from) {
        var offsets = Map.copyOf(uncommittedOffsets);
        return commit(from)
                .recover(
                        e -> e instanceof WakeupException ? from.commit(offsets).mapEmpty() : Future.failedFuture(e));
    }

    /**
     * Moves the positions back to the start of the batch; otherwise the next poll would skip it. Fails for a partition that was revoked in
     * the meantime, which is ignored.
     */
    private static Future<Void> rewind(KafkaConsumer<String, byte[]> from, Map<TopicPartition, Long> starts) {
        return Future.join(starts.entrySet().stream()
                        .map(start -> from.seek(start.getKey(), start.getValue()))
                        .toList())
                .<Void>mapEmpty()
                .otherwiseEmpty();
    }

    private static double secondsSince(Instant then) {
        return Math.max(0, Duration.between(then, Instant.now()).toMillis() / 1e3);
    }
}

package dev.slipway.messaging;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.kafka.client.common.TopicPartition;
import io.vertx.kafka.client.consumer.KafkaConsumer;
import io.vertx.kafka.client.consumer.OffsetAndMetadata;
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
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Polls, has the batch handled, polls again: so at most one batch is in flight, and an offset moves only after the effect. Offsets are
 * committed a few times a second and when the topics fall silent, not with every batch, which would cost the broker more than the
 * records do: who comes after a crash gets the last moments again, as it must expect anyway. The handler must not give up on a batch
 * that can still succeed: while it retries, nothing is polled.
 */
public final class RecordLoop {
    private static final Logger LOG = LoggerFactory.getLogger(RecordLoop.class);
    private static final Duration POLL = Duration.ofMillis(250);
    private static final int MANY_BYTES = 128 << 10;
    private static final long PATIENCE_MS = 5_000;
    private static final long COMMIT_EVERY_NS = 200_000_000;

    private final Vertx vertx;
    private final Context context;
    private final KafkaSettings kafka;
    private final String group;
    private final Set<String> topics;
    private final Function<List<Incoming>, Future<Void>> handler;
    private final Map<String, String> config;
    private final Promise<Void> stopped = Promise.promise();
    private final Map<TopicPartition, OffsetAndMetadata> handled = new HashMap<>();
    private @Nullable KafkaConsumer<String, byte[]> consumer;
    private long lastCommitNanos = System.nanoTime();
    private volatile boolean stopping;
    private volatile long lastPollNanos = System.nanoTime();
    private volatile double waitedSeconds;

    public RecordLoop(
            Vertx vertx,
            KafkaSettings kafka,
            String group,
            List<String> topics,
            int maxBatch,
            Function<List<Incoming>, Future<Void>> handler) {
        this(vertx, kafka, group, topics, maxBatch, Duration.ZERO, handler);
    }

    /** One that lets records gather for so long, unless there are many: a batch costs much the same whatever its size. */
    RecordLoop(
            Vertx vertx,
            KafkaSettings kafka,
            String group,
            List<String> topics,
            int maxBatch,
            Duration gather,
            Function<List<Incoming>, Future<Void>> handler) {
        this.vertx = vertx;
        this.context = vertx.getOrCreateContext();
        this.kafka = kafka;
        this.group = kafka.topic(group);
        this.topics = topics.stream().map(kafka::topic).collect(Collectors.toUnmodifiableSet());
        this.handler = handler;
        this.config = new HashMap<>(kafka.consumer());
        config.put("group.id", this.group);
        config.put("max.poll.records", String.valueOf(maxBatch));
        if (!gather.isZero()) {
            config.put("fetch.min.bytes", String.valueOf(MANY_BYTES));
            config.put("fetch.max.wait.ms", String.valueOf(gather.toMillis()));
        }
    }

    public Future<Void> start() {
        return Consumers.make(vertx, config).compose(made -> {
            consumer = made;
            return made.subscribe(topics).onSuccess(ok -> context.runOnContext(ignored -> poll(made)));
        });
    }

    /** Ends after the batch in flight, or soon without it: in an outage it would never end, and it comes again. */
    public Future<Void> stop() {
        var current = consumer;
        if (current == null) {
            return Future.succeededFuture();
        }
        stopping = true;
        vertx.setTimer(PATIENCE_MS, timer -> stopped.tryComplete());
        return stopped.future().eventually(current::close);
    }

    /** How long ago the last poll was; grows while a batch is handled, and without end when one is stuck. */
    public double secondsSincePoll() {
        return (System.nanoTime() - lastPollNanos) / 1e9;
    }

    /** How long the first record of the last batch had been in its topic: how far this consumer is behind. */
    public double secondsBehind() {
        return waitedSeconds;
    }

    private static double secondsSince(Instant then) {
        return Math.max(0, Duration.between(then, Instant.now()).toMillis() / 1e3);
    }

    private void poll(KafkaConsumer<String, byte[]> from) {
        if (stopping) {
            commit(from).onComplete(done -> stopped.tryComplete());
            return;
        }
        from.poll(POLL)
                .compose(polled -> {
                    lastPollNanos = System.nanoTime();
                    var records = polled.records();
                    if (records.isEmpty()) {
                        waitedSeconds = 0;
                        return commit(from);
                    }
                    var batch = new ArrayList<Incoming>(records.count());
                    var starts = new HashMap<TopicPartition, Long>();
                    var offsets = new HashMap<TopicPartition, OffsetAndMetadata>();
                    for (var record : records) {
                        var partition = new TopicPartition(record.topic(), record.partition());
                        batch.add(Incoming.of(record, kafka));
                        starts.putIfAbsent(partition, record.offset());
                        offsets.put(partition, new OffsetAndMetadata(record.offset() + 1, ""));
                    }
                    waitedSeconds = secondsSince(batch.get(0).appendedAt());
                    return handler.apply(batch)
                            .recover(e -> rewind(from, starts).transform(done -> Future.failedFuture(e)))
                            .compose(ok -> {
                                handled.putAll(offsets);
                                return System.nanoTime() - lastCommitNanos < COMMIT_EVERY_NS
                                        ? Future.succeededFuture()
                                        : commit(from);
                            });
                })
                .onComplete(done -> {
                    if (done.failed() && !stopping) {
                        // A commit lost to a rebalance, the broker away, or a batch not handled: the records come
                        // again.
                        LOG.atWarn()
                                .addKeyValue("group", group)
                                .setCause(done.cause())
                                .log("consumer loop failed; goes on");
                        vertx.setTimer(500, timer -> poll(from));
                    } else {
                        context.runOnContext(ignored -> poll(from));
                    }
                });
    }

    private Future<Void> commit(KafkaConsumer<String, byte[]> consumer) {
        if (handled.isEmpty()) {
            return Future.succeededFuture();
        }
        var offsets = Map.copyOf(handled);
        handled.clear();
        lastCommitNanos = System.nanoTime();
        return consumer.commit(offsets).mapEmpty();
    }

    /** Without this the next poll would go on behind the batch. A partition that was taken away meanwhile is no longer ours to move. */
    private static Future<Void> rewind(KafkaConsumer<String, byte[]> consumer, Map<TopicPartition, Long> starts) {
        return Future.join(starts.entrySet().stream()
                        .map(start -> consumer.seek(start.getKey(), start.getValue()))
                        .toList())
                .<Void>mapEmpty()
                .otherwiseEmpty();
    }
}

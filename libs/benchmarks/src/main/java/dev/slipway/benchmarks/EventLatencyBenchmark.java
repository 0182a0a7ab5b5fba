package dev.slipway.benchmarks;

import dev.slipway.contract.Envelope;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/** Measures the time from the commit of a launch, as recorded by PostgreSQL, to the arrival of its event at a consumer. */
final class EventLatencyBenchmark {
    private static final int RATE = 200;
    private static final int PASSES = 5;
    private static final double SECONDS = 8;
    private static final double BAR_MS = 25;
    private static final String TOPIC = "instances.events";
    private static final String LAUNCHES =
            "SELECT app_instance_id, pg_xact_commit_timestamp(xmin) FROM instances.instance_events WHERE sequence = 1 AND occurred_at > '%s'";
    /** A topic that nothing is published to during the measurement. */
    private static final String RAW_TOPIC = "runtime.commands.k8s";

    private final BenchEnvironment benchEnvironment;
    private final ResultTable resultTable;

    EventLatencyBenchmark(BenchEnvironment benchEnvironment, ResultTable resultTable) {
        this.benchEnvironment = benchEnvironment;
        this.resultTable = resultTable;
    }

    void measure() {
        try (var platform = benchEnvironment.platform(HttpBenchmark.ALL)) {
            var requests = requests(platform);
            benchEnvironment.awaitTenants();
            benchEnvironment.awaitIdle(HttpBenchmark.ALL);
            benchEnvironment.warmUpUntilCompiled(platform.process(), platform.port(), requests, RATE * 15);
            benchEnvironment.awaitIdle(HttpBenchmark.ALL);
            var ours = new double[PASSES];
            var median = new double[PASSES];
            var raw = new double[PASSES];
            // The first pass does not count: it warms up the one who measures.
            for (var pass = -1; pass < PASSES; pass++) {
                var alone = raw();
                var measured = latencySinceCommit(
                        "apps.instance.requested",
                        (int) (RATE * SECONDS),
                        () -> benchEnvironment.warmUp(
                                platform.port(), requests, (int) (RATE * SECONDS), SECONDS * 2, RATE));
                if (pass >= 0) {
                    raw[pass] = ms(alone, 99);
                    ours[pass] = ms(measured, 99);
                    median[pass] = ms(measured, 50);
                }
            }
            var p99 = ResultTable.median(ours);
            var base = ResultTable.median(raw);
            resultTable.add(new ResultTable.Row(
                    "commit → event at a Kafka consumer, " + RATE + "/s, p99",
                    ResultTable.number(p99) + " ms",
                    "raw produce → consume " + ResultTable.number(base) + " ms",
                    ResultTable.number(p99 / base),
                    "≤ " + (int) BAR_MS + " ms",
                    ResultTable.isMet(p99 <= BAR_MS),
                    "p50 " + ResultTable.number(ResultTable.median(median)) + " ms; all services"));
        }
    }

    /** Returns the sorted latencies in microseconds from the commits of launches to the arrival of their events. */
    long[] latencySinceCommit(String eventType, int expected, Runnable send) {
        var commits = new HashMap<String, Instant>();
        var started = Instant.now();
        return latencies(
                TOPIC,
                expected,
                event -> event.eventType().equals(eventType)
                        ? commits.get(event.payload().path("app_instance_id").asText())
                        : null,
                () -> {
                    send.run();
                    commits.putAll(benchEnvironment.database().commits(LAUNCHES.formatted(started)));
                },
                Envelope::fromBytes);
    }

    /** Measures produce to consume with Kafka alone, at this rate. */
    long[] raw() {
        return latencies(RAW_TOPIC, (int) (RATE * SECONDS), this::stamp, this::produce, bytes -> bytes);
    }

    private Path requests(BenchEnvironment.RunningPlatform platform) {
        return benchEnvironment.requests(
                "events",
                HttpBenchmark.lines(i -> "POST\t/api/v1/projects/" + BenchSeeds.project(i) + "/app-instances\t"
                        + platform.tokenFor(i) + "\t" + BenchSeeds.launch()));
    }

    /**
     * Reads the topic while records are sent, and returns the sorted latencies in microseconds once the expected number has arrived.
     * Events without a start time are skipped.
     */
    private <T> long[] latencies(
            String topic,
            int expected,
            Function<T, @Nullable Instant> madeAt,
            Runnable send,
            Function<byte[], T> read) {
        var done = new AtomicBoolean();
        System.gc(); // now, for what pauses the one who measures is measured
        try (var consumer = TopicReader.follow(benchEnvironment.kafkaBootstrap(), topic)) {
            var following = CompletableFuture.supplyAsync(() -> follow(consumer, done));
            send.run();
            done.set(true);
            var taken = following.get().stream()
                    .mapToLong(arrival -> arrival.after(madeAt.apply(read.apply(arrival.value))))
                    .filter(micros -> micros >= 0)
                    .sorted()
                    .toArray();
            if (taken.length < expected * 0.9) {
                throw new IllegalStateException("only " + taken.length + " of " + expected + " events arrived");
            }
            return taken;
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private record Arrival(byte[] value, Instant at) {
        /** Returns microseconds, or -1 if unknown. */
        long after(@Nullable Instant made) {
            return made == null ? -1 : Math.max(0, ChronoUnit.MICROS.between(made, at));
        }
    }

    private static List<Arrival> follow(KafkaConsumer<String, byte[]> consumer, AtomicBoolean done) {
        var arrivals = new ArrayList<Arrival>();
        for (var quiet = 0; quiet < 10; ) {
            var records = consumer.poll(Duration.ofMillis(100));
            var now = Instant.now();
            records.forEach(record -> arrivals.add(new Arrival(record.value(), now)));
            quiet = done.get() && records.isEmpty() ? quiet + 1 : 0;
        }
        return arrivals;
    }

    /** Produces records of an event's size with the producer settings of the relay. */
    private void produce() {
        Map<String, Object> config = Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                benchEnvironment.kafkaBootstrap(),
                ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG,
                StringSerializer.class,
                ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG,
                ByteArraySerializer.class,
                ProducerConfig.ACKS_CONFIG,
                "all",
                ProducerConfig.LINGER_MS_CONFIG,
                0);
        try (var producer = new KafkaProducer<String, byte[]>(config)) {
            var partitions = producer.partitionsFor(RAW_TOPIC).size();
            var next = System.nanoTime();
            for (var i = 0; i < RATE * SECONDS; i++) {
                while (System.nanoTime() < next) {
                    LockSupport.parkNanos(next - System.nanoTime());
                }
                next += 1_000_000_000L / RATE;
                var now = Instant.now();
                var value = ByteBuffer.allocate(800)
                        .putLong(now.getEpochSecond())
                        .putInt(now.getNano())
                        .array();
                var sent = producer.send(new ProducerRecord<>(RAW_TOPIC, i % partitions, "key", value));
                if (sent.isCancelled()) {
                    throw new IllegalStateException("the producer is closed");
                }
            }
        }
    }

    private Instant stamp(byte[] value) {
        var buffer = ByteBuffer.wrap(value);
        return Instant.ofEpochSecond(buffer.getLong(), buffer.getInt());
    }

    static double ms(long[] sortedMicros, int percent) {
        return LoadGenerator.percentile(sortedMicros, percent) / 1_000.0;
    }
}

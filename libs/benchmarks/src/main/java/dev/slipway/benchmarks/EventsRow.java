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

/** How long after its commit, by the database's own record of it, an event is at a consumer. */
final class EventsRow {
    private static final int RATE = 200;
    private static final int PASSES = 5;
    private static final double SECONDS = 8;
    private static final double BAR_MS = 25;
    private static final String TOPIC = "instances.events";
    private static final String LAUNCHES =
            "SELECT app_instance_id, pg_xact_commit_timestamp(xmin) FROM instances.instance_events WHERE sequence = 1 AND occurred_at > '%s'";
    /** A topic of the platform's that nothing is published to while this runs. */
    private static final String RAW_TOPIC = "runtime.commands.k8s";

    private final Stage stage;
    private final Table table;

    EventsRow(Stage stage, Table table) {
        this.stage = stage;
        this.table = table;
    }

    void measure() {
        try (var platform = stage.platform(HttpRows.ALL)) {
            var requests = requests(platform);
            stage.awaitTenants();
            stage.settle(HttpRows.ALL);
            stage.warmUntilCompiled(platform.process(), platform.port(), requests, RATE * 15);
            stage.settle(HttpRows.ALL);
            var ours = new double[PASSES];
            var median = new double[PASSES];
            var raw = new double[PASSES];
            // The first pass does not count: it warms up the one who measures.
            for (var pass = -1; pass < PASSES; pass++) {
                var alone = raw();
                var measured = sinceAccepted(
                        "apps.instance.requested",
                        (int) (RATE * SECONDS),
                        () -> stage.warm(platform.port(), requests, (int) (RATE * SECONDS), SECONDS * 2, RATE));
                if (pass >= 0) {
                    raw[pass] = ms(alone, 99);
                    ours[pass] = ms(measured, 99);
                    median[pass] = ms(measured, 50);
                }
            }
            var p99 = Table.median(ours);
            var base = Table.median(raw);
            table.add(new Table.Row(
                    "commit → event at a Kafka consumer, " + RATE + "/s, p99",
                    Table.number(p99) + " ms",
                    "raw produce → consume " + Table.number(base) + " ms",
                    Table.number(p99 / base),
                    "≤ " + (int) BAR_MS + " ms",
                    Table.met(p99 <= BAR_MS),
                    "p50 " + Table.number(Table.median(median)) + " ms; all services"));
        }
    }

    /** Sorted microseconds from the commits of launches to the arrival of an event of their instances. */
    long[] sinceAccepted(String eventType, int expected, Runnable send) {
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
                    commits.putAll(stage.database().commits(LAUNCHES.formatted(started)));
                },
                Envelope::fromBytes);
    }

    /** What Kafka alone takes, at this rate. */
    long[] raw() {
        return latencies(RAW_TOPIC, (int) (RATE * SECONDS), this::stamp, this::produce, bytes -> bytes);
    }

    private Path requests(Stage.Running platform) {
        return stage.requests(
                "events",
                HttpRows.lines(i -> "POST\t/api/v1/projects/" + Seeds.project(i) + "/app-instances\t"
                        + platform.tokenFor(i) + "\t" + Seeds.launch()));
    }

    /**
     * Follows the topic while something is sent to it; sorted microseconds to the arrival of as many events as expected, from the time
     * that is given for them once all have arrived. Those without one do not count.
     */
    private <T> long[] latencies(
            String topic,
            int expected,
            Function<T, @Nullable Instant> madeAt,
            Runnable send,
            Function<byte[], T> read) {
        var done = new AtomicBoolean();
        System.gc(); // now, for what pauses the one who measures is measured
        try (var consumer = Topic.follow(stage.kafkaBootstrap(), topic)) {
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
        /** Microseconds; -1 if that is not known. */
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

    /** The settings of the relay's producer, records of an event's size. */
    private void produce() {
        Map<String, Object> config = Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                stage.kafkaBootstrap(),
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
        return Load.percentile(sortedMicros, percent) / 1_000.0;
    }
}

package dev.slipway.messaging;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.telemetry.Telemetry;
import dev.slipway.telemetry.Traces;
import dev.slipway.testkit.FreshDatabase;
import dev.slipway.testkit.TestInfrastructure;
import io.micrometer.core.instrument.MeterRegistry;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Provides a database with an outbox, an inbox and a test table, and topics with their own prefix on a real broker. */
final class MessagingFixture implements AutoCloseable {
    private static final AtomicInteger NUMBER = new AtomicInteger();

    final FreshDatabase database = FreshDatabase.create();
    final Telemetry telemetry = Telemetry.start(Map.of());
    final Vertx vertx =
            telemetry.vertx(new VertxOptions().setEventLoopPoolSize(2)).build();
    final KafkaSettings kafka = new KafkaSettings(
            TestInfrastructure.shared().kafkaBootstrap(),
            "m" + Ids.next().toString().substring(24) + ".",
            1,
            (short) 1,
            Map.of());
    final Pool pool = PgBuilder.pool()
            .using(vertx)
            .connectingTo(options())
            .with(new PoolOptions().setMaxSize(4))
            .build();
    private final KafkaProducer<String, byte[]> producer = new KafkaProducer<>(kafka.relayProducer());

    MessagingFixture() {
        try (var sql = Outbox.class.getResourceAsStream("/db/migration/messaging/V000_1__outbox_and_inbox.sql")) {
            database.execute(new String(sql.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        database.execute("CREATE TABLE things (name text PRIMARY KEY, times integer NOT NULL)");
    }

    @CanIgnoreReturnValue
    static <T> T await(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    PgConnectOptions options() {
        return PgConnectOptions.fromUri(database.url());
    }

    Traces traces() {
        return telemetry.traces();
    }

    MeterRegistry metrics() {
        return telemetry.metrics();
    }

    Outbox outbox(Runnable wake) {
        return new Outbox(pool, traces(), Clock.systemUTC(), wake);
    }

    static ChangeContext changeContext(String correlationId) {
        return new ChangeContext(correlationId, Context.root());
    }

    int countThings() {
        return Integer.parseInt(database.query("SELECT count(*) FROM things"));
    }

    int countOutboxRows() {
        return Integer.parseInt(database.query("SELECT count(*) FROM outbox"));
    }

    /** Returns how often a handler has been applied to a thing. */
    int countApplications(String thing) {
        return Integer.parseInt(
                database.query("SELECT coalesce(sum(times), 0) FROM things WHERE name = '" + thing + "'"));
    }

    /** Creates a topic with one partition and its dead-letter topic. */
    String createTopic() {
        return createTopic("");
    }

    String createTopic(String suffix) {
        var name = "t" + NUMBER.incrementAndGet() + suffix;
        try (var admin = Admin.create(kafka.admin())) {
            admin.createTopics(List.of(
                            new NewTopic(kafka.topic(name), 1, (short) 1),
                            new NewTopic(kafka.topic(Topics.deadLetters(name)), 1, (short) 1)))
                    .all()
                    .get(30, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
        return name;
    }

    static Envelope event(String thing) {
        return new Envelope(
                Ids.next(),
                "test.thing",
                Instant.EPOCH,
                1,
                "c-" + thing,
                Json.object().put("thing", thing));
    }

    void send(String topic, String thing) {
        send(topic, event(thing));
    }

    void send(String topic, Envelope event) {
        send(topic, event.toBytes(), Map.of());
    }

    void send(String topic, byte[] value, Map<String, String> headers) {
        var record = new ProducerRecord<>(kafka.topic(topic), "key", value);
        headers.forEach((name, text) -> record.headers().add(name, text.getBytes(StandardCharsets.UTF_8)));
        send(record);
    }

    void sendWithKey(String topic, String key, Envelope event) {
        send(new ProducerRecord<>(kafka.topic(topic), key, event.toBytes()));
    }

    void sendWithNullHeader(String topic, Envelope event) {
        var record = new ProducerRecord<>(kafka.topic(topic), "key", event.toBytes());
        record.headers().add("empty", null);
        send(record);
    }

    private void send(ProducerRecord<String, byte[]> record) {
        try {
            producer.send(record).get(30, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Returns all records of the topic. */
    List<ReceivedRecord> read(String topic) {
        try (var consumer = new KafkaConsumer<String, byte[]>(new HashMap<>(kafka.consumer()))) {
            var partition = new TopicPartition(kafka.topic(topic), 0);
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            var end = consumer.endOffsets(List.of(partition)).get(partition);
            var all = new ArrayList<ReceivedRecord>();
            while (consumer.position(partition) < end) {
                for (var record : consumer.poll(Duration.ofMillis(200))) {
                    all.add(incoming(record));
                }
            }
            return all;
        }
    }

    private ReceivedRecord incoming(ConsumerRecord<String, byte[]> record) {
        var headers = new HashMap<String, String>();
        record.headers().forEach(h -> headers.put(h.key(), new String(h.value(), StandardCharsets.UTF_8)));
        return new ReceivedRecord(
                record.topic().substring(kafka.topicPrefix().length()),
                record.partition(),
                record.offset(),
                Instant.ofEpochMilli(record.timestamp()),
                record.key(),
                record.value(),
                headers);
    }

    @Override
    public void close() {
        producer.close(Duration.ofSeconds(1));
        await(pool.close());
        await(vertx.close());
        telemetry.close();
        database.close();
    }
}

package dev.slipway.messaging;

import dev.slipway.messaging.KafkaSender.OutgoingRecord;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

import static dev.slipway.messaging.MessagingFixture.await;
import static dev.slipway.messaging.MessagingFixture.event;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Tests readers of signed topics on a broker that lets everybody write: records that the owner has not signed have no effect. */
class SignedTopicsTest {
    private static MessagingFixture fixture;

    @BeforeAll
    static void open() {
        fixture = new MessagingFixture();
        await(Topics.createMissing(fixture.vertx, fixture.kafka));
    }

    @AfterAll
    static void close() {
        fixture.close();
    }

    @Test
    void stateReader_appliesOnlyRecordsOfOwner(@TempDir Path directory) {
        var iam = RecordKeys.open(directory, List.of("iam", "catalog"));
        var stranger = RecordKeys.open(directory.resolve("others"), List.of("iam"));
        var signed = iam.sign(List.of(record(Topics.AUTHZ_STATE, "genuine"))).get(0);
        send(stranger.sign(List.of(record(Topics.AUTHZ_STATE, "of a stranger"))).get(0));
        send(record(Topics.AUTHZ_STATE, "unsigned"));
        send(new OutgoingRecord(Topics.AUTHZ_STATE, "key", "not json".getBytes(StandardCharsets.UTF_8), Map.of()));
        send(copyOf(signed, record(Topics.AUTHZ_STATE, "with the signature of another record")));
        send(copyOf(
                iam.sign(List.of(record(Topics.CATALOG_STATE, "of the catalog")))
                        .get(0),
                record(Topics.AUTHZ_STATE, "of the catalog")));
        send(signed);
        var read = new CopyOnWriteArrayList<String>();
        var reader = new StateReader(fixture.vertx, with(iam), Topics.AUTHZ_STATE, record -> read.add(thing(record)));

        await(reader.start());

        assertThat(read).containsExactly("genuine");
        var meters = new SimpleMeterRegistry();
        iam.registerMetrics(meters);
        assertThat(meters.get("slipway.records.rejected")
                        .tag("topic", Topics.AUTHZ_STATE)
                        .functionCounter()
                        .count())
                .isEqualTo(5);
        await(reader.stop());
    }

    @Test
    void consumer_appliesOnlyRecordsOfOwner(@TempDir Path directory) {
        var keys = RecordKeys.open(directory, List.of("instances"));
        send(record(Topics.USAGE_EVENTS, "forged"));
        send(new OutgoingRecord(Topics.USAGE_EVENTS, "key", "not json".getBytes(StandardCharsets.UTF_8), Map.of()));
        keys.sign(List.of(record(Topics.USAGE_EVENTS, "first"), record(Topics.USAGE_EVENTS, "second")))
                .forEach(SignedTopicsTest::send);
        var applied = new CopyOnWriteArrayList<String>();
        var deadLetters = new KafkaSender(fixture.vertx, fixture.kafka);
        var consumer = new InboxConsumer(
                fixture.vertx,
                with(keys),
                "metering.signed",
                List.of(Topics.USAGE_EVENTS),
                fixture.outbox(() -> {}),
                fixture.traces(),
                deadLetters,
                fixture.metrics(),
                Delivery.ofEvents((unit, record, event) -> {
                    applied.add(event.payload().path("thing").asText());
                    return io.vertx.core.Future.succeededFuture();
                }));

        await(consumer.start());

        eventually(() -> assertThat(applied).containsExactly("first", "second"));
        assertThat(fixture.read(Topics.deadLetters(Topics.USAGE_EVENTS))).isEmpty();
        await(consumer.stop());
        await(deadLetters.close());
    }

    /** In a new deployment a reader may start before the owner has created its key. */
    @Test
    void stateReader_waits_whenPublicKeyIsNotThereYet(@TempDir Path directory) throws IOException {
        var catalog = RecordKeys.open(directory.resolve("catalog"), List.of("catalog"));
        var readers = directory.resolve("readers");
        send(catalog.sign(List.of(record(Topics.CATALOG_STATE, "early"))).get(0));
        var read = new CopyOnWriteArrayList<String>();
        var reader = new StateReader(
                fixture.vertx,
                with(RecordKeys.open(readers, List.of("gateway"))),
                Topics.CATALOG_STATE,
                record -> read.add(thing(record)));
        var started = reader.start();

        Files.createDirectories(readers);
        Files.copy(directory.resolve("catalog/catalog.pub"), readers.resolve("catalog.pub"));

        await(started);
        assertThat(read).containsExactly("early");
        await(reader.stop());
    }

    @Test
    void sender_fails_whenProcessHasNoKeyOfOwner(@TempDir Path directory) {
        var sender = new KafkaSender(fixture.vertx, with(RecordKeys.open(directory, List.of("catalog"))));

        assertThatThrownBy(() -> await(sender.send(List.of(record(Topics.IAM_STATE, "not ours")))))
                .hasMessageContaining("no key to sign the records of iam");
        await(sender.close());
    }

    @Test
    void keys_areKept_andPrivateToOwner(@TempDir Path directory) throws IOException {
        var first = RecordKeys.open(directory.resolve("keys"), List.of("iam"));
        var second = RecordKeys.open(directory.resolve("keys"), List.of("iam"));

        assertThat(second.signingKeyId(Topics.AUTHZ_STATE))
                .isNotEmpty()
                .isEqualTo(first.signingKeyId(Topics.AUTHZ_STATE));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve("keys"))))
                .isEqualTo("rwx------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve("keys/iam.key"))))
                .isEqualTo("rw-------");
    }

    private static KafkaSettings with(RecordKeys keys) {
        var kafka = fixture.kafka;
        return new KafkaSettings(
                kafka.bootstrap(),
                kafka.topicPrefix(),
                kafka.partitions(),
                kafka.replication(),
                kafka.client(),
                Map.of(),
                keys);
    }

    private static OutgoingRecord record(String topic, String thing) {
        return new OutgoingRecord(topic, "key", event(thing).toBytes(), Map.of());
    }

    private static OutgoingRecord copyOf(OutgoingRecord signed, OutgoingRecord record) {
        return new OutgoingRecord(record.topic(), record.key(), record.value(), signed.headers());
    }

    /** Writes the record as it is, like any client of the broker can. */
    private static void send(OutgoingRecord record) {
        fixture.send(record.topic(), record.value(), record.headers());
    }

    private static String thing(ReceivedRecord record) {
        return record.envelope().payload().path("thing").asText();
    }
}

package dev.slipway.messaging;

import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.telemetry.Telemetry;
import dev.slipway.testkit.EventTap;
import dev.slipway.testkit.FaultyLink;
import dev.slipway.testkit.FreshDatabase;
import dev.slipway.testkit.TestInfrastructure;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.pgclient.PgConnectOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests a relay while its database or broker is unavailable. */
class RelayFaultsTest {
    private static final String KAFKA = TestInfrastructure.shared().kafkaBootstrap();

    private final String prefix = "r" + UUID.randomUUID().toString().substring(0, 8) + ".";
    private final Telemetry telemetry = Telemetry.start(Map.of());
    private final Vertx vertx = telemetry.vertx(new VertxOptions()).build();
    private final FreshDatabase database = FreshDatabase.create();
    private final FaultyLink kafkaLink = FaultyLink.toKafka(KAFKA);
    private final FaultyLink databaseLink = FaultyLink.toDatabase(database.url());
    private EventTap tap;

    @BeforeEach
    void start() throws Exception {
        database.execute(migration());
        await(Topics.createMissing(vertx, kafka(KAFKA)));
        tap = new EventTap(KAFKA, prefix);
    }

    @AfterEach
    void stop() throws Exception {
        tap.close();
        await(vertx.close());
        telemetry.close();
        kafkaLink.close();
        databaseLink.close();
        database.close();
    }

    private static String migration() throws IOException {
        try (var sql = Relay.class.getResourceAsStream("/db/migration/messaging/V000_1__outbox_and_inbox.sql")) {
            return new String(sql.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static void await(Future<Void> future) throws Exception {
        var ignored = future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    private KafkaSettings kafka(String bootstrap) {
        return new KafkaSettings(bootstrap, prefix, 1, (short) 1, Map.of());
    }

    private void startRelay(String bootstrap, String databaseUrl) {
        new Relay(
                        vertx,
                        PgConnectOptions.fromUri(databaseUrl),
                        kafka(bootstrap),
                        telemetry.traces(),
                        telemetry.metrics(),
                        "test")
                .start();
    }

    private void publish(long revision) {
        var event = new Envelope(
                Ids.next(),
                "state.heartbeat",
                Instant.now(),
                1,
                "test",
                Json.object().put("revision", revision));
        database.execute(
                """
                INSERT INTO outbox (event_id, event_type, topic, key, occurred_at, correlation_id, value)
                VALUES ('%s', '%s', 'audit.events', 'one key', now(), 'test', convert_to('%s', 'UTF8'))
                """.formatted(event.eventId(), event.eventType(), new String(event.toBytes(), StandardCharsets.UTF_8)));
    }

    private List<Long> published() {
        return tap.find(observedRecord -> true).stream()
                .map(observedRecord -> observedRecord.payload().path("revision").asLong())
                .toList();
    }

    private void pause(Duration time) throws Exception {
        await(vertx.timer(time.toMillis()).mapEmpty());
    }

    /** The relay tries to connect every second meanwhile. The lock must not be taken by a connection that is not used. */
    @Test
    void relay_publishes_whenDatabaseAnswersLate() throws Exception {
        publish(1);
        databaseLink.stall();
        startRelay(KAFKA, databaseLink.through(database.url()));
        pause(Duration.ofSeconds(5));

        databaseLink.heal();

        eventually(() -> assertThat(published()).containsExactly(1L));
    }

    @Test
    void relay_publishesNothing_whenItLostLeadership() throws Exception {
        kafkaLink.cut();
        publish(1);
        startRelay(kafkaLink.through(KAFKA), databaseLink.through(database.url()));
        eventually(() -> assertThat(database.query("""
                        SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
                        WHERE l.locktype = 'advisory' AND d.datname = current_database()
                        """)).isEqualTo("1"));
        pause(Duration.ofSeconds(2)); // the relay leads and has read the first record

        databaseLink.cut();
        startRelay(KAFKA, database.url());
        eventually(() -> assertThat(published()).containsExactly(1L));
        publish(2);
        eventually(() -> assertThat(published()).containsExactly(1L, 2L));
        kafkaLink.heal();

        pause(Duration.ofSeconds(5)); // long enough for the first relay to send
        assertThat(published()).containsExactly(1L, 2L);
    }
}

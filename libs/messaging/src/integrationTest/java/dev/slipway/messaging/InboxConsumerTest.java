package dev.slipway.messaging;

import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.messaging.InboxConsumer.BatchEffect;
import dev.slipway.messaging.InboxConsumer.Effect;
import dev.slipway.messaging.Transient.NotReadyException;
import dev.slipway.testkit.Proves;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.net.ConnectException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import static dev.slipway.messaging.Stage.await;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

class InboxConsumerTest {
    private static final String COUNT = """
            INSERT INTO things (name, times) VALUES ($1, 1) ON CONFLICT (name) DO UPDATE SET times = things.times + 1
            """;
    /** More than an event that is at fault itself is tried. */
    private static final int LONG_OUTAGE = 8;

    private static Stage stage;
    private static KafkaSender deadLetters;

    private final String topic = stage.topic();
    private InboxConsumer consumer;

    @BeforeAll
    static void open() {
        stage = new Stage();
        deadLetters = new KafkaSender(stage.vertx, stage.kafka);
    }

    @AfterAll
    static void close() {
        await(deadLetters.close());
        stage.close();
    }

    @AfterEach
    void stop() {
        await(consumer.stop());
        stage.database.execute("TRUNCATE things, outbox, inbox");
    }

    @Test
    void effect_isApplied_andTheRestToo_whenOneOfThemCannotBe() {
        stage.send(topic, "good");
        stage.send(topic, Stage.event("poison").toBytes(), Map.of("authorization", "Bearer secret", "ce_id", "1"));
        stage.send(topic, "better");

        start((unit, record, event) -> {
            count(unit, event.payload().path("thing").asText());
            return event.payload().path("thing").asText().equals("poison")
                    ? Future.failedFuture(new IllegalStateException("it is rotten"))
                    : Future.succeededFuture();
        });

        eventually(() -> assertThat(buried()).hasSize(1));
        eventually(() -> assertThat(stage.times("better")).isEqualTo(1));
        assertThat(stage.times("good")).isEqualTo(1);
        assertThat(stage.times("poison")).isZero();
        var letter = buried().get(0);
        assertThat(letter.envelope().payload().path("thing").asText()).isEqualTo("poison");
        assertThat(letter.headers())
                .containsEntry("slipway-dead-letter-reason", "java.lang.IllegalStateException: it is rotten")
                .containsEntry("slipway-dead-letter-consumer", "c-" + topic)
                .containsEntry("slipway-dead-letter-topic", topic)
                .containsEntry("slipway-dead-letter-position", "0/1")
                .containsEntry("ce_id", "1")
                .doesNotContainKey("authorization");
        assertThat(letter.headers().toString()).doesNotContain("secret");
    }

    @Test
    void effect_isApplied_whenMalformedRecordsLieBetween() {
        stage.send(topic, "not json".getBytes(StandardCharsets.UTF_8), Map.of("authorization", "Bearer secret"));
        stage.send(topic, new byte[0], Map.of());
        stage.send(topic, "good");

        start(InboxConsumerTest::counting);

        eventually(() -> assertThat(stage.times("good")).isEqualTo(1));
        assertThat(buried()).hasSize(2).allSatisfy(letter -> {
            assertThat(letter.headers().get("slipway-dead-letter-reason")).contains("not an envelope");
            assertThat(letter.headers()).doesNotContainKey("authorization");
        });
        assertThat(buried().get(0).value()).isEqualTo("not json".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void effect_isBuried_whenItsStatementCanNeverWork() {
        stage.send(topic, "poison");
        stage.send(topic, "good");

        start((unit, record, event) -> event.payload().path("thing").asText().equals("poison")
                // A fault of ours, not an outage: it must not be tried for ever.
                ? unit.query("SELECT $1::uuid", Tuple.of("no uuid")).mapEmpty()
                : counting(unit, record, event));

        eventually(() -> assertThat(stage.times("good")).isEqualTo(1));
        assertThat(buried()).hasSize(1);
    }

    @Test
    void effect_isAppliedOnce_whenItsEventComesAgain() {
        var event = Stage.event("one");
        stage.send(topic, event);
        stage.send(topic, event);
        start(InboxConsumerTest::counting);
        eventually(() -> assertThat(stage.times("one")).isEqualTo(1));

        stage.send(topic, event);
        stage.send(topic, "after");

        eventually(() -> assertThat(stage.times("after")).isEqualTo(1));
        assertThat(stage.times("one")).isEqualTo(1);
    }

    /** While a breaking change is under way a fact is told in both versions, under one id: it counts once for who knows either, or both. */
    @Test
    @Proves("C.16")
    void fact_hasOneEffect_inWhicheverVersionItIsTold_andOneThatFitsNeitherIsPutAside() {
        var old = Stage.event("both");
        stage.send(topic, old);
        stage.send(topic, inItsSecondVersion(old));
        stage.send(topic, Stage.event("old"));
        stage.send(topic, inItsSecondVersion(Stage.event("new")));
        stage.send(topic, new Envelope(Ids.next(), "test.thing", Instant.EPOCH, 3, "c", Json.object()));
        stage.send(topic, Stage.event("after"));

        start((unit, record, event) -> {
            var name = event.version() == 1
                    ? event.payload().path("thing").asText()
                    : event.payload().at("/thing/name").asText();
            count(unit, name);
            return event.version() < 3
                    ? Future.succeededFuture()
                    : Future.failedFuture(new IllegalArgumentException("version 3 is not known here"));
        });

        eventually(() -> assertThat(stage.times("after")).isEqualTo(1));
        assertThat(List.of(stage.times("both"), stage.times("old"), stage.times("new")))
                .containsOnly(1);
        assertThat(buried()).singleElement().satisfies(letter -> assertThat(
                        letter.headers().get("slipway-dead-letter-reason"))
                .contains("version 3"));
    }

    private static Envelope inItsSecondVersion(Envelope event) {
        var payload = Json.object();
        payload.putObject("thing").put("name", event.payload().path("thing").asText());
        return new Envelope(event.eventId(), event.eventType(), event.occurredAt(), 2, event.correlationId(), payload);
    }

    @Test
    void effect_isAppliedOnce_whenItFailedAFewTimesBefore() {
        var failures = new AtomicInteger(3);
        stage.send(topic, "late");

        start((unit, record, event) -> {
            count(unit, "late");
            return failures.getAndDecrement() > 0
                    ? Future.failedFuture(new IllegalStateException("not yet"))
                    : Future.succeededFuture();
        });

        eventually(() -> assertThat(stage.times("late")).isEqualTo(1));
        assertThat(buried()).isEmpty();
    }

    @Test
    void effect_waits_whenTheDatabaseBreaksOffItsConnection() {
        assertWaits(unit -> unit.query("SELECT pg_terminate_backend(pg_backend_pid())", Tuple.tuple())
                .mapEmpty());
    }

    @Test
    void effect_waits_whenSomethingItNeedsIsNotReached() {
        assertWaits(unit -> Future.failedFuture(new ConnectException("Connection refused")));
    }

    @Test
    void effect_waits_whenSomethingItNeedsIsNotReady() {
        assertWaits(unit -> Future.failedFuture(new NotReadyException("permissions are stale")));
    }

    @Test
    void effect_announcesForTheReasonOfItsEvent() {
        stage.send(topic, "a");
        stage.send(topic, "b");

        start((unit, record, event) -> {
            unit.announce("elsewhere", event.payload().path("thing").asText(), "test.thing", Json.object());
            return Future.succeededFuture();
        });

        eventually(() -> assertThat(stage.database.query(
                        "SELECT string_agg(key || '=' || correlation_id, ',' ORDER BY seq) FROM outbox"))
                .isEqualTo("a=c-a,b=c-b"));
    }

    @Test
    void batchEffect_isAppliedToTheOthers_whenOneOfThemCannotBe() {
        stage.send(topic, "good");
        stage.send(topic, "poison");
        stage.send(topic, "better");

        startBatches((unit, events) -> {
            events.forEach(e -> count(unit, e.envelope().payload().path("thing").asText()));
            return events.stream().anyMatch(e -> e.envelope()
                            .payload()
                            .path("thing")
                            .asText()
                            .equals("poison"))
                    ? Future.failedFuture(new IllegalStateException("rotten"))
                    : Future.succeededFuture();
        });

        eventually(() -> assertThat(stage.times("better")).isEqualTo(1));
        assertThat(stage.times("good")).isEqualTo(1);
        assertThat(stage.times("poison")).isZero();
        assertThat(buried()).hasSize(1);
    }

    @Test
    void batchEffect_waits_whenTheDatabaseBreaksOffItsConnection() {
        var outages = new AtomicInteger(LONG_OUTAGE);
        stage.send(topic, "a");
        stage.send(topic, "b");

        startBatches((unit, events) -> {
            events.forEach(e -> count(unit, e.envelope().payload().path("thing").asText()));
            return outages.getAndDecrement() > 0
                    ? unit.query("SELECT pg_terminate_backend(pg_backend_pid())", Tuple.tuple())
                            .mapEmpty()
                    : Future.succeededFuture();
        });

        eventually(() -> assertThat(stage.times("b")).isEqualTo(1));
        assertThat(stage.times("a")).isEqualTo(1);
        assertThat(buried()).isEmpty();
    }

    @Test
    void replay_hasALetterApplied_onceItsReasonIsGone() {
        var broken = new AtomicBoolean(true);
        stage.send(topic, "a");
        stage.send(topic, "b");
        start((unit, record, event) -> {
            count(unit, event.payload().path("thing").asText());
            return broken.get() && event.payload().path("thing").asText().equals("b")
                    ? Future.failedFuture(new IllegalStateException("a bug"))
                    : Future.succeededFuture();
        });
        var letters = new DeadLetters(stage.kafka);
        eventually(() -> assertThat(letters.list(topic)).hasSize(1));
        var letter = letters.list(topic).get(0);
        assertThat(letter.topic()).isEqualTo(topic);
        assertThat(letter.position()).isEqualTo("0/0");
        assertThat(letter.key()).isEqualTo("key");
        assertThat(letter.consumer()).isEqualTo("c-" + topic);
        assertThat(letter.reason()).contains("a bug");
        assertThat(letters.replay(topic, "0/7")).isFalse();

        broken.set(false);
        assertThat(letters.replay(topic, letter.position())).isTrue();

        eventually(() -> assertThat(stage.times("b")).isEqualTo(1));
        assertThat(stage.times("a")).isEqualTo(1);
        var replayed = stage.read(topic).get(2);
        assertThat(replayed.headers().keySet()).noneMatch(name -> name.startsWith("slipway-dead-letter"));
    }

    @Test
    void recordLoop_hasABatchHandledAgain_whenItsHandlerFailed() {
        var calls = new AtomicInteger();
        consumer = new InboxConsumer(
                stage.vertx,
                stage.kafka,
                "unused",
                List.of(topic),
                stage.outbox(() -> {}),
                stage.traces(),
                deadLetters,
                stage.metrics(),
                Duration.ZERO,
                (u, e) -> null);
        var loop = new RecordLoop(stage.vertx, stage.kafka, "loop-" + topic, List.of(topic), 10, batch -> {
            if (calls.incrementAndGet() < 3) {
                return Future.failedFuture(new IllegalStateException("could not even bury it"));
            }
            return stage.outbox(() -> {}).transaction(Stage.because("c"), unit -> {
                batch.forEach(record ->
                        count(unit, record.envelope().payload().path("thing").asText()));
                return Future.succeededFuture();
            });
        });
        stage.send(topic, "a");
        stage.send(topic, "b");

        await(loop.start());

        eventually(() -> assertThat(stage.times("b")).isEqualTo(1));
        assertThat(stage.times("a")).isEqualTo(1);
        await(loop.stop());
    }

    private void assertWaits(java.util.function.Function<UnitOfWork, Future<Void>> outage) {
        var outages = new AtomicInteger(LONG_OUTAGE);
        stage.send(topic, "patient");

        start((unit, record, event) -> {
            count(unit, "patient");
            return outages.getAndDecrement() > 0 ? outage.apply(unit) : Future.succeededFuture();
        });

        eventually(() -> assertThat(stage.times("patient")).isEqualTo(1));
        assertThat(outages.get()).isNegative();
        assertThat(buried()).isEmpty();
    }

    private static Future<Void> counting(UnitOfWork unit, Incoming record, Envelope event) {
        count(unit, event.payload().path("thing").asText());
        return Future.succeededFuture();
    }

    private static void count(UnitOfWork unit, String thing) {
        unit.write(COUNT, Tuple.of(thing));
    }

    private void start(Effect effect) {
        consumer = new InboxConsumer(
                stage.vertx,
                stage.kafka,
                "c-" + topic,
                List.of(topic),
                stage.outbox(() -> {}),
                stage.traces(),
                deadLetters,
                stage.metrics(),
                effect);
        await(consumer.start());
    }

    private void startBatches(BatchEffect effect) {
        consumer = new InboxConsumer(
                stage.vertx,
                stage.kafka,
                "c-" + topic,
                List.of(topic),
                stage.outbox(() -> {}),
                stage.traces(),
                deadLetters,
                stage.metrics(),
                Duration.ofMillis(100),
                effect);
        await(consumer.start());
    }

    private List<Incoming> buried() {
        return stage.read(Topics.deadLetters(topic));
    }
}

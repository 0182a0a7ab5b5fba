package dev.slipway.messaging;

import dev.slipway.contract.Envelope;
import dev.slipway.messaging.Failures.NotReadyException;
import dev.slipway.messaging.InboxConsumer.EventBatchHandler;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import org.junit.jupiter.api.Test;

import java.net.ConnectException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import static dev.slipway.messaging.MessagingFixture.await;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests retries, dead letters and their replay. */
class InboxConsumerFailuresTest extends InboxConsumerTestBase {
    /** More attempts than a permanent failure gets. */
    private static final int LONG_OUTAGE = 8;

    @Test
    void handler_isAppliedToOtherEvents_whenOneFails() {
        fixture.send(topic, "good");
        fixture.send(
                topic,
                MessagingFixture.event("poison").toBytes(),
                Map.of("authorization", "Bearer secret", "ce_id", "1"));
        fixture.send(topic, "better");

        start((unit, record, event) -> {
            count(unit, event.payload().path("thing").asText());
            return event.payload().path("thing").asText().equals("poison")
                    ? Future.failedFuture(new IllegalStateException("cannot apply"))
                    : Future.succeededFuture();
        });

        eventually(() -> assertThat(deadLetterRecords()).hasSize(1));
        eventually(() -> assertThat(fixture.countApplications("better")).isEqualTo(1));
        assertThat(fixture.countApplications("good")).isEqualTo(1);
        assertThat(fixture.countApplications("poison")).isZero();
        var letter = deadLetterRecords().get(0);
        assertThat(letter.envelope().payload().path("thing").asText()).isEqualTo("poison");
        assertThat(letter.headers())
                .containsEntry("slipway-dead-letter-reason", "java.lang.IllegalStateException: cannot apply")
                .containsEntry("slipway-dead-letter-consumer", "c-" + topic)
                .containsEntry("slipway-dead-letter-topic", topic)
                .containsEntry("slipway-dead-letter-position", "0/1")
                .containsEntry("ce_id", "1")
                .doesNotContainKey("authorization");
        assertThat(letter.headers().toString()).doesNotContain("secret");
    }

    @Test
    void handler_isAppliedToOtherEvents_whenRecordsAreMalformed() {
        fixture.send(topic, "not json".getBytes(StandardCharsets.UTF_8), Map.of("authorization", "Bearer secret"));
        fixture.send(topic, new byte[0], Map.of());
        fixture.send(topic, "good");

        start(InboxConsumerTestBase::applyOnce);

        eventually(() -> assertThat(fixture.countApplications("good")).isEqualTo(1));
        assertThat(deadLetterRecords()).hasSize(2).allSatisfy(letter -> {
            assertThat(letter.headers().get("slipway-dead-letter-reason")).contains("not an envelope");
            assertThat(letter.headers()).doesNotContainKey("authorization");
        });
        assertThat(deadLetterRecords().get(0).value()).isEqualTo("not json".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void event_isSentToDeadLetterTopic_whenStatementIsInvalid() {
        fixture.send(topic, "poison");
        fixture.send(topic, "good");

        start((unit, record, event) -> event.payload().path("thing").asText().equals("poison")
                // A programming error, not an outage: it must not be retried forever.
                ? unit.query("SELECT $1::uuid", Tuple.of("no uuid")).mapEmpty()
                : applyOnce(unit, record, event));

        eventually(() -> assertThat(fixture.countApplications("good")).isEqualTo(1));
        assertThat(deadLetterRecords()).hasSize(1);
    }

    @Test
    void handler_isRetried_whenDatabaseClosesConnection() {
        assertRetried(unit -> unit.query("SELECT pg_terminate_backend(pg_backend_pid())", Tuple.tuple())
                .mapEmpty());
    }

    @Test
    void handler_isRetried_whenDependencyIsUnavailable() {
        assertRetried(unit -> Future.failedFuture(new ConnectException("Connection refused")));
    }

    @Test
    void handler_isRetried_whenRequiredDataIsStale() {
        assertRetried(unit -> Future.failedFuture(new NotReadyException("permissions are stale")));
    }

    @Test
    void batchHandler_isAppliedToOtherEvents_whenOneFails() {
        fixture.send(topic, "good");
        fixture.send(topic, "poison");
        fixture.send(topic, "better");

        startBatches((unit, events) -> {
            events.forEach(e -> count(unit, e.envelope().payload().path("thing").asText()));
            return events.stream().anyMatch(e -> e.envelope()
                            .payload()
                            .path("thing")
                            .asText()
                            .equals("poison"))
                    ? Future.failedFuture(new IllegalStateException("cannot apply"))
                    : Future.succeededFuture();
        });

        eventually(() -> assertThat(fixture.countApplications("better")).isEqualTo(1));
        assertThat(fixture.countApplications("good")).isEqualTo(1);
        assertThat(fixture.countApplications("poison")).isZero();
        assertThat(deadLetterRecords()).hasSize(1);
    }

    @Test
    void batchHandler_isAppliedInFewTransactions_whenOneEventFails() {
        var calls = new AtomicInteger();
        var events = new ArrayList<Envelope>();
        for (var i = 0; i < 64; i++) {
            events.add(MessagingFixture.event(i == 40 ? "poison" : "e" + i));
        }
        events.forEach(event -> fixture.send(topic, event));

        startBatches((unit, batch) -> {
            calls.incrementAndGet();
            batch.forEach(e -> count(unit, e.envelope().payload().path("thing").asText()));
            return batch.stream().anyMatch(e -> e.envelope()
                            .payload()
                            .path("thing")
                            .asText()
                            .equals("poison"))
                    ? Future.failedFuture(new IllegalStateException("cannot apply"))
                    : Future.succeededFuture();
        });

        eventually(() -> assertThat(fixture.countApplications("e63")).isEqualTo(1));
        assertThat(fixture.countThings()).isEqualTo(63);
        assertThat(deadLetterRecords()).hasSize(1);
        assertThat(calls).as("bisected, not applied one by one").hasValueLessThan(40);
    }

    @Test
    void batchHandler_isRetried_whenDatabaseClosesConnection() {
        var outages = new AtomicInteger(LONG_OUTAGE);
        fixture.send(topic, "a");
        fixture.send(topic, "b");

        startBatches((unit, events) -> {
            events.forEach(e -> count(unit, e.envelope().payload().path("thing").asText()));
            return outages.getAndDecrement() > 0
                    ? unit.query("SELECT pg_terminate_backend(pg_backend_pid())", Tuple.tuple())
                            .mapEmpty()
                    : Future.succeededFuture();
        });

        eventually(() -> assertThat(fixture.countApplications("b")).isEqualTo(1));
        assertThat(fixture.countApplications("a")).isEqualTo(1);
        assertThat(deadLetterRecords()).isEmpty();
    }

    @Test
    void replay_appliesDeadLetter_whenCauseIsFixed() {
        var broken = new AtomicBoolean(true);
        fixture.send(topic, "a");
        fixture.send(topic, "b");
        start((unit, record, event) -> {
            count(unit, event.payload().path("thing").asText());
            return broken.get() && event.payload().path("thing").asText().equals("b")
                    ? Future.failedFuture(new IllegalStateException("a bug"))
                    : Future.succeededFuture();
        });
        var letters = new DeadLetterClient(fixture.kafka);
        eventually(() -> assertThat(letters.list(topic)).hasSize(1));
        var deadLetter = letters.list(topic).get(0);
        assertThat(deadLetter.topic()).isEqualTo(topic);
        assertThat(deadLetter.position()).isEqualTo("0/0");
        assertThat(deadLetter.key()).isEqualTo("key");
        assertThat(deadLetter.consumer()).isEqualTo("c-" + topic);
        assertThat(deadLetter.reason()).contains("a bug");
        assertThat(letters.replay(topic, "0/7")).isFalse();

        broken.set(false);
        assertThat(letters.replay(topic, deadLetter.position())).isTrue();

        eventually(() -> assertThat(fixture.countApplications("b")).isEqualTo(1));
        assertThat(fixture.countApplications("a")).isEqualTo(1);
        var replayed = fixture.read(topic).get(2);
        assertThat(replayed.headers().keySet()).noneMatch(name -> name.startsWith("slipway-dead-letter"));
    }

    @Test
    void pollLoop_deliversBatchAgain_whenHandlerFails() {
        var calls = new AtomicInteger();
        consumer = consumer(topic, (unit, record, event) -> Future.succeededFuture()); // only stopped, after the test
        var loop = new PollLoop(fixture.vertx, fixture.kafka, "loop-" + topic, List.of(topic), 10, batch -> {
            if (calls.incrementAndGet() < 3) {
                return Future.failedFuture(new IllegalStateException("the dead-letter topic is unavailable"));
            }
            return fixture.outbox(() -> {}).transaction(MessagingFixture.changeContext("c"), unit -> {
                batch.forEach(record ->
                        count(unit, record.envelope().payload().path("thing").asText()));
                return Future.succeededFuture();
            });
        });
        fixture.send(topic, "a");
        fixture.send(topic, "b");

        await(loop.start());

        eventually(() -> assertThat(fixture.countApplications("b")).isEqualTo(1));
        assertThat(fixture.countApplications("a")).isEqualTo(1);
        await(loop.stop());
    }

    private void assertRetried(java.util.function.Function<UnitOfWork, Future<Void>> outage) {
        var outages = new AtomicInteger(LONG_OUTAGE);
        fixture.send(topic, "retried");

        start((unit, record, event) -> {
            count(unit, "retried");
            return outages.getAndDecrement() > 0 ? outage.apply(unit) : Future.succeededFuture();
        });

        eventually(() -> assertThat(fixture.countApplications("retried")).isEqualTo(1));
        assertThat(outages.get()).isNegative();
        assertThat(deadLetterRecords()).isEmpty();
    }

    private void startBatches(EventBatchHandler effect) {
        start(Delivery.ofBatches(Duration.ofMillis(100), effect));
    }
}

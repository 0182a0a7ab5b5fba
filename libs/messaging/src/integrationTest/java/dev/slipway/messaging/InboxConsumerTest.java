package dev.slipway.messaging;

import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.testkit.Proves;
import io.vertx.core.Future;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import static dev.slipway.messaging.MessagingFixture.await;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests that each event is applied once. */
class InboxConsumerTest extends InboxConsumerTestBase {
    @Test
    void handler_isAppliedOnce_whenEventIsDeliveredAgain() {
        var event = MessagingFixture.event("one");
        fixture.send(topic, event);
        fixture.send(topic, event);
        start(InboxConsumerTestBase::applyOnce);
        eventually(() -> assertThat(fixture.countApplications("one")).isEqualTo(1));

        fixture.send(topic, event);
        fixture.send(topic, "after");

        eventually(() -> assertThat(fixture.countApplications("after")).isEqualTo(1));
        assertThat(fixture.countApplications("one")).isEqualTo(1);
    }

    /** During a breaking change an event is published in both versions with one id. It must be applied once, whichever versions are known. */
    @Test
    @Proves("C.16")
    void event_isAppliedOnce_whenPublishedInTwoVersions_andDeadLettered_whenVersionIsUnknown() {
        var old = MessagingFixture.event("both");
        fixture.send(topic, old);
        fixture.send(topic, toSecondVersion(old));
        fixture.send(topic, MessagingFixture.event("old"));
        fixture.send(topic, toSecondVersion(MessagingFixture.event("new")));
        fixture.send(topic, new Envelope(Ids.next(), "test.thing", Instant.EPOCH, 3, "c", Json.object()));
        fixture.send(topic, MessagingFixture.event("after"));

        start((unit, record, event) -> {
            var name = event.version() == 1
                    ? event.payload().path("thing").asText()
                    : event.payload().at("/thing/name").asText();
            count(unit, name);
            return event.version() < 3
                    ? Future.succeededFuture()
                    : Future.failedFuture(new IllegalArgumentException("version 3 is not known here"));
        });

        eventually(() -> assertThat(fixture.countApplications("after")).isEqualTo(1));
        assertThat(List.of(
                        fixture.countApplications("both"),
                        fixture.countApplications("old"),
                        fixture.countApplications("new")))
                .containsOnly(1);
        assertThat(deadLetterRecords()).singleElement().satisfies(letter -> assertThat(
                        letter.headers().get("slipway-dead-letter-reason"))
                .contains("version 3"));
    }

    private static Envelope toSecondVersion(Envelope event) {
        var payload = Json.object();
        payload.putObject("thing").put("name", event.payload().path("thing").asText());
        return new Envelope(event.eventId(), event.eventType(), event.occurredAt(), 2, event.correlationId(), payload);
    }

    @Test
    void handler_isAppliedOnce_whenItFailedAFewTimes() {
        var failures = new AtomicInteger(3);
        fixture.send(topic, "late");

        start((unit, record, event) -> {
            count(unit, "late");
            return failures.getAndDecrement() > 0
                    ? Future.failedFuture(new IllegalStateException("not yet"))
                    : Future.succeededFuture();
        });

        eventually(() -> assertThat(fixture.countApplications("late")).isEqualTo(1));
        assertThat(deadLetterRecords()).isEmpty();
    }

    @Test
    void handler_publishesWithCorrelationIdOfItsEvent() {
        fixture.send(topic, "a");
        fixture.send(topic, "b");

        start((unit, record, event) -> {
            unit.publish("elsewhere", event.payload().path("thing").asText(), "test.thing", Json.object());
            return Future.succeededFuture();
        });

        eventually(() -> assertThat(fixture.database.query(
                        "SELECT string_agg(key || '=' || correlation_id, ',' ORDER BY seq) FROM outbox"))
                .isEqualTo("a=c-a,b=c-b"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void handler_skipsHeartbeatsOfStateTopics_unlessItAppliesThem(boolean appliesThem) {
        var state = fixture.createTopic(".state");
        fixture.sendWithKey(state, Topics.HEARTBEAT_KEY, MessagingFixture.event("heartbeat"));
        fixture.sendWithKey(state, "key", MessagingFixture.event("snapshot"));
        consumer = consumer(state, InboxConsumerTestBase::applyOnce);
        if (appliesThem) {
            consumer.applyHeartbeats();
        }

        await(consumer.start());

        eventually(() -> assertThat(fixture.countApplications("snapshot")).isEqualTo(1));
        assertThat(fixture.countApplications("heartbeat")).isEqualTo(appliesThem ? 1 : 0);
        fixture.sendWithKey(state, Topics.HEARTBEAT_KEY, MessagingFixture.event("next heartbeat"));
        eventually(() -> assertThat(consumer.appliedOffset(new TopicPartition(fixture.kafka.topic(state), 0)))
                .isEqualTo(3));
        assertThat(fixture.countApplications("next heartbeat")).isEqualTo(appliesThem ? 1 : 0);
    }

    /** Kafka allows null header values. */
    @Test
    void handler_isApplied_whenHeaderHasNoValue() {
        fixture.sendWithNullHeader(topic, MessagingFixture.event("good"));

        start(InboxConsumerTestBase::applyOnce);

        eventually(() -> assertThat(fixture.countApplications("good")).isEqualTo(1));
    }
}

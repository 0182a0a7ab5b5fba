package dev.slipway.messaging;

import dev.slipway.contract.Envelope;
import dev.slipway.messaging.InboxConsumer.EventHandler;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

import java.util.List;

import static dev.slipway.messaging.MessagingFixture.await;

/** Starts consumers of one topic that count the events they apply. */
abstract class InboxConsumerTestBase {
    private static final String COUNT = """
            INSERT INTO things (name, times) VALUES ($1, 1) ON CONFLICT (name) DO UPDATE SET times = things.times + 1
            """;
    static MessagingFixture fixture;
    static KafkaSender deadLetters;

    final String topic = fixture.createTopic();
    InboxConsumer consumer;

    @BeforeAll
    static void open() {
        fixture = new MessagingFixture();
        deadLetters = new KafkaSender(fixture.vertx, fixture.kafka);
    }

    @AfterAll
    static void close() {
        await(deadLetters.close());
        fixture.close();
    }

    @AfterEach
    void stop() {
        await(consumer.stop());
        fixture.database.execute("TRUNCATE things, outbox, inbox");
    }

    static Future<Void> applyOnce(UnitOfWork unit, ReceivedRecord record, Envelope event) {
        count(unit, event.payload().path("thing").asText());
        return Future.succeededFuture();
    }

    static void count(UnitOfWork unit, String thing) {
        unit.write(COUNT, Tuple.of(thing));
    }

    void start(EventHandler eventHandler) {
        start(Delivery.ofEvents(eventHandler));
    }

    void start(Delivery delivery) {
        consumer = consumer(topic, delivery);
        await(consumer.start());
    }

    static InboxConsumer consumer(String topic, EventHandler eventHandler) {
        return consumer(topic, Delivery.ofEvents(eventHandler));
    }

    static InboxConsumer consumer(String topic, Delivery delivery) {
        return new InboxConsumer(
                fixture.vertx,
                fixture.kafka,
                "c-" + topic,
                List.of(topic),
                fixture.outbox(() -> {}),
                fixture.traces(),
                deadLetters,
                fixture.metrics(),
                delivery);
    }

    List<ReceivedRecord> deadLetterRecords() {
        return fixture.read(Topics.deadLetters(topic));
    }
}

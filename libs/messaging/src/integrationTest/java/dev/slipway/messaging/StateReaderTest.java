package dev.slipway.messaging;

import io.vertx.core.Context;
import io.vertx.core.Promise;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import static dev.slipway.messaging.MessagingFixture.await;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

class StateReaderTest {
    private static MessagingFixture fixture;

    private final String topic = fixture.createTopic();
    private final List<String> model = new CopyOnWriteArrayList<>();
    private StateReader reader;

    @BeforeAll
    static void open() {
        fixture = new MessagingFixture();
    }

    @AfterAll
    static void close() {
        fixture.close();
    }

    @AfterEach
    void stop() {
        await(reader.stop());
    }

    @Test
    void start_completes_whenTopicIsEmpty() {
        reader = new StateReader(fixture.vertx, fixture.kafka, topic, this::add);

        await(reader.start());

        assertThat(model).isEmpty();
    }

    @Test
    void start_completes_whenModelHasAllRecords_andFollowsTopic() {
        for (var i = 0; i < 50; i++) {
            fixture.send(topic, "t" + i);
        }
        reader = new StateReader(fixture.vertx, fixture.kafka, topic, this::add);

        await(reader.start());

        assertThat(model).hasSize(50).startsWith("t0", "t1").endsWith("t49");
        fixture.send(topic, null, Map.of()); // a tombstone
        fixture.send(topic, "later");
        eventually(() -> assertThat(model).hasSize(51).endsWith("later"));
    }

    /** A model that skipped a valid record would be wrong although it looks current. */
    @Test
    void reader_retriesRecord_whenModelFails() {
        var failures = new AtomicInteger(2);
        fixture.send(topic, "a");
        fixture.send(topic, "revocation");
        fixture.send(topic, "b");
        reader = new StateReader(fixture.vertx, fixture.kafka, topic, record -> {
            if (thing(record).equals("revocation") && failures.getAndDecrement() > 0) {
                throw new IllegalArgumentException("cannot read it");
            }
            add(record);
        });

        await(reader.start());

        assertThat(model).containsExactly("a", "revocation", "b");
    }

    @Test
    void reader_skipsRecord_whenMalformed() {
        fixture.send(topic, "a");
        fixture.send(topic, "not json".getBytes(StandardCharsets.UTF_8), Map.of());
        fixture.send(topic, "b");
        reader = new StateReader(fixture.vertx, fixture.kafka, topic, this::add);

        await(reader.start());

        assertThat(model).containsExactly("a", "b");
    }

    /** The consumer is created on a worker thread, but the model must not be called there. */
    @Test
    void model_isCalledOnEventLoopThatStartedReader() {
        fixture.send(topic, "a");
        var context = fixture.vertx.getOrCreateContext();
        var threads = new CopyOnWriteArrayList<Boolean>();
        var started = Promise.<Void>promise();
        context.runOnContext(ignored -> {
            reader = new StateReader(
                    fixture.vertx, fixture.kafka, topic, record -> threads.add(Context.isOnEventLoopThread()));
            reader.start().onComplete(started);
        });

        await(started.future());

        assertThat(threads).containsExactly(true);
    }

    private void add(ReceivedRecord record) {
        model.add(thing(record));
    }

    private static String thing(ReceivedRecord record) {
        return record.envelope().payload().path("thing").asText();
    }
}

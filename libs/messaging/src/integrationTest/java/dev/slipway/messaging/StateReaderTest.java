package dev.slipway.messaging;

import io.vertx.core.Context;
import io.vertx.core.Promise;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import static dev.slipway.messaging.Stage.await;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

class StateReaderTest {
    private static Stage stage;

    private final String topic = stage.topic();
    private final List<String> model = new CopyOnWriteArrayList<>();
    private StateReader reader;

    @BeforeAll
    static void open() {
        stage = new Stage();
    }

    @AfterAll
    static void close() {
        stage.close();
    }

    @AfterEach
    void stop() {
        await(reader.stop());
    }

    @Test
    void start_isDone_whenTheTopicIsEmpty() {
        reader = new StateReader(stage.vertx, stage.kafka, topic, this::keep);

        await(reader.start());

        assertThat(model).isEmpty();
    }

    @Test
    void start_isDone_whenTheModelHasAllThatWasThere_andFollowsThen() {
        for (var i = 0; i < 50; i++) {
            stage.send(topic, "t" + i);
        }
        reader = new StateReader(stage.vertx, stage.kafka, topic, this::keep);

        await(reader.start());

        assertThat(model).hasSize(50).startsWith("t0", "t1").endsWith("t49");
        stage.send(topic, null, Map.of()); // a tombstone
        stage.send(topic, "later");
        eventually(() -> assertThat(model).hasSize(51).endsWith("later"));
    }

    /** A model that passed over a record would be wrong and look fresh: it has to stand still instead. */
    @Test
    void reader_passesOverNothing_whenTheModelCannotTakeARecord() {
        var failures = new AtomicInteger(2);
        stage.send(topic, "a");
        stage.send(topic, "revocation");
        stage.send(topic, "b");
        reader = new StateReader(stage.vertx, stage.kafka, topic, record -> {
            if (thing(record).equals("revocation") && failures.getAndDecrement() > 0) {
                throw new IllegalArgumentException("cannot read it");
            }
            keep(record);
        });

        await(reader.start());

        assertThat(model).containsExactly("a", "revocation", "b");
    }

    /** Though its consumer is made by a worker. */
    @Test
    void model_isToldOnTheEventLoop_ofWhoeverStartedTheReader() {
        stage.send(topic, "a");
        var context = stage.vertx.getOrCreateContext();
        var threads = new CopyOnWriteArrayList<Boolean>();
        var started = Promise.<Void>promise();
        context.runOnContext(ignored -> {
            reader = new StateReader(
                    stage.vertx, stage.kafka, topic, record -> threads.add(Context.isOnEventLoopThread()));
            reader.start().onComplete(started);
        });

        await(started.future());

        assertThat(threads).containsExactly(true);
    }

    private void keep(Incoming record) {
        model.add(thing(record));
    }

    private static String thing(Incoming record) {
        return record.envelope().payload().path("thing").asText();
    }
}

package dev.slipway.authz;

import dev.slipway.authz.testing.LargeAuthzDataset;
import dev.slipway.messaging.KafkaSender;
import dev.slipway.messaging.KafkaSender.OutgoingRecord;
import dev.slipway.messaging.KafkaSettings;
import dev.slipway.messaging.RecordKeys;
import dev.slipway.messaging.StateReader;
import dev.slipway.messaging.Topics;
import dev.slipway.testkit.TemporaryDirectory;
import dev.slipway.testkit.TestInfrastructure;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/** The build limits the heap of this test to 512 MB, which must be enough for the model, Kafka's clients and the test. */
class AuthzModelSoakTest {
    private static final int BATCH = 2_000;

    private final Vertx vertx = Vertx.vertx();
    private final KafkaSettings kafka = new KafkaSettings(
            TestInfrastructure.shared().kafkaBootstrap(),
            "many" + UUID.randomUUID().toString().substring(0, 8) + ".",
            1,
            (short) 1,
            Map.of(),
            Map.of(),
            RecordKeys.open(TemporaryDirectory.named("record-keys").path(), List.of("iam")));

    @AfterEach
    void close() {
        await(vertx.close());
    }

    @Test
    void model_isRebuiltFromKafka_withAMillionBindings() {
        await(Topics.createMissing(vertx, kafka));
        publish();
        var model = new AuthzModel();
        var reader = new StateReader(vertx, kafka, Topics.AUTHZ_STATE, model::apply);

        var started = System.nanoTime();
        await(reader.start());
        var seconds = (System.nanoTime() - started) / 1e9;

        System.gc();
        var runtime = Runtime.getRuntime();
        System.out.printf(
                "%,d bindings of %,d tenants: rebuilt from Kafka in %.1f s, %d MiB of heap used of %d%n",
                LargeAuthzDataset.USERS * LargeAuthzDataset.BINDINGS_PER_USER,
                LargeAuthzDataset.TENANTS,
                seconds,
                (runtime.totalMemory() - runtime.freeMemory()) >> 20,
                runtime.maxMemory() >> 20);
        assertThat(model.revision()).isEqualTo(1);
        assertThat(model.listBindings(LargeAuthzDataset.user(LargeAuthzDataset.USERS - 1)))
                .hasSize(LargeAuthzDataset.BINDINGS_PER_USER);
        var authorizer = new Authorizer(model);
        var allowed = 0;
        for (var authzQuery : LargeAuthzDataset.questions(4_000)) {
            if (authorizer
                    .decide(authzQuery.principal(), LargeAuthzDataset.ACTION, authzQuery.target(), Instant.now())
                    .allowed()) {
                allowed++;
            }
        }
        assertThat(allowed).isEqualTo(2_000);
        await(reader.stop());
    }

    private void publish() {
        var sender = new KafkaSender(vertx, kafka);
        var batch = new ArrayList<OutgoingRecord>(BATCH);
        LargeAuthzDataset.publish((key, event) -> {
            batch.add(new OutgoingRecord(Topics.AUTHZ_STATE, key, event.toBytes(), Map.of()));
            if (batch.size() == BATCH) {
                await(sender.send(new ArrayList<>(batch)));
                batch.clear();
            }
        });
        await(sender.send(batch));
        await(sender.close());
    }

    private static <T> void await(Future<T> future) {
        try {
            future.toCompletionStage().toCompletableFuture().get(10, TimeUnit.MINUTES);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}

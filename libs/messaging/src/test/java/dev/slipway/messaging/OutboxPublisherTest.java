package dev.slipway.messaging;

import dev.slipway.telemetry.Traces;
import io.opentelemetry.api.OpenTelemetry;
import io.vertx.core.Vertx;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

class OutboxPublisherTest {
    private static final OutboxRow ROW = new OutboxRow(
            1, new UUID(0, 1), "test.event", "test.events", "key", Instant.EPOCH, "c", null, new byte[] {1});

    private final Vertx vertx = Vertx.vertx();

    @AfterEach
    void closeVertx() throws Exception {
        vertx.close().toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }

    @Test
    void publish_failsAndCanBeRepeated_whenTheBrokerDoesNotAcknowledge() throws Exception {
        var unreachable = new KafkaSettings("127.0.0.1:9", "", 1, (short) 1, Map.of());
        var publisher = new OutboxPublisher(
                vertx, unreachable, new Traces(OpenTelemetry.noop()), "test", Duration.ofMillis(200));

        for (var attempt = 0; attempt < 2; attempt++) {
            var result = publisher.publish(List.of(ROW)).toCompletionStage().toCompletableFuture();
            assertThatThrownBy(() -> result.get(60, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .rootCause()
                    .hasMessageContaining("close");
        }
        publisher.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }
}

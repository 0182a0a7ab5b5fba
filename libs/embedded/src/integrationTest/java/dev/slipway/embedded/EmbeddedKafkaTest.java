package dev.slipway.embedded;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

class EmbeddedKafkaTest {
    @TempDir
    Path directory;

    @Test
    void start_keepsTopicsRecordsAndPort_whenRestarted() throws Exception {
        // Given
        int port;
        try (var kafka = EmbeddedKafka.start(directory, 0)) {
            port = Integer.parseInt(kafka.bootstrap().substring("127.0.0.1:".length()));
            TestClients.createTopic(kafka.bootstrap(), "kept");
            TestClients.produce(kafka.bootstrap(), "kept", "before the restart");
        }

        // When
        try (var kafka = EmbeddedKafka.start(directory, port)) {

            // Then
            assertThat(kafka.bootstrap()).isEqualTo("127.0.0.1:" + port);
            assertThat(TestClients.consume(kafka.bootstrap(), "kept")).isEqualTo("before the restart");
        }
    }

    @Test
    void start_reportsPort_whenInUse() throws Exception {
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var refusal = catchThrowableOfType(
                    PortInUseException.class, () -> EmbeddedKafka.start(directory, taken.getLocalPort()));

            assertThat(refusal.port()).isEqualTo(taken.getLocalPort());
            assertThat(refusal.advice("SLIPWAY_KAFKA_PORT"))
                    .isEqualTo("port " + taken.getLocalPort()
                            + " is already in use; set SLIPWAY_KAFKA_PORT to another, or 0 for a free one");
        }
    }
}

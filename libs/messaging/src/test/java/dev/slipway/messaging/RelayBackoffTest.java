package dev.slipway.messaging;

import org.junit.jupiter.api.Test;

import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

class RelayBackoffTest {
    @Test
    void backoff_doubles_untilFiveSeconds() {
        assertThat(IntStream.rangeClosed(1, 8).mapToLong(Relay::backoffMs).toArray())
                .containsExactly(200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000);
    }
}

package dev.slipway.iam.revision;

import org.junit.jupiter.api.Test;

import java.time.Duration;

import static org.assertj.core.api.Assertions.assertThat;

class RevisionHeartbeatTest {
    @Test
    void interval_isAShareOfTheBudget_withinLimits() {
        assertThat(RevisionHeartbeat.interval(Duration.ofSeconds(6))).isEqualTo(Duration.ofSeconds(1));
        assertThat(RevisionHeartbeat.interval(Duration.ofSeconds(30))).isEqualTo(Duration.ofSeconds(5));
        assertThat(RevisionHeartbeat.interval(Duration.ofMinutes(5))).isEqualTo(Duration.ofSeconds(5));
        assertThat(RevisionHeartbeat.interval(Duration.ofNanos(1))).isEqualTo(Duration.ofMillis(100));
    }
}

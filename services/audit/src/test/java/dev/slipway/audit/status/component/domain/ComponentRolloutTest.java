package dev.slipway.audit.status.component.domain;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import static dev.slipway.audit.status.component.domain.RolloutStatus.DEGRADED;
import static dev.slipway.audit.status.component.domain.RolloutStatus.READY;
import static dev.slipway.audit.status.component.domain.RolloutStatus.UNAVAILABLE;
import static dev.slipway.audit.status.component.domain.RolloutStatus.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;

class ComponentRolloutTest {
    private static final Instant NOW = Instant.parse("2026-11-18T10:00:00Z");
    private static final Duration TIMEOUT = Duration.ofSeconds(90);

    @Test
    void ofComponent_isUnknown_withoutReports() {
        assertThat(of()).isEqualTo(UNKNOWN);
    }

    @Test
    void ofComponent_isUnknown_whenItsOnlyProcessIsSilent() {
        assertThat(of(reported(READY, 91))).isEqualTo(UNKNOWN);
        assertThat(of(reported(READY, 90))).isEqualTo(READY);
        assertThat(ComponentRollout.ofProcess(reported(READY, 91), NOW, TIMEOUT))
                .isEqualTo(UNKNOWN);
    }

    @Test
    void ofComponent_isDegraded_whenSomeProcessesDoNotServe() {
        assertThat(of(reported(READY, 1), reported(UNAVAILABLE, 1))).isEqualTo(DEGRADED);
        assertThat(of(reported(DEGRADED, 1))).isEqualTo(DEGRADED);
        assertThat(of(reported(READY, 1), reported(READY, 300))).isEqualTo(DEGRADED);
        assertThat(of(reported(UNAVAILABLE, 1), reported(READY, 300))).isEqualTo(UNAVAILABLE);
    }

    @Test
    void ofComponent_ignoresASilentProcess_whenALaterOneReplacedIt() {
        var crashed = new ProcessHealth(READY, NOW.minusSeconds(900), NOW.minusSeconds(300), false);
        var replacement = new ProcessHealth(READY, NOW.minusSeconds(200), NOW, false);
        assertThat(of(crashed, replacement)).isEqualTo(READY);
    }

    @Test
    void ofComponent_isUnavailable_whenAllProcessesStopped() {
        var stopped = new ProcessHealth(UNAVAILABLE, NOW.minusSeconds(900), NOW.minusSeconds(1), true);
        assertThat(of(stopped)).isEqualTo(UNAVAILABLE);
        assertThat(of(stopped, reported(READY, 1))).isEqualTo(READY);
    }

    @Test
    void worse_returnsTheWorseOne() {
        assertThat(READY.worse(DEGRADED)).isEqualTo(DEGRADED);
        assertThat(UNKNOWN.worse(UNAVAILABLE)).isEqualTo(UNKNOWN);
    }

    private static ProcessHealth reported(RolloutStatus status, long secondsAgo) {
        return new ProcessHealth(status, NOW.minusSeconds(1_000), NOW.minusSeconds(secondsAgo), false);
    }

    private static RolloutStatus of(ProcessHealth... processes) {
        return ComponentRollout.ofComponent(List.of(processes), NOW, TIMEOUT);
    }
}

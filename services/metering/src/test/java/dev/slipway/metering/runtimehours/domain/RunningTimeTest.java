package dev.slipway.metering.runtimehours.domain;

import dev.slipway.metering.runtimehours.domain.MeteredInstanceEvent.Kind;
import dev.slipway.metering.runtimehours.domain.RunningTime.Change;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import java.time.Instant;

import static org.assertj.core.api.Assertions.assertThat;

class RunningTimeTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final Instant LATER = START.plusSeconds(60);
    private static final MeterState STOPPED = new MeterState(3, null);
    private static final MeterState RUNNING = new MeterState(3, START);

    @ParameterizedTest
    @EnumSource
    void apply_ignoresEvent_whenItOrALaterOneWasApplied(Kind kind) {
        for (var sequence = 1; sequence <= 3; sequence++) {
            var event = new MeteredInstanceEvent(kind, sequence, LATER);
            assertThat(RunningTime.apply(STOPPED, event)).isEqualTo(new Change.AlreadyCounted());
            assertThat(RunningTime.apply(RUNNING, event)).isEqualTo(new Change.AlreadyCounted());
        }
    }

    @Test
    void apply_startsRun_whenStopped() {
        assertThat(RunningTime.apply(STOPPED, next(Kind.RUNNING))).isEqualTo(new Change.Started(LATER));
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "RUNNING")
    void apply_changesNothing_whenStopped(Kind kind) {
        assertThat(RunningTime.apply(STOPPED, next(kind))).isEqualTo(new Change.Unchanged());
    }

    @ParameterizedTest
    @EnumSource(names = {"FAILED", "DELETING", "DELETED"})
    void apply_stopsRun_whenRunning(Kind kind) {
        assertThat(RunningTime.apply(RUNNING, next(kind))).isEqualTo(new Change.Stopped(LATER));
    }

    @ParameterizedTest
    @EnumSource(names = {"REQUESTED", "DEPLOYING", "RUNNING"})
    void apply_changesNothing_whenRunning(Kind kind) {
        assertThat(RunningTime.apply(RUNNING, next(kind))).isEqualTo(new Change.Unchanged());
    }

    @Test
    void apply_countsZero_whenStopIsBeforeStart() {
        var early = new MeteredInstanceEvent(Kind.FAILED, 4, START.minusSeconds(1));

        assertThat(RunningTime.apply(RUNNING, early)).isEqualTo(new Change.Stopped(START));
    }

    @Test
    void apply_acceptsGapInSequence() {
        assertThat(RunningTime.apply(RUNNING, new MeteredInstanceEvent(Kind.DELETING, 9, LATER)))
                .isEqualTo(new Change.Stopped(LATER));
    }

    @ParameterizedTest
    @EnumSource
    void kindOf_returnsKind_forEachEventType(Kind kind) {
        assertThat(Kind.of("apps.instance." + kind.name().toLowerCase(java.util.Locale.ROOT)))
                .isEqualTo(kind);
    }

    @Test
    void kindOf_returnsNull_forOtherEventTypes() {
        assertThat(Kind.of("apps.instance.operation.succeeded")).isNull();
    }

    private static MeteredInstanceEvent next(Kind kind) {
        return new MeteredInstanceEvent(kind, 4, LATER);
    }
}

package dev.slipway.metering.usage.domain;

import dev.slipway.metering.usage.domain.InstanceEvent.Kind;
import dev.slipway.metering.usage.domain.RunningTime.Change;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import java.time.Instant;

import static org.assertj.core.api.Assertions.assertThat;

class RunningTimeTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final Instant LATER = START.plusSeconds(60);
    private static final Meter STOPPED = new Meter(3, null);
    private static final Meter RUNNING = new Meter(3, START);

    @ParameterizedTest
    @EnumSource
    void on_countsNothing_whenTheEventOrALaterOneWasCounted(Kind kind) {
        for (var sequence = 1; sequence <= 3; sequence++) {
            var event = new InstanceEvent(kind, sequence, LATER);
            assertThat(RunningTime.on(STOPPED, event)).isEqualTo(new Change.AlreadyCounted());
            assertThat(RunningTime.on(RUNNING, event)).isEqualTo(new Change.AlreadyCounted());
        }
    }

    @Test
    void on_starts_whenRunningAndStoppedBefore() {
        assertThat(RunningTime.on(STOPPED, next(Kind.RUNNING))).isEqualTo(new Change.Started(LATER));
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "RUNNING")
    void on_changesNothing_whenStopped(Kind kind) {
        assertThat(RunningTime.on(STOPPED, next(kind))).isEqualTo(new Change.Unchanged());
    }

    @ParameterizedTest
    @EnumSource(names = {"FAILED", "DELETING", "DELETED"})
    void on_stops_whenRunning(Kind kind) {
        assertThat(RunningTime.on(RUNNING, next(kind))).isEqualTo(new Change.Stopped(LATER));
    }

    @ParameterizedTest
    @EnumSource(names = {"REQUESTED", "DEPLOYING", "RUNNING"})
    void on_keepsRunning_whenRunning(Kind kind) {
        assertThat(RunningTime.on(RUNNING, next(kind))).isEqualTo(new Change.Unchanged());
    }

    @Test
    void on_countsNoTime_whenTheStopIsStampedBeforeTheStart() {
        var early = new InstanceEvent(Kind.FAILED, 4, START.minusSeconds(1));

        assertThat(RunningTime.on(RUNNING, early)).isEqualTo(new Change.Stopped(START));
    }

    @Test
    void on_acceptsAGap_soThatOneLostEventStopsNothing() {
        assertThat(RunningTime.on(RUNNING, new InstanceEvent(Kind.DELETING, 9, LATER)))
                .isEqualTo(new Change.Stopped(LATER));
    }

    @ParameterizedTest
    @EnumSource
    void kindOf_knowsEveryKindByItsNameOnTheTopic(Kind kind) {
        assertThat(Kind.of("apps.instance." + kind.name().toLowerCase(java.util.Locale.ROOT)))
                .isEqualTo(kind);
    }

    @Test
    void kindOf_isNull_forWhatSaysNothingAboutRunningTime() {
        assertThat(Kind.of("apps.instance.operation.succeeded")).isNull();
    }

    private static InstanceEvent next(Kind kind) {
        return new InstanceEvent(kind, 4, LATER);
    }
}

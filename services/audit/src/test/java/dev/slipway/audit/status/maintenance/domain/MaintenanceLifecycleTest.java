package dev.slipway.audit.status.maintenance.domain;

import dev.slipway.audit.status.maintenance.domain.Maintenance.Status;
import dev.slipway.audit.status.maintenance.domain.MaintenanceDecision.Accepted;
import dev.slipway.audit.status.maintenance.domain.MaintenanceDecision.Refused;
import dev.slipway.audit.status.maintenance.domain.MaintenanceLifecycle.NewMaintenance;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;

class MaintenanceLifecycleTest {
    private static final Instant NOW = Instant.parse("2026-11-18T10:00:00Z");
    private static final Instant START = NOW.plusSeconds(3_600);
    private static final Instant END = NOW.plusSeconds(7_200);

    /** Every status and every target. */
    @ParameterizedTest
    @CsvSource({
        "SCHEDULED,   SCHEDULED,   false",
        "SCHEDULED,   IN_PROGRESS, true",
        "SCHEDULED,   COMPLETED,   false",
        "SCHEDULED,   CANCELED,    true",
        "IN_PROGRESS, SCHEDULED,   false",
        "IN_PROGRESS, IN_PROGRESS, false",
        "IN_PROGRESS, COMPLETED,   true",
        "IN_PROGRESS, CANCELED,    true",
        "COMPLETED,   SCHEDULED,   false",
        "COMPLETED,   IN_PROGRESS, false",
        "COMPLETED,   COMPLETED,   false",
        "COMPLETED,   CANCELED,    false",
        "CANCELED,    SCHEDULED,   false",
        "CANCELED,    IN_PROGRESS, false",
        "CANCELED,    COMPLETED,   false",
        "CANCELED,    CANCELED,    false",
    })
    void move_followsTheLifecycle(Status current, Status next, boolean accepted) {
        assertThat(MaintenanceLifecycle.move(in(current), next, NOW) instanceof Accepted)
                .isEqualTo(accepted);
    }

    @Test
    void schedule_isRefused_whenTheEndIsNotAfterTheStartOrInThePast() {
        assertThat(MaintenanceLifecycle.schedule(window(END, START), NOW)).isInstanceOf(Refused.class);
        assertThat(MaintenanceLifecycle.schedule(window(START, START), NOW)).isInstanceOf(Refused.class);
        assertThat(MaintenanceLifecycle.schedule(window(NOW.minusSeconds(9), NOW.minusSeconds(1)), NOW))
                .isInstanceOf(Refused.class);
    }

    @Test
    void dueStatus_startsAndCompletes_atTheTimes() {
        assertThat(MaintenanceLifecycle.dueStatus(in(Status.SCHEDULED), NOW)).isEqualTo(Status.SCHEDULED);
        assertThat(MaintenanceLifecycle.dueStatus(in(Status.SCHEDULED), START)).isEqualTo(Status.IN_PROGRESS);
        assertThat(MaintenanceLifecycle.dueStatus(in(Status.IN_PROGRESS), START))
                .isEqualTo(Status.IN_PROGRESS);
        assertThat(MaintenanceLifecycle.dueStatus(in(Status.IN_PROGRESS), END)).isEqualTo(Status.COMPLETED);
        assertThat(MaintenanceLifecycle.dueStatus(in(Status.CANCELED), END)).isEqualTo(Status.CANCELED);
    }

    @Test
    void move_recordsStartAndEnd() {
        var started = move(in(Status.SCHEDULED), Status.IN_PROGRESS);
        assertThat(started.startedAt()).isEqualTo(NOW);
        assertThat(started.endedAt()).isNull();
        var completed = move(started, Status.COMPLETED);
        assertThat(completed.startedAt()).isEqualTo(NOW);
        assertThat(completed.endedAt()).isEqualTo(NOW);
        assertThat(completed.version()).isEqualTo(3);
    }

    private static Maintenance in(Status status) {
        var scheduled = ((Accepted) MaintenanceLifecycle.schedule(window(START, END), NOW)).next();
        return switch (status) {
            case SCHEDULED -> scheduled;
            case IN_PROGRESS, CANCELED -> move(scheduled, status);
            case COMPLETED -> move(move(scheduled, Status.IN_PROGRESS), status);
        };
    }

    private static Maintenance move(Maintenance current, Status next) {
        return ((Accepted) MaintenanceLifecycle.move(current, next, NOW)).next();
    }

    private static NewMaintenance window(Instant start, Instant end) {
        return new NewMaintenance(new UUID(0, 1), "title", "description", true, List.of(), List.of(), start, end);
    }
}

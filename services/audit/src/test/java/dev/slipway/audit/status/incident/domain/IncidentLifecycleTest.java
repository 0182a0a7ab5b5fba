package dev.slipway.audit.status.incident.domain;

import dev.slipway.audit.status.incident.domain.Incident.Changes;
import dev.slipway.audit.status.incident.domain.Incident.Severity;
import dev.slipway.audit.status.incident.domain.Incident.Source;
import dev.slipway.audit.status.incident.domain.Incident.Status;
import dev.slipway.audit.status.incident.domain.IncidentDecision.Accepted;
import dev.slipway.audit.status.incident.domain.IncidentDecision.Refused;
import dev.slipway.audit.status.incident.domain.IncidentLifecycle.NewIncident;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;

class IncidentLifecycleTest {
    private static final Instant NOW = Instant.parse("2026-11-18T10:00:00Z");
    private static final Instant LATER = NOW.plusSeconds(60);

    /** Every status and every target. */
    @ParameterizedTest
    @EnumSource(Status.class)
    void move_isAccepted_forwardOnly(Status current) {
        for (var next : Status.values()) {
            var decision = IncidentLifecycle.move(in(current), next, LATER);
            if (next.compareTo(current) > 0) {
                assertThat(decision).isInstanceOfSatisfying(Accepted.class, accepted -> {
                    assertThat(accepted.next().status()).isEqualTo(next);
                    assertThat(accepted.next().version()).isEqualTo(in(current).version() + 1);
                    assertThat(accepted.event().name()).isEqualTo(next.name());
                });
            } else {
                assertThat(decision).isInstanceOfSatisfying(Refused.class, refused -> assertThat(refused.code())
                        .isEqualTo("state_conflict"));
            }
        }
    }

    @Test
    void move_recordsWhenAStatusWasReached() {
        var acknowledged = accepted(IncidentLifecycle.move(in(Status.OPEN), Status.ACKNOWLEDGED, LATER));
        assertThat(acknowledged.acknowledgedAt()).isEqualTo(LATER);
        assertThat(acknowledged.resolvedAt()).isNull();
        var resolved = accepted(IncidentLifecycle.move(acknowledged, Status.RESOLVED, LATER.plusSeconds(1)));
        assertThat(resolved.acknowledgedAt()).isEqualTo(LATER);
        assertThat(resolved.mitigatedAt()).isNull();
        assertThat(resolved.resolvedAt()).isEqualTo(LATER.plusSeconds(1));
    }

    @ParameterizedTest
    @EnumSource(Status.class)
    void change_isAccepted_unlessResolved(Status current) {
        var title = new Changes("Another title", null, null, true, null, null, null);
        var decision = IncidentLifecycle.change(in(current), title, LATER);
        assertThat(decision instanceof Accepted).isEqualTo(current != Status.RESOLVED);
        var postmortem = new Changes(null, null, null, null, null, null, "https://wiki.example.test/17");
        assertThat(accepted(IncidentLifecycle.change(in(current), postmortem, LATER))
                        .postmortemUrl())
                .isEqualTo("https://wiki.example.test/17");
    }

    @Test
    void change_keepsWhatIsNotGiven() {
        var changes = new Changes("Another title", null, Severity.CRITICAL, null, List.of("iam"), null, null);
        var changed = accepted(IncidentLifecycle.change(in(Status.OPEN), changes, LATER));
        assertThat(changed.title()).isEqualTo("Another title");
        assertThat(changed.summary()).isEqualTo("summary");
        assertThat(changed.severity()).isEqualTo(Severity.CRITICAL);
        assertThat(changed.isPublic()).isFalse();
        assertThat(changed.components()).containsExactly("iam");
        assertThat(changed.openedAt()).isEqualTo(NOW);
        assertThat(changed.updatedAt()).isEqualTo(LATER);
    }

    private static Incident accepted(IncidentDecision decision) {
        assertThat(decision).isInstanceOf(Accepted.class);
        return ((Accepted) decision).next();
    }

    private static Incident in(Status status) {
        var opened = IncidentLifecycle.open(
                        new NewIncident(
                                new UUID(0, 1),
                                "title",
                                "summary",
                                Severity.MINOR,
                                false,
                                List.of(),
                                List.of(),
                                Source.OPERATOR,
                                null),
                        NOW)
                .next();
        return status == Status.OPEN ? opened : accepted(IncidentLifecycle.move(opened, status, NOW));
    }
}

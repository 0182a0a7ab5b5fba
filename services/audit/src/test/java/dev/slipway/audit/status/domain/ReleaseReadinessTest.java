package dev.slipway.audit.status.domain;

import dev.slipway.audit.status.component.domain.RolloutStatus;
import dev.slipway.audit.status.domain.ReleaseReadiness.Reason;
import dev.slipway.audit.status.incident.domain.Incident;
import dev.slipway.audit.status.incident.domain.Incident.Severity;
import dev.slipway.audit.status.incident.domain.Incident.Source;
import dev.slipway.audit.status.incident.domain.IncidentLifecycle;
import dev.slipway.audit.status.incident.domain.IncidentLifecycle.NewIncident;
import dev.slipway.audit.status.maintenance.domain.Maintenance;
import dev.slipway.audit.status.slo.domain.SloResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;

class ReleaseReadinessTest {
    private static final Instant NOW = Instant.parse("2026-11-18T10:00:00Z");

    @ParameterizedTest
    @CsvSource({"READY, false", "DEGRADED, false", "UNAVAILABLE, true", "UNKNOWN, true"})
    void reasons_nameComponents_thatDoNotWork(RolloutStatus status, boolean blocked) {
        assertThat(kinds(ReleaseReadiness.reasons(Map.of("iam", status), Map.of(), List.of(), List.of())))
                .isEqualTo(blocked ? List.of("component iam") : List.of());
    }

    @ParameterizedTest
    @CsvSource({"MET, false", "NO_DATA, false", "NOT_MEASURED, false", "AT_RISK, true", "VIOLATED, true"})
    void reasons_nameObjectives_withoutBudget(SloResult result, boolean blocked) {
        assertThat(kinds(ReleaseReadiness.reasons(Map.of(), Map.of("iam-authorize", result), List.of(), List.of())))
                .isEqualTo(blocked ? List.of("slo iam-authorize") : List.of());
    }

    @ParameterizedTest
    @CsvSource({"CRITICAL, true", "MAJOR, true", "MINOR, false"})
    void reasons_nameIncidents_thatAreCriticalOrMajor(Severity severity, boolean blocked) {
        var reasons = ReleaseReadiness.reasons(Map.of(), Map.of(), List.of(incident(severity)), List.of());
        assertThat(kinds(reasons)).isEqualTo(blocked ? List.of("incident " + new UUID(0, 1)) : List.of());
    }

    @Test
    void reasons_nameMaintenance_inProgress() {
        var window = new Maintenance(
                new UUID(0, 2),
                "Upgrade",
                "text",
                Maintenance.Status.IN_PROGRESS,
                true,
                List.of(),
                List.of(),
                2,
                NOW,
                NOW.plusSeconds(60),
                NOW,
                null,
                NOW,
                NOW);
        assertThat(kinds(ReleaseReadiness.reasons(Map.of(), Map.of(), List.of(), List.of(window))))
                .containsExactly("maintenance " + new UUID(0, 2));
    }

    private static List<String> kinds(List<Reason> reasons) {
        return reasons.stream()
                .map(reason -> reason.kind() + " " + reason.reference())
                .toList();
    }

    private static Incident incident(Severity severity) {
        return IncidentLifecycle.open(
                        new NewIncident(
                                new UUID(0, 1),
                                "title",
                                null,
                                severity,
                                false,
                                List.of(),
                                List.of(),
                                Source.OPERATOR,
                                null),
                        NOW)
                .next();
    }
}

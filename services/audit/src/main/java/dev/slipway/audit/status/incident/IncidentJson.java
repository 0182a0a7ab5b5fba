package dev.slipway.audit.status.incident;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.slipway.audit.status.incident.IncidentStore.IncidentUpdate;
import dev.slipway.audit.status.incident.domain.Alert;
import dev.slipway.audit.status.incident.domain.Incident;
import dev.slipway.audit.status.incident.domain.Incident.Changes;
import dev.slipway.audit.status.incident.domain.Incident.Severity;
import dev.slipway.audit.status.incident.domain.Incident.Source;
import dev.slipway.audit.status.incident.domain.Incident.Status;
import dev.slipway.audit.status.incident.domain.IncidentLifecycle.NewIncident;
import dev.slipway.contract.domain.TextEnum;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The JSON of incidents. */
final class IncidentJson {
    private IncidentJson() {}

    record CreateBody(
            String title,
            @Nullable String summary,
            String severity,
            @JsonProperty("public") boolean isPublic,
            @Nullable List<String> components,
            @Nullable List<UUID> orgIds) {
        NewIncident toNewIncident(UUID id) {
            return new NewIncident(
                    id,
                    title,
                    summary,
                    TextEnum.parse(Severity.class, severity),
                    isPublic,
                    components == null ? List.of() : components,
                    orgIds == null ? List.of() : orgIds,
                    Source.OPERATOR,
                    null);
        }
    }

    record ChangeBody(
            @Nullable String title,
            @Nullable String summary,
            @Nullable String severity,
            @JsonProperty("public") @Nullable Boolean isPublic,
            @Nullable List<String> components,
            @Nullable List<UUID> orgIds,
            @Nullable String postmortemUrl) {
        Changes toChanges() {
            return new Changes(
                    title,
                    summary,
                    severity == null ? null : TextEnum.parse(Severity.class, severity),
                    isPublic,
                    components,
                    orgIds,
                    postmortemUrl);
        }
    }

    record UpdateBody(
            @Nullable String status,
            String message,
            @JsonProperty("public") @Nullable Boolean isPublic) {}

    record UpdateView(
            UUID updateId,
            String status,
            String message,
            @JsonProperty("public") boolean isPublic,
            String author,
            Instant createdAt) {
        static UpdateView of(IncidentUpdate update) {
            return new UpdateView(
                    update.updateId(),
                    update.status().text(),
                    update.message(),
                    update.isPublic(),
                    update.author(),
                    update.createdAt());
        }
    }

    record AlertView(
            String fingerprint,
            String name,
            Alert.State status,
            Map<String, String> labels,
            Instant startsAt,
            @Nullable Instant endsAt) {
        static AlertView of(Alert alert) {
            return new AlertView(
                    alert.fingerprint(), alert.name(), alert.state(), alert.labels(), alert.startsAt(), alert.endsAt());
        }
    }

    record IncidentView(
            UUID incidentId,
            String title,
            @Nullable String summary,
            Severity severity,
            Status status,
            @JsonProperty("public") boolean isPublic,
            List<String> components,
            List<UUID> orgIds,
            Source source,
            @Nullable String groupKey,
            @Nullable String postmortemUrl,
            long version,
            Instant openedAt,
            @Nullable Instant acknowledgedAt,
            @Nullable Instant mitigatedAt,
            @Nullable Instant resolvedAt,
            Instant updatedAt,
            List<UpdateView> updates,
            List<AlertView> alerts) {
        static IncidentView of(Incident incident, List<IncidentUpdate> updates, List<Alert> alerts) {
            return new IncidentView(
                    incident.id(),
                    incident.title(),
                    incident.summary(),
                    incident.severity(),
                    incident.status(),
                    incident.isPublic(),
                    incident.components(),
                    incident.orgIds(),
                    incident.source(),
                    incident.groupKey(),
                    incident.postmortemUrl(),
                    incident.version(),
                    incident.openedAt(),
                    incident.acknowledgedAt(),
                    incident.mitigatedAt(),
                    incident.resolvedAt(),
                    incident.updatedAt(),
                    updates.stream().map(UpdateView::of).toList(),
                    alerts.stream().map(AlertView::of).toList());
        }
    }

    /** The payload of {@code status.incident.*}. */
    record EventPayload(
            UUID incidentId,
            long sequence,
            String title,
            Severity severity,
            Status status,
            @JsonProperty("public") boolean isPublic,
            List<String> components,
            List<UUID> orgIds,
            Source source,
            @Nullable String message,
            @Nullable String postmortemUrl,
            Instant openedAt,
            @Nullable Instant resolvedAt) {
        static EventPayload of(Incident incident, @Nullable String message) {
            return new EventPayload(
                    incident.id(),
                    incident.version(),
                    incident.title(),
                    incident.severity(),
                    incident.status(),
                    incident.isPublic(),
                    incident.components(),
                    incident.orgIds(),
                    incident.source(),
                    message,
                    incident.postmortemUrl(),
                    incident.openedAt(),
                    incident.resolvedAt());
        }
    }

    /** The metadata of the audit record of a change. */
    record AuditMetadata(
            String change,
            Severity severity,
            Status status,
            @JsonProperty("public") boolean isPublic,
            long version) {}
}

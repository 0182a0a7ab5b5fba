package dev.slipway.audit.status;

import dev.slipway.audit.status.component.ComponentView;
import dev.slipway.audit.status.component.domain.RolloutStatus;
import dev.slipway.audit.status.incident.IncidentStore.IncidentUpdate;
import dev.slipway.audit.status.incident.domain.Incident;
import dev.slipway.audit.status.maintenance.domain.Maintenance;
import dev.slipway.contract.CanonicalJson;
import dev.slipway.contract.Json;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;

/** The status that readers outside the platform team see. */
record StatusPage(
        RolloutStatus status,
        Instant generatedAt,
        List<ComponentEntry> components,
        List<IncidentEntry> incidents,
        List<MaintenanceEntry> maintenance) {

    record ComponentEntry(String name, RolloutStatus status) {}

    record UpdateEntry(Incident.Status status, String message, Instant createdAt) {}

    record IncidentEntry(
            UUID incidentId,
            String title,
            Incident.Severity severity,
            Incident.Status status,
            List<String> components,
            boolean affectsYou,
            Instant openedAt,
            @Nullable Instant resolvedAt,
            @Nullable String postmortemUrl,
            List<UpdateEntry> updates) {}

    record MaintenanceEntry(
            UUID maintenanceId,
            String title,
            String description,
            Maintenance.Status status,
            List<String> components,
            boolean affectsYou,
            Instant startsAt,
            Instant endsAt) {}

    /**
     * Builds the page of an organization, or the public one.
     *
     * @param incidents the incidents that the readers may see
     * @param maintenance the windows that the readers may see
     */
    static StatusPage of(
            @Nullable UUID orgId,
            List<ComponentView> components,
            List<Incident> incidents,
            Map<UUID, List<IncidentUpdate>> updates,
            List<Maintenance> maintenance,
            Instant now) {
        var shown = components.stream().filter(ComponentView::isPublic).toList();
        var names = shown.stream().collect(Collectors.toMap(ComponentView::componentId, ComponentView::displayName));
        return new StatusPage(
                overall(shown, incidents),
                now,
                shown.stream()
                        .map(component -> new ComponentEntry(component.displayName(), component.rolloutStatus()))
                        .toList(),
                incidents.stream()
                        .map(incident ->
                                incidentEntry(incident, names, orgId, updates.getOrDefault(incident.id(), List.of())))
                        .toList(),
                maintenance.stream()
                        .map(window -> maintenanceEntry(window, names, orgId))
                        .toList());
    }

    /** Returns the ETag. It does not depend on the time when the page was generated, so it is a weak one. */
    String etag() {
        var content = new StatusPage(status, Instant.EPOCH, components, incidents, maintenance);
        return "W/\"" + CanonicalJson.digest(Json.toObject(content)).substring("sha256:".length()) + '"';
    }

    /** The status of the worst component, and at least degraded during a critical or major incident. */
    private static RolloutStatus overall(List<ComponentView> components, List<Incident> incidents) {
        var worst = components.stream()
                .map(ComponentView::rolloutStatus)
                .reduce(RolloutStatus::worse)
                .orElse(RolloutStatus.UNKNOWN);
        var disturbed = incidents.stream()
                .anyMatch(incident -> incident.status() != Incident.Status.RESOLVED
                        && incident.severity().blocksReleases());
        return disturbed ? worst.worse(RolloutStatus.DEGRADED) : worst;
    }

    private static IncidentEntry incidentEntry(
            Incident incident, Map<String, String> names, @Nullable UUID orgId, List<IncidentUpdate> updates) {
        return new IncidentEntry(
                incident.id(),
                incident.title(),
                incident.severity(),
                incident.status(),
                publicNames(incident.components(), names),
                orgId != null && incident.orgIds().contains(orgId),
                incident.openedAt(),
                incident.resolvedAt(),
                incident.postmortemUrl(),
                updates.stream()
                        .filter(IncidentUpdate::isPublic)
                        .map(update -> new UpdateEntry(update.status(), update.message(), update.createdAt()))
                        .toList());
    }

    private static MaintenanceEntry maintenanceEntry(
            Maintenance window, Map<String, String> names, @Nullable UUID orgId) {
        return new MaintenanceEntry(
                window.id(),
                window.title(),
                window.description(),
                window.status(),
                publicNames(window.components(), names),
                orgId != null && window.orgIds().contains(orgId),
                window.startsAt(),
                window.endsAt());
    }

    private static List<String> publicNames(List<String> componentIds, Map<String, String> names) {
        return componentIds.stream()
                .filter(names::containsKey)
                .map(id -> names.getOrDefault(id, id))
                .toList();
    }
}

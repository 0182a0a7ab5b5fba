package dev.slipway.audit.status.maintenance;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.slipway.audit.status.maintenance.domain.Maintenance;
import dev.slipway.audit.status.maintenance.domain.Maintenance.Status;
import dev.slipway.audit.status.maintenance.domain.MaintenanceLifecycle.NewMaintenance;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;

/** The JSON of maintenance windows. */
final class MaintenanceJson {
    private MaintenanceJson() {}

    record CreateBody(
            String title,
            String description,
            @JsonProperty("public") @Nullable Boolean isPublic,
            @Nullable List<String> components,
            @Nullable List<UUID> orgIds,
            String startsAt,
            String endsAt) {
        NewMaintenance toNewMaintenance(UUID id) {
            return new NewMaintenance(
                    id,
                    title,
                    description,
                    isPublic == null || isPublic,
                    components == null ? List.of() : components,
                    orgIds == null ? List.of() : orgIds,
                    OffsetDateTime.parse(startsAt).toInstant(),
                    OffsetDateTime.parse(endsAt).toInstant());
        }
    }

    record MoveBody(String status) {}

    record MaintenanceView(
            UUID maintenanceId,
            String title,
            String description,
            Status status,
            @JsonProperty("public") boolean isPublic,
            List<String> components,
            List<UUID> orgIds,
            long version,
            Instant startsAt,
            Instant endsAt,
            @Nullable Instant startedAt,
            @Nullable Instant endedAt,
            Instant createdAt,
            Instant updatedAt) {
        static MaintenanceView of(Maintenance window) {
            return new MaintenanceView(
                    window.id(),
                    window.title(),
                    window.description(),
                    window.status(),
                    window.isPublic(),
                    window.components(),
                    window.orgIds(),
                    window.version(),
                    window.startsAt(),
                    window.endsAt(),
                    window.startedAt(),
                    window.endedAt(),
                    window.createdAt(),
                    window.updatedAt());
        }
    }

    /** The payload of {@code status.maintenance.*}. */
    record EventPayload(
            UUID maintenanceId,
            long sequence,
            String title,
            Status status,
            @JsonProperty("public") boolean isPublic,
            List<String> components,
            List<UUID> orgIds,
            Instant startsAt,
            Instant endsAt) {
        static EventPayload of(Maintenance window) {
            return new EventPayload(
                    window.id(),
                    window.version(),
                    window.title(),
                    window.status(),
                    window.isPublic(),
                    window.components(),
                    window.orgIds(),
                    window.startsAt(),
                    window.endsAt());
        }
    }

    /** The metadata of the audit record of a change. */
    record AuditMetadata(String change, Status status, long version) {}
}

package dev.slipway.metering.usage.domain;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The read models that complete the attribution of a batch of facts: its instances, shared runtimes, attachments, projects and units. */
public record AttributionContext(
        Map<UUID, InstanceEntry> instances,
        Map<UUID, RuntimeEntry> runtimes,
        Map<RuntimeProject, List<Attachment>> attachments,
        Map<UUID, UUID> orgOfProject,
        Map<String, UsageUnit> units,
        BookingPeriods periods) {

    /**
     * An app instance.
     *
     * @param correlationId of the request that launched it
     * @param sharedRuntimeId the shared runtime that it uses; null if it uses none
     */
    public record InstanceEntry(
            UUID orgId,
            UUID projectId,
            String appSlug,
            String operatingMode,
            String controlPlaneScope,
            String runtimeBackend,
            String correlationId,
            @Nullable UUID sharedRuntimeId) {}

    /** A shared runtime; fields are null if its events were published before metering recorded them. */
    public record RuntimeEntry(
            UUID orgId,
            String appSlug,
            @Nullable String operatingMode,
            @Nullable String controlPlaneScope,
            @Nullable String runtimeBackend,
            @Nullable String correlationId) {}

    /** A shared runtime and a project that is or was attached to it. */
    public record RuntimeProject(UUID sharedRuntimeId, UUID projectId) {}

    /**
     * An attachment of a project to a shared runtime.
     *
     * @param requestedAt when the attachment was requested: the project may use the runtime before the platform learns that it is attached; null if
     *     it was requested before metering recorded it
     * @param detachedAt null while it is not detached
     */
    public record Attachment(
            UUID id,
            @Nullable Instant requestedAt,
            @Nullable Instant detachedAt) {

        boolean overlaps(Instant start, Instant end) {
            return (requestedAt == null || requestedAt.isBefore(end))
                    && (detachedAt == null || detachedAt.isAfter(start));
        }
    }

    /** Returns the attachments of a project that existed in a window, the latest first: usage is reported after a project was detached, too. */
    List<Attachment> attachmentsIn(RuntimeProject attached, Instant start, Instant end) {
        return attachments.getOrDefault(attached, List.of()).stream()
                .filter(attachment -> attachment.overlaps(start, end))
                .toList();
    }
}

package dev.slipway.metering.usage.domain;

import org.jspecify.annotations.Nullable;

import java.util.Map;
import java.util.UUID;

/** The read models that complete the attribution of a batch of facts: its instances, shared runtimes, attachments, projects and units. */
public record AttributionContext(
        Map<UUID, InstanceEntry> instances,
        Map<UUID, RuntimeEntry> runtimes,
        Map<RuntimeProject, UUID> attachments,
        Map<UUID, UUID> orgOfProject,
        Map<String, UsageUnit> units,
        BookingPeriods periods) {

    /**
     * An app instance.
     *
     * @param correlationId of the request that launched it
     * @param sharedRuntimeId the shared runtime that it uses; null if it uses none
     * @param attachmentId the attachment of its project to that runtime; null if it is not replicated yet
     */
    public record InstanceEntry(
            UUID orgId,
            UUID projectId,
            String appSlug,
            String operatingMode,
            String controlPlaneScope,
            String runtimeBackend,
            String correlationId,
            @Nullable UUID sharedRuntimeId,
            @Nullable UUID attachmentId) {}

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
}

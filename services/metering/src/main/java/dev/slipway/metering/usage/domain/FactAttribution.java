package dev.slipway.metering.usage.domain;

import org.jspecify.annotations.Nullable;

import java.util.UUID;

/**
 * The project, resource and actor that a usage fact belongs to, besides its organization.
 *
 * @param projectId the project that used the resource; null for the controller of a shared runtime
 * @param sourceProjectId the project that contributed the capacity of a shared runtime
 */
public record FactAttribution(
        @Nullable UUID projectId,
        @Nullable UUID appInstanceId,
        @Nullable UUID sharedRuntimeId,
        @Nullable UUID attachmentId,
        @Nullable UUID sourceProjectId,
        @Nullable String appSlug,
        @Nullable String operatingMode,
        @Nullable String controlPlaneScope,
        @Nullable String runtimeBackend,
        @Nullable String resourceType,
        @Nullable String resourceId,
        @Nullable String actor) {

    public static FactAttribution ofInstance(UUID appInstanceId) {
        return new FactAttribution(null, appInstanceId, null, null, null, null, null, null, null, null, null, null);
    }

    public static FactAttribution ofSharedRuntime(UUID sharedRuntimeId) {
        return new FactAttribution(null, null, sharedRuntimeId, null, null, null, null, null, null, null, null, null);
    }

    /** Returns the attribution of usage of any other resource, such as a model. */
    public static FactAttribution ofResource(String type, String id) {
        return new FactAttribution(null, null, null, null, null, null, null, null, null, type, id, null);
    }

    FactAttribution withActor(String newActor) {
        return new FactAttribution(
                projectId,
                appInstanceId,
                sharedRuntimeId,
                attachmentId,
                sourceProjectId,
                appSlug,
                operatingMode,
                controlPlaneScope,
                runtimeBackend,
                resourceType,
                resourceId,
                newActor);
    }

    /** Returns a copy that does not name the project that contributed the capacity. */
    public FactAttribution withoutSourceProject() {
        return new FactAttribution(
                projectId,
                appInstanceId,
                sharedRuntimeId,
                attachmentId,
                null,
                appSlug,
                operatingMode,
                controlPlaneScope,
                runtimeBackend,
                resourceType,
                resourceId,
                actor);
    }
}

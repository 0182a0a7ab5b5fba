package dev.slipway.instances.appinstance.domain;

import org.jspecify.annotations.Nullable;

import java.util.Map;
import java.util.UUID;

/** A request to launch an app in a project. {@code config} is JSON text. */
public record Launch(
        UUID projectId,
        String appSlug,
        String appVersion,
        String displayName,
        String operatingMode,
        String controlPlaneScope,
        @Nullable UUID operatorServiceAccountId,
        String config,
        UUID requestedByUserId,
        UUID requestedByPrincipalId,
        Placement placement,
        Map<String, Integer> componentCounts) {

    /** Describes a change of an instance to another version as a launch, because the same rules apply to it. */
    public static Launch ofChange(
            AppInstance instance, String version, String config, UUID requestedByUserId, UUID requestedByPrincipalId) {
        return new Launch(
                instance.projectId(),
                instance.app().slug(),
                version,
                instance.displayName(),
                instance.operatingMode(),
                instance.controlPlaneScope(),
                instance.operatorServiceAccountId(),
                config,
                requestedByUserId,
                requestedByPrincipalId,
                instance.placement(),
                Map.of());
    }
}

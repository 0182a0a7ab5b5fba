package dev.slipway.instances.launch.domain;

import org.jspecify.annotations.Nullable;

import java.util.Map;
import java.util.UUID;

/**
 * A request to launch an app in a project. {@code config} is JSON text.
 *
 * @param sharedRuntimeId the shared runtime that the instance uses; null without one
 */
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
        Map<String, Integer> componentCounts,
        @Nullable UUID sharedRuntimeId) {}

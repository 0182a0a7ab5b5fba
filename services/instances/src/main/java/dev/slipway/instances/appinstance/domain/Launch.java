package dev.slipway.instances.appinstance.domain;

import org.jspecify.annotations.Nullable;

import java.util.UUID;

/** What a caller asks for: an app to be launched in a project. {@code config} is JSON text. */
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
        Placement placement) {}

package dev.slipway.instances.launch.domain;

import java.util.UUID;

/** The app version that an instance or a shared runtime runs. */
public record AppVersionRef(UUID appId, UUID versionId, String slug, String version, String runtimeBackend) {}

package dev.slipway.instances.launch.domain;

import java.util.UUID;

/** The version that an instance or a shared runtime ran before its last upgrade. */
public record PreviousVersion(UUID versionId, String version, String config) {}

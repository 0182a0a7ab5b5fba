package dev.slipway.metering.usage.domain;

import java.util.UUID;

/** Whom usage belongs to. {@code correlationId} is that of the request that launched the instance. */
public record Attribution(
        UUID orgId,
        UUID projectId,
        UUID appInstanceId,
        String appSlug,
        String operatingMode,
        String controlPlaneScope,
        String runtimeBackend,
        String correlationId) {}

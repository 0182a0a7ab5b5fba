package dev.slipway.metering.runtimehours.domain;

import java.util.UUID;

/** The owner of usage. {@code correlationId} is that of the request that launched the instance. */
public record InstanceAttribution(
        UUID orgId,
        UUID projectId,
        UUID appInstanceId,
        String appSlug,
        String operatingMode,
        String controlPlaneScope,
        String runtimeBackend,
        String correlationId) {}

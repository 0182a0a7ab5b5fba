package dev.slipway.metering.runtimehours.domain;

import org.jspecify.annotations.Nullable;

import java.util.UUID;

/**
 * The owner of usage.
 *
 * @param correlationId of the request that launched the instance
 * @param sharedRuntimeId the shared runtime that the instance uses; null if it uses none
 */
public record InstanceAttribution(
        UUID orgId,
        UUID projectId,
        UUID appInstanceId,
        String appSlug,
        String operatingMode,
        String controlPlaneScope,
        String runtimeBackend,
        String correlationId,
        @Nullable UUID sharedRuntimeId) {}

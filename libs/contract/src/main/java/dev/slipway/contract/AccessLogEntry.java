package dev.slipway.contract;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;

/**
 * A request in the payload of {@code gateway.calls}, which gateways write and the audit service stores.
 *
 * @param callerWithoutRole whether a caller without a role in the organization or project of the path was rejected; absent if not
 * @param count how many requests the entry represents; absent if one
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record AccessLogEntry(
        UUID callId,
        long occurredAtUs,
        String correlationId,
        @Nullable String traceId,
        String method,
        @Nullable String operationId,
        String path,
        int status,
        @Nullable String code,
        @Nullable UUID principalId,
        @Nullable String actorType,
        @Nullable UUID orgId,
        @Nullable UUID projectId,
        long durationUs,
        @JsonProperty("outsider") @Nullable Boolean callerWithoutRole,
        @Nullable Integer count) {

    public static long toMicros(Instant time) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, time);
    }

    public Instant occurredAt() {
        return Instant.EPOCH.plus(occurredAtUs, ChronoUnit.MICROS);
    }
}

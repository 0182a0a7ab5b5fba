package dev.slipway.metering.usage.domain;

import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.util.UUID;

/** A valid fact with complete attribution that is not stored yet. The fields are those of {@link UsageFact}. */
public record AttributedFact(
        FactKey key,
        String unit,
        int unitVersion,
        BigDecimal quantity,
        Instant windowStart,
        Instant windowEnd,
        UUID orgId,
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
        @Nullable String actor,
        @Nullable String correlationId,
        @Nullable FactKey corrects,
        LocalDate period,
        String bodyHash) {

    /** Returns a fact that changes the quantity of this one by a signed difference. */
    AttributedFact toCorrection(
            FactKey newKey,
            BigDecimal difference,
            @Nullable String newActor,
            @Nullable String newCorrelationId,
            LocalDate newPeriod,
            String newHash) {
        return new AttributedFact(
                newKey,
                unit,
                unitVersion,
                difference,
                windowStart,
                windowEnd,
                orgId,
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
                newActor == null ? actor : newActor,
                newCorrelationId,
                key,
                newPeriod,
                newHash);
    }
}

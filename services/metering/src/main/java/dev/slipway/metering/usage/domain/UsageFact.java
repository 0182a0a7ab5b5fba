package dev.slipway.metering.usage.domain;

import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.util.UUID;

/**
 * A stored usage fact: the quantity of one unit that was used in a window, and whom it belongs to. Immutable; a correction is a further fact.
 *
 * @param factKey the number of the fact in this database
 * @param source the reporter; {@code factId} is unique per source forever
 * @param quantity negative only for corrections, where it is the difference to the fact that is corrected
 * @param windowEnd the exclusive end of the window
 * @param orgId the organization that owns the resource; for a shared runtime its owner
 * @param projectId the project that used the resource; null for the controller of a shared runtime
 * @param sourceProjectId the project that contributed the capacity of a shared runtime
 * @param period the first day of the month in which the fact is booked
 * @param bodyHash SHA-256 of the reported body, in hexadecimal
 */
public record UsageFact(
        long factKey,
        String source,
        String factId,
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
        @Nullable String traceId,
        @Nullable String correctsSource,
        @Nullable String correctsFactId,
        LocalDate period,
        Instant receivedAt,
        String bodyHash) {}

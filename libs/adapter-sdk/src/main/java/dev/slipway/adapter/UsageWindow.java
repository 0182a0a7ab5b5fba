package dev.slipway.adapter;

import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.UUID;

/**
 * The usage of an instance in a time window. It is counted once per id, however often it is reported.
 *
 * @param unit one of the manifest's usage units
 * @param attribution null for usage of an instance, or of the controller of a shared runtime
 */
public record UsageWindow(
        UUID usageId,
        String unit,
        BigDecimal quantity,
        Instant windowStart,
        Instant windowEnd,
        @Nullable Attribution attribution) {

    /**
     * The project that usage of a shared runtime belongs to.
     *
     * @param projectId the project that used the app; null for contributed capacity that no project used
     * @param sourceProjectId the project that contributed the capacity; null if the tenant did
     */
    public record Attribution(
            @Nullable UUID projectId,
            @Nullable UUID attachmentId,
            @Nullable UUID sourceProjectId) {}

    /** Creates usage of an instance, or of the controller of a shared runtime. */
    public UsageWindow(UUID usageId, String unit, BigDecimal quantity, Instant windowStart, Instant windowEnd) {
        this(usageId, unit, quantity, windowStart, windowEnd, null);
    }

    /** Derives the id from the instance, the unit and the start of the window, so that it is the same after a crash. */
    public static UsageWindow of(
            UUID appInstanceId, String unit, BigDecimal quantity, Instant windowStart, Instant windowEnd) {
        var name = appInstanceId + "|" + unit + "|" + windowStart;
        var id = UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8));
        return new UsageWindow(id, unit, quantity, windowStart, windowEnd);
    }
}

package dev.slipway.adapter;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.UUID;

/**
 * The usage of an instance in a time window. It is counted once per id, however often it is reported.
 *
 * @param unit one of the manifest's usage units
 */
public record UsageWindow(UUID usageId, String unit, BigDecimal quantity, Instant windowStart, Instant windowEnd) {

    /** Derives the id from the instance, the unit and the start of the window, so that it is the same after a crash. */
    public static UsageWindow of(
            UUID appInstanceId, String unit, BigDecimal quantity, Instant windowStart, Instant windowEnd) {
        var name = appInstanceId + "|" + unit + "|" + windowStart;
        var id = UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8));
        return new UsageWindow(id, unit, quantity, windowStart, windowEnd);
    }
}

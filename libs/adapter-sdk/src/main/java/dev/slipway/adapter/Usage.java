package dev.slipway.adapter;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.UUID;

/**
 * What an instance has used in a window of time. It is counted once by its id, however often it is reported.
 *
 * @param unit one of the manifest's usage units
 */
public record Usage(UUID usageId, String unit, BigDecimal quantity, Instant windowStart, Instant windowEnd) {

    /** With an id that follows from the instance, the unit and where the window begins: found again after a crash, it is the same. */
    public static Usage of(
            UUID appInstanceId, String unit, BigDecimal quantity, Instant windowStart, Instant windowEnd) {
        var name = appInstanceId + "|" + unit + "|" + windowStart;
        var id = UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8));
        return new Usage(id, unit, quantity, windowStart, windowEnd);
    }
}

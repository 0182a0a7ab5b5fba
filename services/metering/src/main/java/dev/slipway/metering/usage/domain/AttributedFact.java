package dev.slipway.metering.usage.domain;

import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.util.UUID;

/**
 * A valid usage fact: the quantity of one unit that was used in a window, with complete attribution. Immutable; a correction is a further fact.
 *
 * @param key unique forever
 * @param quantity negative only for corrections, where it is the difference to the fact that is corrected
 * @param windowEnd the exclusive end of the window
 * @param orgId the organization that owns the resource; for a shared runtime its owner
 * @param period the first day of the month in which the fact is booked
 * @param bodyHash SHA-256 of the reported body, in hexadecimal
 */
public record AttributedFact(
        FactKey key,
        String unit,
        int unitVersion,
        BigDecimal quantity,
        Instant windowStart,
        Instant windowEnd,
        UUID orgId,
        FactAttribution attribution,
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
                newActor == null ? attribution : attribution.withActor(newActor),
                newCorrelationId,
                key,
                newPeriod,
                newHash);
    }
}

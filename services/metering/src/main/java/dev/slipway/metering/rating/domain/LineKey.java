package dev.slipway.metering.rating.domain;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.util.UUID;

/**
 * Identifies a rated line: the usage of one group in one month at one price.
 *
 * @param usageMonth the first day of the month of the usage, which can be earlier than the period in which it is booked
 * @param priceFrom when the price began to apply to the organization
 * @param priceId the price version; null if no price applies
 */
public record LineKey(
        UUID orgId,
        String unit,
        LocalDate usageMonth,
        Instant priceFrom,
        @Nullable UUID priceId,
        LineGroup group) {

    /** Returns the id of the line, which is derived from the key: a rebuild finds the same id. */
    public UUID id() {
        var text = String.join(
                "\u001f",
                orgId.toString(),
                unit,
                usageMonth.toString(),
                priceFrom.toString(),
                priceId == null ? "" : priceId.toString(),
                group.text());
        return UUID.nameUUIDFromBytes(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns what is rated together: tiers and included quantities count per organization, unit and month. */
    public RatingKey ratingKey() {
        return new RatingKey(orgId, unit, usageMonth);
    }
}

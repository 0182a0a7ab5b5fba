package dev.slipway.instances.spending.domain;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;

/**
 * Tells whether limits and prices are current.
 *
 * @param asOf until when everything that billing committed is known; null if nothing is billed, or if it is not known
 * @param isStale whether that is too long ago
 */
public record BillingFreshness(@Nullable Instant asOf, boolean isStale) {
    public static final BillingFreshness NOT_BILLED = new BillingFreshness(null, false);

    public static BillingFreshness of(@Nullable Instant asOf, Duration maxAge, Instant now) {
        return new BillingFreshness(asOf, asOf == null || asOf.isBefore(now.minus(maxAge)));
    }
}

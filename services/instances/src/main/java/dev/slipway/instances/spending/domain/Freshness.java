package dev.slipway.instances.spending.domain;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;

/**
 * Whether limits and prices are current.
 *
 * @param asOf until when everything that billing committed is known; null if nothing is billed, or if it is not known
 * @param isStale whether that is too long ago
 */
public record Freshness(@Nullable Instant asOf, boolean isStale) {
    public static final Freshness NOT_BILLED = new Freshness(null, false);

    public static Freshness of(@Nullable Instant asOf, Duration maxAge, Instant now) {
        return new Freshness(asOf, asOf == null || asOf.isBefore(now.minus(maxAge)));
    }
}

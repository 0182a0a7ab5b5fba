package dev.slipway.metering.ledger.domain;

import java.time.Duration;
import java.time.Instant;

/** The age of balances: usage that is not counted or not rated yet is missing in them. */
public record Freshness(boolean stale, long unrated, Instant asOf) {
    private static final Duration STALE_AFTER = Duration.ofMinutes(1);

    /**
     * Returns the freshness now.
     *
     * @param ratingLagSeconds the time for which the oldest unrated usage has waited
     * @param ingestLagSeconds the time for which the oldest usage that is not counted has waited in its topic
     */
    public static Freshness of(double ratingLagSeconds, double ingestLagSeconds, long unrated, Instant now) {
        return new Freshness(Math.max(ratingLagSeconds, ingestLagSeconds) > STALE_AFTER.toSeconds(), unrated, now);
    }
}

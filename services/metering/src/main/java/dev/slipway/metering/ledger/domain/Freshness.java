package dev.slipway.metering.ledger.domain;

import java.time.Duration;
import java.time.Instant;

/** The age of balances: usage that is not rated yet is missing in them. */
public record Freshness(boolean stale, long unrated, Instant asOf) {
    private static final Duration STALE_AFTER = Duration.ofMinutes(1);

    /** Returns the freshness now; {@code lagSeconds} is the time for which the oldest unrated usage has waited. */
    public static Freshness of(double lagSeconds, long unrated, Instant now) {
        return new Freshness(lagSeconds > STALE_AFTER.toSeconds(), unrated, now);
    }
}

package dev.slipway.metering.ledger.domain;

import java.time.Instant;

/** The age of balances: usage that is not rated yet is missing in them. */
public record Freshness(boolean stale, long unrated, Instant asOf) {}

package dev.slipway.metering.usage.domain;

import org.jspecify.annotations.Nullable;

import java.time.Instant;

/** How far an instance's events have been counted, and since when it runs, if it does. */
public record Meter(long lastSequence, @Nullable Instant runningSince) {}

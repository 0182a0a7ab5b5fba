package dev.slipway.metering.runtimehours.domain;

import org.jspecify.annotations.Nullable;

import java.time.Instant;

/** The last applied event of an instance, and the start of its current run, or null if it does not run. */
public record MeterState(long lastSequence, @Nullable Instant runningSince) {}

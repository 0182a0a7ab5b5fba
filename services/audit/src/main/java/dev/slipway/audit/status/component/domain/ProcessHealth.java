package dev.slipway.audit.status.component.domain;

import java.time.Instant;

/**
 * The last report of a process about a component.
 *
 * @param stopping whether it was the last one before the process stopped
 */
public record ProcessHealth(RolloutStatus reported, Instant startedAt, Instant observedAt, boolean stopping) {}

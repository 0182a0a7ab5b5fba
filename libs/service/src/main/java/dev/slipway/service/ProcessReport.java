package dev.slipway.service;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

/**
 * The payload of {@code status.process.reported}. All totals count from the start of the process, so that a lost report loses nothing.
 *
 * @param stopping whether this is the last report of the process
 */
public record ProcessReport(
        UUID processId,
        String environment,
        String host,
        String version,
        @Nullable String sourceCommit,
        @Nullable String artifactDigest,
        String configProfile,
        Instant startedAt,
        boolean stopping,
        List<ComponentHealth> components,
        List<IndicatorTotals> indicators,
        List<DataAge> ages,
        List<RefusalTotal> refusals) {
    public static final String EVENT_TYPE = "status.process.reported";

    /**
     * The health of a component in this process.
     *
     * @param rolloutStatus ready, degraded (it serves, but its process is not entirely healthy) or unavailable
     */
    public record ComponentHealth(String componentId, String rolloutStatus, String health) {}

    /** The events of an indicator, and how many of them were within each threshold. */
    public record IndicatorTotals(String indicator, long total, List<ThresholdCount> within) {}

    /** The number of events that took at most {@code thresholdMs}. */
    public record ThresholdCount(long thresholdMs, long count) {}

    /** The age of replicated data. */
    public record DataAge(String name, long ageMs) {}

    /** Writes that were refused because of the state of the process, by error code. */
    public record RefusalTotal(String reason, long total) {}
}

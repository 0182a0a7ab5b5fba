package dev.slipway.service;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

import java.time.Duration;
import java.util.List;

/** The timers that service level objectives are computed from. Each has a bucket for every threshold that an objective can have. */
public final class ServiceLevelIndicator {
    static final String METER = "slipway.indicator";

    /** The time to verify a token and decide. */
    public static final String AUTHORIZATION = "authorization";

    /** The time to commit a change with its events and its audit record. */
    public static final String AUDIT_WRITE = "audit_write";

    /** The time that the catalog takes to answer a read. */
    public static final String REGISTRY_LOOKUP = "registry_lookup";

    /** The time to answer a read of the status. */
    public static final String STATUS_READ = "status_read";

    /** The time from the receipt of a usage report, by its topic or by the API, until its facts are counted. */
    public static final String USAGE_INGEST = "usage_ingest";

    /** The thresholds that objectives can have. */
    public static final List<Duration> THRESHOLDS = List.of(
            Duration.ofMillis(5),
            Duration.ofMillis(20),
            Duration.ofMillis(50),
            Duration.ofMillis(100),
            Duration.ofMillis(250),
            Duration.ofSeconds(1),
            Duration.ofSeconds(30),
            Duration.ofSeconds(60));

    private ServiceLevelIndicator() {}

    /** Returns the timer of an indicator. All services of a process share it. */
    public static Timer timer(MeterRegistry registry, String indicator) {
        return Timer.builder(METER)
                .description("Durations that service level objectives are computed from")
                .tag("indicator", indicator)
                .serviceLevelObjectives(THRESHOLDS.toArray(Duration[]::new))
                .register(registry);
    }
}

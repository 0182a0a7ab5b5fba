package dev.slipway.audit.status.slo;

import dev.slipway.audit.status.slo.domain.Slo;
import dev.slipway.audit.status.slo.domain.SloEvents;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.ProcessReport;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.Objects;

/** Counts the events of objectives from the totals of two consecutive reports of a process. */
public final class SloRecorder {
    private final SloRegistry registry;
    private final SloStore store;

    public SloRecorder(SloRegistry registry, SloStore store) {
        this.registry = registry;
        this.store = store;
    }

    /** Adds the events between the previous report of the process, or its start, and this one. */
    public void record(UnitOfWork unit, @Nullable ProcessReport previous, ProcessReport report, Instant observedAt) {
        for (var slo : registry.measured()) {
            var events = eventsOf(slo, previous, report);
            if (events.total() > 0) {
                store.addEvents(unit, slo, observedAt, events);
            }
        }
    }

    private static SloEvents eventsOf(Slo slo, @Nullable ProcessReport previous, ProcessReport report) {
        return switch (slo.indicator().kind()) {
            case LATENCY ->
                SloEvents.between(previous == null ? SloEvents.NONE : totals(slo, previous), totals(slo, report));
            case AGE -> sample(slo, report);
            case NONE -> SloEvents.NONE;
        };
    }

    private static SloEvents totals(Slo slo, ProcessReport report) {
        return report.indicators().stream()
                .filter(indicator ->
                        indicator.indicator().equals(slo.indicator().name()))
                .findFirst()
                .map(indicator -> new SloEvents(
                        indicator.within().stream()
                                .filter(bucket -> bucket.thresholdMs() == threshold(slo))
                                .mapToLong(ProcessReport.ThresholdCount::count)
                                .sum(),
                        indicator.total()))
                .orElse(SloEvents.NONE);
    }

    /** Each report is one sample of the age. */
    private static SloEvents sample(Slo slo, ProcessReport report) {
        return report.ages().stream()
                .filter(age -> age.name().equals(slo.indicator().name()))
                .findFirst()
                .map(age -> new SloEvents(age.ageMs() <= threshold(slo) ? 1 : 0, 1))
                .orElse(SloEvents.NONE);
    }

    private static long threshold(Slo slo) {
        return Objects.requireNonNull(slo.indicator().thresholdMs(), "a measured objective has a threshold");
    }
}

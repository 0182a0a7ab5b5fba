package dev.slipway.service;

import dev.slipway.service.ProcessReport.DataAge;
import dev.slipway.service.ProcessReport.IndicatorTotals;
import dev.slipway.service.ProcessReport.RefusalTotal;
import dev.slipway.service.ProcessReport.ThresholdCount;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Reads the metrics of this process that a report contains. */
final class ProcessMeters {
    /** The gauges, in seconds, of which the largest is the age of the data. */
    private static final List<AgeGauge> AGES = List.of(
            new AgeGauge("authz", "slipway.authz.age", null, ""),
            new AgeGauge("policy", "slipway.policy.age", null, ""),
            new AgeGauge("usage", "slipway.consumer.behind", "consumer", "metering."),
            new AgeGauge("usage", "slipway.outbox.oldest.age", "service", "instances"),
            new AgeGauge("audit", "slipway.audit.query.lag", null, ""),
            new AgeGauge("audit", "slipway.outbox.oldest.age", null, ""),
            new AgeGauge("evidence", "slipway.evidence.bundle.lag", null, ""),
            new AgeGauge("evidence", "slipway.consumer.behind", "consumer", "catalog.releases"),
            new AgeGauge("status", "slipway.consumer.behind", "consumer", "audit.status"));

    private static final List<RefusalCounter> REFUSALS = List.of(
            new RefusalCounter("authz_stale", "slipway.decisions", "outcome", "stale"),
            new RefusalCounter("policy_stale", "slipway.policy.refusals", "reason", "policy_stale"),
            new RefusalCounter("audit_write_failed", "slipway.audit.write.failures", null, ""));

    private final MeterRegistry registry;

    /** A gauge, limited to those whose tag begins with the prefix. */
    private record AgeGauge(
            String name, String meter, @Nullable String tag, String prefix) {}

    /** A counter, limited to those whose tag has the value. */
    private record RefusalCounter(
            String reason, String meter, @Nullable String tag, String value) {}

    ProcessMeters(MeterRegistry registry) {
        this.registry = registry;
    }

    List<IndicatorTotals> indicators() {
        return registry.find(ServiceLevelIndicator.METER).timers().stream()
                .map(ProcessMeters::totals)
                .toList();
    }

    private static IndicatorTotals totals(Timer timer) {
        var snapshot = timer.takeSnapshot();
        var within = Arrays.stream(snapshot.histogramCounts())
                .filter(bucket -> Double.isFinite(bucket.bucket()))
                .map(bucket ->
                        new ThresholdCount(Math.round(bucket.bucket(TimeUnit.MILLISECONDS)), (long) bucket.count()))
                .toList();
        return new IndicatorTotals(Objects.requireNonNull(timer.getId().getTag("indicator")), snapshot.count(), within);
    }

    /** Returns the ages of the data that this process has. */
    List<DataAge> ages() {
        var ages = new ArrayList<DataAge>();
        for (var name : AGES.stream().map(AgeGauge::name).distinct().toList()) {
            AGES.stream()
                    .filter(source -> source.name.equals(name))
                    .flatMap(this::gauges)
                    .mapToDouble(Gauge::value)
                    .filter(Double::isFinite)
                    .max()
                    .ifPresent(seconds -> ages.add(new DataAge(name, Math.max(0, Math.round(seconds * 1e3)))));
        }
        return List.copyOf(ages);
    }

    private Stream<Gauge> gauges(AgeGauge source) {
        return registry.find(source.meter).gauges().stream()
                .filter(gauge -> source.tag == null
                        || String.valueOf(gauge.getId().getTag(source.tag)).startsWith(source.prefix));
    }

    List<RefusalTotal> refusals() {
        return REFUSALS.stream()
                .map(source -> new RefusalTotal(source.reason, (long) registry.find(source.meter).counters().stream()
                        .filter(counter -> source.tag == null
                                || source.value.equals(counter.getId().getTag(source.tag)))
                        .mapToDouble(Counter::count)
                        .sum()))
                .toList();
    }
}

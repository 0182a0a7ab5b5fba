package dev.slipway.audit.status;

import dev.slipway.audit.status.component.ComponentView;
import dev.slipway.audit.status.component.domain.RolloutStatus;
import dev.slipway.audit.status.incident.domain.Incident;
import dev.slipway.audit.status.slo.SloApi.SloView;
import dev.slipway.audit.status.slo.SloRegistry;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The metrics of the status, measured in intervals. */
final class StatusMetrics {
    /** The windows whose burn rates alerts compare. */
    private static final List<String> BURN_WINDOWS = List.of("PT1H", "PT6H");

    private volatile Map<RolloutStatus, Long> components = Map.of();
    private volatile Map<Incident.Status, Long> incidents = Map.of();
    private volatile double oldestReportSeconds;
    private volatile double evidenceAgeSeconds;
    private final Map<String, Double> burnRates = new ConcurrentHashMap<>();

    StatusMetrics(MeterRegistry registry, SloRegistry objectives) {
        for (var status : RolloutStatus.values()) {
            Gauge.builder("slipway.status.components", this, metrics -> metrics.components.getOrDefault(status, 0L))
                    .description("Components of the platform by their health")
                    .tag("status", status.text())
                    .register(registry);
        }
        for (var status : List.of(Incident.Status.OPEN, Incident.Status.ACKNOWLEDGED, Incident.Status.MITIGATED)) {
            Gauge.builder("slipway.status.incidents", this, metrics -> metrics.incidents.getOrDefault(status, 0L))
                    .description("Incidents that are not resolved")
                    .tag("status", status.text())
                    .register(registry);
        }
        Gauge.builder("slipway.status.component.age", this, metrics -> metrics.oldestReportSeconds)
                .description("Time since the component that is silent for the longest has reported")
                .baseUnit("seconds")
                .register(registry);
        Gauge.builder("slipway.status.evidence.age", this, metrics -> metrics.evidenceAgeSeconds)
                .description("Time since the end of the newest stored result of an objective; 0 if there is none")
                .baseUnit("seconds")
                .register(registry);
        for (var slo : objectives.measured()) {
            for (var window : BURN_WINDOWS) {
                Gauge.builder(
                                "slipway.slo.burn.rate",
                                this,
                                metrics -> metrics.burnRates.getOrDefault(key(slo.id(), window), 0.0))
                        .description("How fast an objective uses its error budget; 1 uses exactly the budget")
                        .tag("slo", slo.id())
                        .tag("window", window)
                        .register(registry);
            }
        }
    }

    void recordComponents(List<ComponentView> views, Instant now) {
        var counts = new EnumMap<RolloutStatus, Long>(RolloutStatus.class);
        views.forEach(view -> counts.merge(view.rolloutStatus(), 1L, Long::sum));
        components = counts;
        oldestReportSeconds = views.stream()
                .mapToDouble(view -> seconds(view.observedAt(), now))
                .max()
                .orElse(0);
    }

    void recordIncidents(List<Incident> unresolved) {
        var counts = new EnumMap<Incident.Status, Long>(Incident.Status.class);
        unresolved.forEach(incident -> counts.merge(incident.status(), 1L, Long::sum));
        incidents = counts;
    }

    void recordObjectives(List<SloView> views) {
        for (var view : views) {
            for (var window : view.windows()) {
                var rate = window.burnRate();
                burnRates.put(key(view.sloId(), window.window()), rate == null ? 0.0 : rate);
            }
        }
    }

    void recordEvidence(@Nullable Instant newest, Instant now) {
        evidenceAgeSeconds = newest == null ? 0 : seconds(newest, now);
    }

    private static String key(String sloId, String window) {
        return sloId + " " + window;
    }

    private static double seconds(Instant from, Instant until) {
        return Math.max(0, Duration.between(from, until).toMillis() / 1e3);
    }
}

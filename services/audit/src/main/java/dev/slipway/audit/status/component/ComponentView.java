package dev.slipway.audit.status.component;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.slipway.audit.status.component.ComponentStore.ComponentSettings;
import dev.slipway.audit.status.component.ComponentStore.StoredReport;
import dev.slipway.audit.status.component.domain.AdapterComponent;
import dev.slipway.audit.status.component.domain.ComponentRollout;
import dev.slipway.audit.status.component.domain.ProcessHealth;
import dev.slipway.audit.status.component.domain.RolloutStatus;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.service.ProcessReport.ComponentHealth;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/** A component with the processes that run it, the newest first. */
public record ComponentView(
        String componentId,
        String environment,
        String displayName,
        @JsonProperty("public") boolean isPublic,
        RolloutStatus rolloutStatus,
        Instant observedAt,
        List<ProcessView> processes) {

    /** A process that runs the component. */
    public record ProcessView(
            UUID processId,
            String host,
            String version,
            @Nullable String sourceCommit,
            @Nullable String artifactDigest,
            String configProfile,
            RolloutStatus rolloutStatus,
            String health,
            Instant startedAt,
            Instant observedAt) {}

    /** Builds the components from the last reports of all processes; a component without settings is shown under its id, and is public unless it is an adapter. */
    public static List<ComponentView> of(
            List<StoredReport> reports, Map<String, ComponentSettings> settings, Instant now, Duration timeout) {
        var byComponent = new TreeMap<String, List<StoredReport>>();
        for (var stored : reports) {
            for (var health : stored.report().components()) {
                byComponent
                        .computeIfAbsent(health.componentId(), id -> new ArrayList<>())
                        .add(stored);
            }
        }
        return byComponent.entrySet().stream()
                .map(entry -> of(entry.getKey(), entry.getValue(), settings.get(entry.getKey()), now, timeout))
                .toList();
    }

    private static ComponentView of(
            String componentId,
            List<StoredReport> reports,
            @Nullable ComponentSettings settings,
            Instant now,
            Duration timeout) {
        var health = reports.stream()
                .map(stored -> processHealth(stored, componentId))
                .toList();
        return new ComponentView(
                componentId,
                reports.get(0).report().environment(),
                settings == null ? componentId : settings.displayName(),
                settings == null ? !AdapterComponent.isAdapter(componentId) : settings.isPublic(),
                ComponentRollout.ofComponent(health, now, timeout),
                reports.stream()
                        .map(StoredReport::observedAt)
                        .max(Instant::compareTo)
                        .orElseThrow(),
                reports.stream()
                        .map(stored -> processView(stored, componentId, now, timeout))
                        .toList());
    }

    private static ProcessView processView(StoredReport stored, String componentId, Instant now, Duration timeout) {
        var report = stored.report();
        return new ProcessView(
                report.processId(),
                report.host(),
                report.version(),
                report.sourceCommit(),
                report.artifactDigest(),
                report.configProfile(),
                ComponentRollout.ofProcess(processHealth(stored, componentId), now, timeout),
                healthOf(stored, componentId).health(),
                report.startedAt(),
                stored.observedAt());
    }

    private static ProcessHealth processHealth(StoredReport stored, String componentId) {
        return new ProcessHealth(
                TextEnum.parse(
                        RolloutStatus.class, healthOf(stored, componentId).rolloutStatus()),
                stored.report().startedAt(),
                stored.observedAt(),
                stored.report().stopping());
    }

    private static ComponentHealth healthOf(StoredReport stored, String componentId) {
        return stored.report().components().stream()
                .filter(health -> health.componentId().equals(componentId))
                .findFirst()
                .orElseThrow();
    }
}

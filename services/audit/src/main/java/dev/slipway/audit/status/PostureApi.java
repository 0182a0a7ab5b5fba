package dev.slipway.audit.status;

import dev.slipway.audit.status.component.ComponentApi;
import dev.slipway.audit.status.component.ComponentStore;
import dev.slipway.audit.status.component.ComponentStore.Refusals;
import dev.slipway.audit.status.component.ComponentStore.StoredReport;
import dev.slipway.audit.status.component.ComponentView;
import dev.slipway.audit.status.component.domain.RolloutStatus;
import dev.slipway.audit.status.slo.SloRegistry;
import dev.slipway.audit.status.slo.domain.Slo;
import dev.slipway.service.ProcessReport.DataAge;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Serves the failure behaviour of each shared service, and whether it applies now. */
public final class PostureApi {
    private static final Duration RECENT_REFUSAL = Duration.ofMinutes(5);

    private final SloRegistry registry;
    private final ComponentApi components;
    private final ComponentStore reports;
    private final Clock clock;
    private final Duration timeout;

    private record ComponentPosture(String componentId, RolloutStatus rolloutStatus) {}

    private record ReadModelPosture(String name, @Nullable Long ageMs, long budgetMs, boolean fresh) {}

    private record RefusalPosture(
            String reason, long total, @Nullable Instant lastRefusedAt, boolean current) {}

    private record ServicePosture(
            String service,
            boolean measured,
            String failureBehaviour,
            String target,
            List<ComponentPosture> components,
            List<ReadModelPosture> readModels,
            List<RefusalPosture> refusedWrites) {}

    private record Posture(Instant generatedAt, List<ServicePosture> services) {}

    /** The state of the platform that the postures depend on. */
    private record PlatformState(
            Map<String, RolloutStatus> components,
            Map<String, Long> agesMs,
            Map<String, Refusals> refusals,
            Instant now) {}

    /**
     * Creates the API.
     *
     * @param timeout the ages that a process reported count until it is silent for longer
     */
    public PostureApi(
            SloRegistry registry, ComponentApi components, ComponentStore reports, Clock clock, Duration timeout) {
        this.registry = registry;
        this.components = components;
        this.reports = reports;
        this.clock = clock;
        this.timeout = timeout;
    }

    public Future<Reply> get(Request request) {
        return Future.all(components.views(), reports.listReports(), reports.listRefusals())
                .map(found -> {
                    var now = clock.instant();
                    var state = new PlatformState(
                            found.<List<ComponentView>>resultAt(0).stream()
                                    .collect(
                                            Collectors.toMap(ComponentView::componentId, ComponentView::rolloutStatus)),
                            maxAges(found.resultAt(1), now),
                            found.resultAt(2),
                            now);
                    return Reply.ofRecord(new Posture(
                            now,
                            registry.objectives().stream()
                                    .map(slo -> posture(slo, state))
                                    .toList()));
                });
    }

    private Map<String, Long> maxAges(List<StoredReport> stored, Instant now) {
        var ages = new HashMap<String, Long>();
        stored.stream()
                .filter(report -> !report.report().stopping()
                        && !report.observedAt().plus(timeout).isBefore(now))
                .flatMap(report -> report.report().ages().stream())
                .forEach((DataAge age) -> ages.merge(age.name(), age.ageMs(), Math::max));
        return ages;
    }

    private static ServicePosture posture(Slo slo, PlatformState state) {
        var readModels = slo.readModels().stream()
                .map(model -> {
                    var age = state.agesMs.get(model.name());
                    return new ReadModelPosture(
                            model.name(), age, model.budgetMs(), age != null && age <= model.budgetMs());
                })
                .toList();
        var stale = readModels.stream().anyMatch(model -> model.ageMs != null && !model.fresh);
        return new ServicePosture(
                slo.service(),
                slo.isMeasured(),
                slo.failureBehaviour(),
                slo.target(),
                slo.components().stream()
                        .map(id -> new ComponentPosture(id, state.components.getOrDefault(id, RolloutStatus.UNKNOWN)))
                        .toList(),
                readModels,
                slo.refusals().stream()
                        .map(reason -> refusal(reason, state.refusals.get(reason), stale, state.now))
                        .toList());
    }

    private static RefusalPosture refusal(String reason, @Nullable Refusals refusals, boolean stale, Instant now) {
        var last = refusals == null ? null : refusals.lastRefusedAt();
        var recent = last != null && last.plus(RECENT_REFUSAL).isAfter(now);
        return new RefusalPosture(reason, refusals == null ? 0 : refusals.total(), last, stale || recent);
    }
}

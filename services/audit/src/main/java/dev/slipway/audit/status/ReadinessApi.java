package dev.slipway.audit.status;

import dev.slipway.audit.evidence.domain.GateVerdict;
import dev.slipway.audit.status.component.ComponentApi;
import dev.slipway.audit.status.component.ComponentView;
import dev.slipway.audit.status.component.domain.AdapterComponent;
import dev.slipway.audit.status.component.domain.RolloutStatus;
import dev.slipway.audit.status.domain.ReleaseReadiness;
import dev.slipway.audit.status.domain.ReleaseReadiness.Reason;
import dev.slipway.audit.status.incident.IncidentStore;
import dev.slipway.audit.status.maintenance.MaintenanceStore;
import dev.slipway.audit.status.slo.SloApi;
import dev.slipway.audit.status.slo.SloApi.SloView;
import dev.slipway.audit.status.slo.domain.SloResult;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;

import java.time.Clock;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;

/** Serves whether a release can go ahead, and what blocks it. */
public final class ReadinessApi {
    private final ComponentApi components;
    private final SloApi objectives;
    private final IncidentStore incidents;
    private final MaintenanceStore maintenance;
    private final Supplier<Future<List<Candidate>>> candidates;
    private final Clock clock;

    /** A gate of a candidate, with its verdict. */
    public record Gate(String gate, GateVerdict verdict) {}

    /** A release candidate and its gates. */
    public record Candidate(UUID candidateId, String product, String version, List<Gate> gates) {}

    private record CandidateView(
            UUID candidateId, String product, String version, boolean ready, List<Gate> gates, List<Reason> reasons) {
        static CandidateView of(Candidate candidate, boolean platformReady) {
            var reasons = candidate.gates.stream()
                    .filter(gate -> gate.verdict == GateVerdict.BLOCKED)
                    .map(gate -> new Reason("gate", gate.gate, "The gate is blocked."))
                    .toList();
            return new CandidateView(
                    candidate.candidateId,
                    candidate.product,
                    candidate.version,
                    platformReady && reasons.isEmpty(),
                    candidate.gates,
                    reasons);
        }
    }

    private record Readiness(
            boolean ready, Instant generatedAt, List<Reason> reasons, List<CandidateView> candidates) {}

    /**
     * Creates the API.
     *
     * @param candidates reads the newest release candidates with their gates
     */
    public ReadinessApi(
            ComponentApi components,
            SloApi objectives,
            IncidentStore incidents,
            MaintenanceStore maintenance,
            Supplier<Future<List<Candidate>>> candidates,
            Clock clock) {
        this.components = components;
        this.objectives = objectives;
        this.incidents = incidents;
        this.maintenance = maintenance;
        this.candidates = candidates;
        this.clock = clock;
    }

    public Future<Reply> get(Request request) {
        return Future.all(
                        components.views(),
                        objectives.views(),
                        incidents.listUnresolved(),
                        maintenance.listInProgress(),
                        candidates.get())
                .map(found -> {
                    var rollout = new LinkedHashMap<String, RolloutStatus>();
                    found.<List<ComponentView>>resultAt(0).stream()
                            // A third party's adapter that is silent does not block releases of the platform.
                            .filter(view -> !AdapterComponent.isAdapter(view.componentId()))
                            .forEach(view -> rollout.put(view.componentId(), view.rolloutStatus()));
                    var results = new LinkedHashMap<String, SloResult>();
                    found.<List<SloView>>resultAt(1).forEach(view -> results.put(view.sloId(), view.status()));
                    var reasons = ReleaseReadiness.reasons(rollout, results, found.resultAt(2), found.resultAt(3));
                    return Reply.ofRecord(new Readiness(
                            reasons.isEmpty(),
                            clock.instant(),
                            reasons,
                            found.<List<Candidate>>resultAt(4).stream()
                                    .map(candidate -> CandidateView.of(candidate, reasons.isEmpty()))
                                    .toList()));
                });
    }
}

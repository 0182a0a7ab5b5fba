package dev.slipway.audit.status;

import dev.slipway.audit.status.component.ComponentApi;
import dev.slipway.audit.status.component.ComponentStore;
import dev.slipway.audit.status.incident.IncidentStore;
import dev.slipway.audit.status.maintenance.MaintenanceSchedule;
import dev.slipway.audit.status.slo.EvidenceSweep;
import dev.slipway.audit.status.slo.SloApi;
import dev.slipway.audit.status.slo.SloStore;
import dev.slipway.contract.Ids;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.Outbox;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Clock;
import java.time.Duration;

/** Runs the periodic work of the status. Several processes can run it: each piece of work is done once. */
final class StatusSchedule {
    private static final Logger LOG = LoggerFactory.getLogger(StatusSchedule.class);
    private static final long MEASURE_MS = 15_000;
    private static final long SWEEP_MS = 300_000;
    /** A process that was silent for a week does not come back. */
    private static final Duration PROCESS_RETENTION = Duration.ofDays(7);

    private final Vertx vertx;
    private final Outbox outbox;
    private final Clock clock;
    private final ComponentApi components;
    private final ComponentStore reports;
    private final SloApi objectives;
    private final SloStore sloStore;
    private final EvidenceSweep evidence;
    private final IncidentStore incidents;
    private final MaintenanceSchedule maintenance;
    private final StatusMetrics metrics;

    StatusSchedule(
            Vertx vertx,
            Outbox outbox,
            Clock clock,
            ComponentApi components,
            ComponentStore reports,
            SloApi objectives,
            SloStore sloStore,
            EvidenceSweep evidence,
            IncidentStore incidents,
            MaintenanceSchedule maintenance,
            StatusMetrics metrics) {
        this.vertx = vertx;
        this.outbox = outbox;
        this.clock = clock;
        this.components = components;
        this.reports = reports;
        this.objectives = objectives;
        this.sloStore = sloStore;
        this.evidence = evidence;
        this.incidents = incidents;
        this.maintenance = maintenance;
        this.metrics = metrics;
    }

    /** Starts the timers. Those of the context that calls it end with its verticle. */
    void start() {
        vertx.setPeriodic(MEASURE_MS, timer -> measure());
        vertx.setPeriodic(SWEEP_MS, timer -> sweep());
    }

    private void measure() {
        outbox.transaction(context(), maintenance::run)
                .compose(moved -> Future.all(
                        components.views().onSuccess(views -> metrics.recordComponents(views, clock.instant())),
                        objectives.views().onSuccess(metrics::recordObjectives),
                        incidents.listUnresolved().onSuccess(metrics::recordIncidents),
                        sloStore.findLastEvidence()
                                .onSuccess(newest -> metrics.recordEvidence(newest, clock.instant()))))
                .onFailure(e -> LOG.atWarn().setCause(e).log("status not measured; retrying in 15 s"));
    }

    private void sweep() {
        outbox.transaction(context(), unit -> reports.deleteSilentSince(
                                unit, unit.now().minus(PROCESS_RETENTION))
                        .compose(deleted -> evidence.run(unit)))
                .onFailure(e -> LOG.atWarn().setCause(e).log("objectives not recorded; retrying in five minutes"));
    }

    private static ChangeContext context() {
        return new ChangeContext(Ids.next().toString(), Context.root());
    }
}

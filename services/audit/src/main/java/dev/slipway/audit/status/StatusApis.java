package dev.slipway.audit.status;

import dev.slipway.audit.status.ReadinessApi.Candidate;
import dev.slipway.audit.status.component.AdapterHeartbeatConsumer;
import dev.slipway.audit.status.component.ComponentApi;
import dev.slipway.audit.status.component.ComponentStore;
import dev.slipway.audit.status.component.ProcessReportConsumer;
import dev.slipway.audit.status.incident.AlertmanagerApi;
import dev.slipway.audit.status.incident.IncidentApi;
import dev.slipway.audit.status.incident.IncidentStore;
import dev.slipway.audit.status.maintenance.MaintenanceApi;
import dev.slipway.audit.status.maintenance.MaintenanceSchedule;
import dev.slipway.audit.status.maintenance.MaintenanceStore;
import dev.slipway.audit.status.slo.EvidenceSweep;
import dev.slipway.audit.status.slo.SloApi;
import dev.slipway.audit.status.slo.SloRecorder;
import dev.slipway.audit.status.slo.SloRegistry;
import dev.slipway.audit.status.slo.SloStore;
import dev.slipway.messaging.Topics;
import dev.slipway.service.HeartbeatVerifier;
import dev.slipway.service.Service;
import dev.slipway.service.ServiceContext;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

import java.util.List;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Wires the status: its stores, API operations, consumer and periodic work. */
public final class StatusApis {
    private StatusApis() {}

    /**
     * Registers the operations and the consumer of the status.
     *
     * @param candidates reads the newest release candidates with their gates
     */
    public static void serve(
            Vertx vertx,
            ServiceContext serviceContext,
            Service service,
            StatusConfig config,
            Supplier<Future<List<Candidate>>> candidates) {
        var clock = serviceContext.clock();
        var registry = SloRegistry.load();
        var reports = new ComponentStore(service.reads());
        var sloStore = new SloStore(service.reads());
        var incidents = new IncidentStore(service.reads());
        var maintenance = new MaintenanceStore(service.reads());
        var components = new ComponentApi(reports, service.mutations(), clock, config.processTimeout());
        var objectives = new SloApi(registry, sloStore, clock);
        Predicate<UUID> isOrganization = serviceContext.authz()::hasOrganization;
        var organizations = new AffectedOrganizations(isOrganization);
        servePages(service, new StatusPageApi(components, incidents, maintenance, clock));
        service.serve("listStatusComponents", components::list)
                .serve("putStatusComponent", components::put)
                .serve("listSlos", objectives::list)
                .serve("listSloEvidence", objectives::listEvidence)
                .serve(
                        "getStatusPosture",
                        new PostureApi(registry, components, reports, clock, config.processTimeout())::get)
                .serve(
                        "getReleaseReadiness",
                        new ReadinessApi(components, objectives, incidents, maintenance, candidates, clock)::get);
        serveIncidents(
                service,
                new IncidentApi(incidents, service.mutations(), organizations),
                new AlertmanagerApi(incidents, service.mutations(), isOrganization, config.alertmanagerSecret()));
        serveMaintenance(service, new MaintenanceApi(maintenance, service.mutations(), organizations));
        service.consumeOptional(
                "status",
                List.of(Topics.STATUS_REPORTS),
                new ProcessReportConsumer(reports, new SloRecorder(registry, sloStore))::apply);
        service.consumeOptional(
                "adapters",
                List.of(Topics.RUNTIME_REPORTS),
                new AdapterHeartbeatConsumer(
                        reports,
                        new HeartbeatVerifier(
                                serviceContext.authz(), serviceContext.tokens().forReports()),
                        config.environment())::apply);
        new StatusSchedule(
                        vertx,
                        service.outbox(),
                        clock,
                        components,
                        reports,
                        objectives,
                        sloStore,
                        new EvidenceSweep(registry, sloStore),
                        incidents,
                        new MaintenanceSchedule(maintenance),
                        new StatusMetrics(serviceContext.telemetry().metrics(), registry))
                .start();
    }

    private static void servePages(Service service, StatusPageApi api) {
        service.serve("getPublicStatus", api::getPublic).serve("getOrganizationStatus", api::getOfOrganization);
    }

    private static void serveIncidents(Service service, IncidentApi api, AlertmanagerApi alertmanager) {
        service.serve("listIncidents", api::list)
                .serve("createIncident", api::create)
                .serve("getIncident", api::get)
                .serve("updateIncident", api::change)
                .serve("addIncidentUpdate", api::addUpdate)
                .serve("receiveAlertmanagerWebhook", alertmanager::receive);
    }

    private static void serveMaintenance(Service service, MaintenanceApi api) {
        service.serve("listMaintenance", api::list)
                .serve("createMaintenance", api::create)
                .serve("getMaintenance", api::get)
                .serve("moveMaintenance", api::move);
    }
}

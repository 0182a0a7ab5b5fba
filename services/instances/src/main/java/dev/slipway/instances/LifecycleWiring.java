package dev.slipway.instances;

import dev.slipway.authz.Authorizer;
import dev.slipway.contract.EventSchemas;
import dev.slipway.instances.appinstance.AdmissionStore;
import dev.slipway.instances.appinstance.AppInstanceApi;
import dev.slipway.instances.appinstance.AppInstanceStore;
import dev.slipway.instances.appinstance.PolicyMetrics;
import dev.slipway.instances.lifecycle.Cancellations;
import dev.slipway.instances.lifecycle.DeadlineSweep;
import dev.slipway.instances.lifecycle.Deletions;
import dev.slipway.instances.lifecycle.InstanceReports;
import dev.slipway.instances.lifecycle.LaunchApi;
import dev.slipway.instances.lifecycle.LaunchParameters;
import dev.slipway.instances.lifecycle.Launches;
import dev.slipway.instances.lifecycle.LifecycleApi;
import dev.slipway.instances.lifecycle.Manifests;
import dev.slipway.instances.lifecycle.MemberIssue;
import dev.slipway.instances.lifecycle.OperationReports;
import dev.slipway.instances.lifecycle.Upgrades;
import dev.slipway.instances.operation.OperationApi;
import dev.slipway.instances.operation.OperationReadStore;
import dev.slipway.instances.operation.OperationStore;
import dev.slipway.instances.operation.domain.Operation.Kind;
import dev.slipway.instances.operation.domain.Waiting.Adapters;
import dev.slipway.instances.plan.PlanStore;
import dev.slipway.instances.projection.ManifestStore;
import dev.slipway.instances.report.ReportAuthorization;
import dev.slipway.instances.report.ReportRouter;
import dev.slipway.instances.runtime.AdapterStore;
import dev.slipway.instances.runtime.CommandStore;
import dev.slipway.service.Frame;
import dev.slipway.service.Service;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.function.Function;

/** Instances, the operations on them, and what adapters report: wiring only. */
final class LifecycleWiring {
    private static final Logger LOG = LoggerFactory.getLogger(LifecycleWiring.class);
    private static final long WATCH_POLICY_EVERY_MS = 10_000;

    private final Vertx vertx;
    private final AdmissionStore admissions;
    private final CommandStore commands;
    private final AppInstanceStore instances;
    private final OperationStore operations;
    private final AppInstanceApi reading;
    private final OperationApi operationApi;
    private final LaunchApi launching;
    private final LifecycleApi lifecycle;
    private final OperationReports operationReports;
    private final ReportRouter reports;
    private final DeadlineSweep deadlines;

    LifecycleWiring(
            Vertx vertx,
            Frame frame,
            Service service,
            InstancesConfig config,
            AdapterStore adapters,
            MemberIssue members) {
        this.vertx = vertx;
        admissions = new AdmissionStore(
                service.reads(),
                config.policyBudget(),
                new PolicyMetrics(frame.telemetry().metrics()));
        commands = new CommandStore();
        var manifests = new Manifests(vertx, new ManifestStore());
        var parameters = new LaunchParameters(vertx);
        var plans = new PlanStore();
        Function<String, Future<Adapters>> known =
                backend -> adapters.lastSeen(backend).map(seen -> new Adapters(backend, seen, AdapterStore.SILENCE));
        instances = new AppInstanceStore(service.reads());
        operations = new OperationStore(commands);
        reading = new AppInstanceApi(instances);
        operationApi = new OperationApi(new OperationReadStore(service.reads()), instances, known, frame.clock());
        launching = new LaunchApi(
                new Launches(
                        instances, admissions, manifests, parameters, members, operations, commands, config.region()),
                plans,
                known,
                service.mutations());
        var upgrades = new Upgrades(instances, admissions, manifests, parameters, members, operations, commands);
        var deletions = new Deletions(instances, operations, commands);
        lifecycle = new LifecycleApi(
                upgrades,
                new Cancellations(instances, operations, commands, members),
                deletions,
                admissions,
                new Authorizer(frame.authz()),
                frame.clock(),
                service.mutations(),
                service.outbox());
        deadlines = new DeadlineSweep(
                vertx,
                service.outbox(),
                instances,
                operations,
                commands,
                deletions,
                members,
                plans,
                known,
                config.deadlinesEvery());
        operationReports = new OperationReports(instances, operations)
                .on(Kind.UPGRADE, upgrades::ended)
                .on(Kind.ROLLBACK, upgrades::ended);
        reports = new ReportRouter(
                instances,
                operations,
                commands,
                frame.authz(),
                new ReportAuthorization(frame.authz(), frame.tokens(), EventSchemas.load()),
                frame.clock(),
                frame.authzBudgetForWrites());
        new InstanceReports(instances, operations, upgrades, deletions).handle(reports);
        operationReports.handle(reports);
    }

    Service serve(Service service, HistoryWiring history) {
        return service.serveOnEveryLoop("createAppInstance", launching::create)
                .serve("planAppInstance", launching::plan)
                .serveOnEveryLoop("listAppInstances", reading::list)
                .serveOnEveryLoop("getAppInstance", history.orAtATime(reading::get))
                .serve("deleteAppInstance", lifecycle::delete)
                .serve("forceDeleteAppInstance", lifecycle::forceDelete)
                .serve("upgradeAppInstance", lifecycle::upgrade)
                .serve("rollbackAppInstance", lifecycle::rollback)
                .serve("listInstanceOperations", operationApi::list)
                .serve("getInstanceOperation", operationApi::get)
                .serve("getMemberOperation", operationApi::getOfMember)
                .serve("cancelInstanceOperation", lifecycle::cancel);
    }

    void start() {
        deadlines.start();
        vertx.setPeriodic(
                0, WATCH_POLICY_EVERY_MS, timer -> admissions.watchPolicy().onFailure(e -> LOG.atWarn()
                        .log("could not see how old policy is: {}", e.toString())));
    }

    AdmissionStore admissions() {
        return admissions;
    }

    CommandStore commands() {
        return commands;
    }

    AppInstanceStore instances() {
        return instances;
    }

    OperationStore operations() {
        return operations;
    }

    /** For kinds of operations whose end means more than that. */
    OperationReports operationReports() {
        return operationReports;
    }

    /** Where the handlers of more types of reports are added. */
    ReportRouter reports() {
        return reports;
    }
}

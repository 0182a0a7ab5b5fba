package dev.slipway.instances.lifecycle;

import dev.slipway.contract.Json;
import dev.slipway.instances.appinstance.AppInstanceStore;
import dev.slipway.instances.appinstance.domain.AppInstance;
import dev.slipway.instances.appinstance.domain.Decision;
import dev.slipway.instances.appinstance.domain.InstanceLifecycle;
import dev.slipway.instances.operation.OperationJson;
import dev.slipway.instances.operation.OperationStore;
import dev.slipway.instances.operation.domain.Operation;
import dev.slipway.instances.operation.domain.Operation.Kind;
import dev.slipway.instances.operation.domain.OperationDecision.Accepted;
import dev.slipway.instances.operation.domain.OperationLifecycle;
import dev.slipway.instances.report.Report;
import dev.slipway.instances.report.ReportRouter;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.function.Function;

/** What adapters report of an instance's own life, and of the operations that make it and end it. */
public final class InstanceReports {
    private final AppInstanceStore instances;
    private final OperationStore operations;
    private final Upgrades upgrades;
    private final Deletions deletions;

    public InstanceReports(
            AppInstanceStore instances, OperationStore operations, Upgrades upgrades, Deletions deletions) {
        this.instances = instances;
        this.operations = operations;
        this.upgrades = upgrades;
        this.deletions = deletions;
    }

    public void handle(ReportRouter router) {
        router.on("accepted", this::accepted)
                .on("deploying", this::deploying)
                .on("running", this::running)
                .on("failed", this::failed)
                .on("deleted", this::deleted)
                .on("progress", this::progress);
    }

    private Future<AppInstance> accepted(UnitOfWork unit, Report report) {
        return Future.succeededFuture(
                kept(unit, report, report.instance(), current -> OperationLifecycle.reportTaken(current, unit.now())));
    }

    private Future<AppInstance> deploying(UnitOfWork unit, Report report) {
        var decision = InstanceLifecycle.reportDeploying(
                report.instance(), report.generation(), state(report, "message"), unit.now());
        return decided(unit, report, decision, current -> taken(unit, report, current));
    }

    private Future<AppInstance> running(UnitOfWork unit, Report report) {
        var late = lateUpgrade(report);
        if (late != null) {
            return upgrades.runsAfterAll(unit, report, late);
        }
        var decision = InstanceLifecycle.reportRunning(
                report.instance(), report.generation(), state(report, "endpoints"), unit.now());
        return decided(
                unit,
                report,
                decision,
                current -> current.kind() == Kind.CREATE
                        ? OperationLifecycle.reportSucceeded(current, null, unit.now())
                        : OperationLifecycle.reportTaken(current, unit.now()));
    }

    /** An upgrade that was given up, if this says that what it led to runs after all. */
    private static @Nullable Operation lateUpgrade(Report report) {
        var operation = report.operation();
        if (operation == null
                || operation.toVersion() == null
                || report.outdated()
                || (operation.status() != Operation.Status.FAILED && operation.status() != Operation.Status.CANCELED)) {
            return null;
        }
        var runs = report.payload().path("app_version").asText(operation.toVersion());
        return runs.equals(operation.toVersion()) ? operation : null;
    }

    private Future<AppInstance> failed(UnitOfWork unit, Report report) {
        var reason = report.payload().path("reason").asText();
        var decision = InstanceLifecycle.reportFailed(report.instance(), report.generation(), reason, unit.now());
        var operation = report.operation();
        var launchFailed = operation != null
                && operation.kind() == Kind.CREATE
                && !operation.status().ended()
                && !report.outdated();
        return decided(
                        unit,
                        report,
                        decision,
                        current -> current.kind() == Kind.CREATE || current.kind() == Kind.DELETE
                                ? OperationLifecycle.reportFailed(current, reason, unit.now())
                                : OperationLifecycle.reportTaken(current, unit.now()))
                .compose(failed -> launchFailed && failed.terms().reap()
                        ? deletions.reap(unit, failed)
                        : Future.succeededFuture(failed));
    }

    private Future<AppInstance> deleted(UnitOfWork unit, Report report) {
        var decision = InstanceLifecycle.reportDeleted(report.instance(), report.generation(), unit.now());
        return decided(
                unit,
                report,
                decision,
                current -> current.kind() == Kind.DELETE
                        ? OperationLifecycle.reportSucceeded(current, null, unit.now())
                        : OperationLifecycle.reportTaken(current, unit.now()));
    }

    private Future<AppInstance> progress(UnitOfWork unit, Report report) {
        return Future.succeededFuture(kept(unit, report, report.instance(), current -> taken(unit, report, current)));
    }

    private static Accepted taken(UnitOfWork unit, Report report, Operation current) {
        return OperationLifecycle.reportProgress(
                current, OperationJson.progress(report.payload(), current.progress()), unit.now());
    }

    private Future<AppInstance> decided(
            UnitOfWork unit, Report report, Decision decision, Function<Operation, Accepted> ofOperation) {
        return Future.succeededFuture(decision)
                .map(Decisions::accepted)
                .map(accepted -> kept(unit, report, instances.announce(unit, accepted), ofOperation));
    }

    /** The instance after what was decided on it and on the operation, stored once. */
    private AppInstance kept(
            UnitOfWork unit, Report report, AppInstance decided, Function<Operation, Accepted> ofOperation) {
        var operation = report.operation();
        var after = operation == null
                ? decided
                : operations
                        .apply(unit, decided, operation, ofOperation.apply(operation))
                        .instance();
        if (!after.equals(report.instance())) {
            instances.keep(unit, after);
        }
        return after;
    }

    /** The runtime's state as reported; in the words that are kept of it where it says the same, so that nothing seems to change. */
    private static String state(Report report, String field) {
        var state = Json.object();
        if (report.payload().has(field)) {
            state.set(field, report.payload().path(field));
        }
        var kept = report.instance().runtimeState();
        return Json.trusted(kept).equals(state) ? kept : Json.text(state);
    }
}

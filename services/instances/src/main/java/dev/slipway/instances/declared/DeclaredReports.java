package dev.slipway.instances.declared;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.contract.Problem.FieldProblem;
import dev.slipway.instances.appinstance.AppInstanceStore;
import dev.slipway.instances.appinstance.domain.AppInstance;
import dev.slipway.instances.lifecycle.OperationReports;
import dev.slipway.instances.operation.OperationStore;
import dev.slipway.instances.operation.domain.Operation;
import dev.slipway.instances.operation.domain.OperationDecision.Accepted;
import dev.slipway.instances.operation.domain.OperationLifecycle;
import dev.slipway.instances.projection.ManifestStore;
import dev.slipway.instances.report.Report;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

import java.util.List;
import java.util.Objects;

/** How adapters report the end of what an app declares. What does not fit the output's schema is no success. */
public final class DeclaredReports {
    private final Vertx vertx;
    private final AppInstanceStore instances;
    private final OperationStore operations;
    private final ManifestStore manifests;

    public DeclaredReports(
            Vertx vertx, AppInstanceStore instances, OperationStore operations, ManifestStore manifests) {
        this.vertx = vertx;
        this.instances = instances;
        this.operations = operations;
        this.manifests = manifests;
    }

    public Future<AppInstance> ended(UnitOfWork unit, Report report) {
        var operation = Objects.requireNonNull(report.operation());
        // An upgrade may have begun beside it, and raised the generation: that it has ended is true all the same.
        if (operation.status().ended()) {
            return Future.succeededFuture(report.instance());
        }
        return manifests
                .of(unit, report.instance().app().versionId())
                .compose(manifest -> faults(manifest, operation, report.payload()))
                .compose(faults -> faults.isEmpty()
                        ? Future.succeededFuture(kept(
                                unit,
                                report,
                                operation,
                                OperationReports.decide(operation, report.payload(), unit.now())))
                        : misfit(unit, report, operation, faults.get(0)));
    }

    /** What is wrong with an output, found away from the event loop: somebody else wrote the schema, and its patterns. */
    private Future<List<FieldProblem>> faults(JsonNode manifest, Operation operation, JsonNode report) {
        var declared = DeclaredOperation.find(manifest, operation.name());
        return declared == null || !report.path("status").asText().equals("succeeded")
                ? Future.succeededFuture(List.of())
                : vertx.executeBlocking(() -> declared.outputProblems(report.path("output")));
    }

    /** The adapter is done with it, so it ends; and the report is refused, so that whoever wrote the adapter hears of it. */
    private Future<AppInstance> misfit(UnitOfWork unit, Report report, Operation operation, FieldProblem first) {
        var reason = "The output does not fit its schema: " + first.field() + " " + first.problem() + ".";
        kept(unit, report, operation, OperationLifecycle.reportFailed(operation, reason, unit.now()));
        return Future.failedFuture(
                Problem.of(ErrorCode.VALIDATION_ERROR, reason).asException());
    }

    @CanIgnoreReturnValue
    private AppInstance kept(UnitOfWork unit, Report report, Operation operation, Accepted decided) {
        var after =
                operations.apply(unit, report.instance(), operation, decided).instance();
        if (!after.equals(report.instance())) {
            instances.keep(unit, after);
        }
        return after;
    }
}

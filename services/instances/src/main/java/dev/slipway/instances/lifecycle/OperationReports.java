package dev.slipway.instances.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.instances.appinstance.AppInstanceStore;
import dev.slipway.instances.appinstance.domain.AppInstance;
import dev.slipway.instances.operation.OperationStore;
import dev.slipway.instances.operation.domain.Operation;
import dev.slipway.instances.operation.domain.Operation.Kind;
import dev.slipway.instances.operation.domain.Operation.Status;
import dev.slipway.instances.operation.domain.OperationDecision.Accepted;
import dev.slipway.instances.operation.domain.OperationLifecycle;
import dev.slipway.instances.report.Report;
import dev.slipway.instances.report.ReportHandler;
import dev.slipway.instances.report.ReportRouter;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;

import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;

/** How adapters report the end of operations. A kind of operation whose end means more than that has a handler of its own. */
public final class OperationReports {
    private final AppInstanceStore instances;
    private final OperationStore operations;
    private final Map<Kind, ReportHandler> ends = new EnumMap<>(Kind.class);

    public OperationReports(AppInstanceStore instances, OperationStore operations) {
        this.instances = instances;
        this.operations = operations;
    }

    /** Has the end of operations of a kind applied by another handler; the report's operation is there. */
    @CanIgnoreReturnValue
    public OperationReports on(Kind kind, ReportHandler handler) {
        ends.put(kind, handler);
        return this;
    }

    public void handle(ReportRouter router) {
        router.on("operation", this::ended);
    }

    private Future<AppInstance> ended(UnitOfWork unit, Report report) {
        var operation = report.operation();
        if (operation == null || operation.kind() == Kind.CREATE || operation.kind() == Kind.DELETE) {
            return Future.failedFuture(Problem.validationOf(
                            ErrorCode.VALIDATION_ERROR,
                            "event_type",
                            "is not how a launch or a deletion ends: report running, failed or deleted")
                    .asException());
        }
        return ends.getOrDefault(operation.kind(), (u, r) -> plainly(u, r, operation))
                .apply(unit, report);
    }

    private Future<AppInstance> plainly(UnitOfWork unit, Report report, Operation operation) {
        var after = operations
                .apply(unit, report.instance(), operation, decide(operation, report.payload(), unit.now()))
                .instance();
        if (!after.equals(report.instance())) {
            instances.keep(unit, after);
        }
        return Future.succeededFuture(after);
    }

    /** What a report makes of an operation. */
    public static Accepted decide(Operation operation, JsonNode report, Instant now) {
        var reason = report.path("reason").asText("The adapter gave no reason.");
        return switch (Status.of(report.path("status").asText())) {
            case SUCCEEDED ->
                OperationLifecycle.reportSucceeded(
                        operation, report.has("output") ? Json.text(report.path("output")) : null, now);
            case CANCELED -> OperationLifecycle.reportCanceled(operation, reason, now);
            case FAILED, ACCEPTED, RUNNING -> OperationLifecycle.reportFailed(operation, reason, now);
        };
    }
}

package dev.slipway.instances.declared;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.instances.appinstance.AppInstanceStore;
import dev.slipway.instances.appinstance.domain.AppInstance;
import dev.slipway.instances.operation.OperationJson;
import dev.slipway.instances.operation.OperationStore;
import dev.slipway.instances.operation.domain.Operation;
import dev.slipway.instances.operation.domain.OperationDecision.Accepted;
import dev.slipway.instances.operation.domain.OperationLifecycle;
import dev.slipway.instances.projection.ManifestStore;
import dev.slipway.instances.report.Report;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.Objects;

/** How adapters report the end of what an app declares. What does not fit the output's schema is no success. */
public final class DeclaredReports {
    private final AppInstanceStore instances;
    private final OperationStore operations;
    private final ManifestStore manifests;

    public DeclaredReports(AppInstanceStore instances, OperationStore operations, ManifestStore manifests) {
        this.instances = instances;
        this.operations = operations;
        this.manifests = manifests;
    }

    public Future<AppInstance> ended(UnitOfWork unit, Report report) {
        var operation = Objects.requireNonNull(report.operation());
        if (report.outdated() || operation.status().ended()) {
            return Future.succeededFuture(report.instance());
        }
        return manifests.of(unit, report.instance().app().versionId()).compose(manifest -> {
            var misfit = misfit(manifest, operation, report.payload());
            if (misfit == null) {
                var decided = OperationJson.ended(operation, report.payload(), unit.now());
                return Future.succeededFuture(kept(unit, report, operation, decided));
            }
            // The adapter is done with it, so it ends; and the report is refused, so that who wrote the adapter hears
            // of it.
            kept(unit, report, operation, OperationLifecycle.reportFailed(operation, misfit.message(), unit.now()));
            return Future.failedFuture(misfit.asException());
        });
    }

    private static @Nullable Problem misfit(JsonNode manifest, Operation operation, JsonNode report) {
        var declared = DeclaredOperation.find(manifest, operation.name());
        if (declared == null || !report.path("status").asText().equals("succeeded")) {
            return null;
        }
        var problems = declared.outputProblems(report.path("output"));
        if (problems.isEmpty()) {
            return null;
        }
        var first = problems.get(0);
        return Problem.of(
                ErrorCode.VALIDATION_ERROR,
                "The output does not fit its schema: " + first.field() + " " + first.problem() + ".");
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

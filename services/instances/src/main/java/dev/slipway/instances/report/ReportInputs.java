package dev.slipway.instances.report;

import com.fasterxml.jackson.databind.node.MissingNode;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.instances.launch.AppVersionStore;
import dev.slipway.instances.launch.LaunchContextStore;
import dev.slipway.instances.launch.domain.AppVersionRef;
import dev.slipway.instances.launch.domain.VersionChange;
import dev.slipway.instances.member.domain.Member;
import dev.slipway.instances.report.domain.AdapterReport;
import dev.slipway.instances.report.domain.ReportedUsageWindow;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.operations.AdapterStore;
import dev.slipway.operations.Refusals;
import dev.slipway.operations.RejectedReportStore;
import dev.slipway.operations.ReportHandler.AppliedReport;
import dev.slipway.operations.RuntimeReport;
import dev.slipway.operations.UsageWindowStore;
import dev.slipway.operations.UsageWindowStore.UsageWindow;
import dev.slipway.operations.domain.Operation;
import dev.slipway.operations.domain.Operation.Blocker;
import dev.slipway.operations.domain.Operation.Kind;
import dev.slipway.operations.domain.OperationBlockers;
import dev.slipway.operations.domain.ReportType;
import dev.slipway.operations.domain.SubjectRef;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;

/** Loads what a decision on a report or on an expired operation needs, and applies reports, of app instances and of shared runtimes. */
public final class ReportInputs {
    private final Vertx vertx;
    private final LaunchContextStore manifests;
    private final AppVersionStore versions;
    private final AdapterStore adapters;
    private final RejectedReportStore rejectedReports;
    private final UsageWindowStore usageWindows;

    public ReportInputs(
            Vertx vertx,
            LaunchContextStore manifests,
            AppVersionStore versions,
            AdapterStore adapters,
            RejectedReportStore rejectedReports,
            UsageWindowStore usageWindows) {
        this.vertx = vertx;
        this.manifests = manifests;
        this.versions = versions;
        this.adapters = adapters;
        this.rejectedReports = rejectedReports;
        this.usageWindows = usageWindows;
    }

    /**
     * The subject of a report as it was before.
     *
     * @param operation that the report belongs to; null if it belongs to none
     */
    public record ReportedSubject(
            AppVersionRef app,
            int generation,
            String config,
            String runtimeState,
            List<Member> members,
            @Nullable Operation operation) {}

    /**
     * Applies a report. The output of an operation that does not match its schema ends the operation, and the report is rejected, so that
     * the adapter's author learns of the fault.
     *
     * @param apply decides and stores the result
     */
    public Future<AppliedReport> apply(
            UnitOfWork unit,
            RuntimeReport report,
            ReportedSubject subject,
            Function<AdapterReport, AppliedReport> apply) {
        return loadTarget(unit, report, subject)
                .compose(target -> validateOutput(unit, report, subject).map(invalidOutput -> {
                    var applied = apply.apply(ReportMapper.toReport(
                            report, subject.runtimeState, subject.members, target, invalidOutput));
                    if (invalidOutput != null) {
                        throw Problem.of(ErrorCode.VALIDATION_ERROR, invalidOutput)
                                .asException();
                    }
                    return applied;
                }));
    }

    /** Returns the version that the subject runs by the report; null unless an upgrade or a rollback has succeeded. */
    private Future<@Nullable VersionChange> loadTarget(UnitOfWork unit, RuntimeReport report, ReportedSubject subject) {
        return report.runsTargetVersion(subject.operation, subject.generation)
                ? versions.loadChange(unit, subject.app, subject.config, Objects.requireNonNull(subject.operation))
                        .map(found -> found)
                : Future.succeededFuture();
    }

    /** Returns why the output of a declared operation is invalid; null if it is not. */
    private Future<@Nullable String> validateOutput(UnitOfWork unit, RuntimeReport report, ReportedSubject subject) {
        var operation = subject.operation;
        if (report.type() != ReportType.OPERATION
                || operation == null
                || operation.kind() != Kind.DECLARED
                || operation.status().isEnded()
                || report.payload().status() != Operation.Status.SUCCEEDED) {
            return Future.succeededFuture();
        }
        var output = report.payload().output();
        return manifests.loadManifest(unit, subject.app).compose(manifest -> {
            var declared = manifest.findOperation(operation.name());
            if (declared == null) {
                return Future.succeededFuture();
            }
            // Off the event loop, because the schema and its patterns are untrusted.
            return vertx.executeBlocking(
                            () -> declared.validateOutput(output == null ? MissingNode.getInstance() : output))
                    .map(problems -> problems.isEmpty()
                            ? null
                            : "The output does not match its schema: "
                                    + problems.get(0).field() + " "
                                    + problems.get(0).problem() + ".");
        });
    }

    /** Stores a window of usage; rejects one that overlaps another of its source, or has too many digits. */
    public Future<Void> acceptUsageWindow(
            UnitOfWork unit, UUID subjectId, String source, RuntimeReport.Payload payload) {
        var window = UsageWindow.of(subjectId, source, payload);
        return usageWindows.findFacts(unit, window).map(facts -> {
            Refusals.rejectIf(ReportedUsageWindow.checkQuantity(
                    Objects.requireNonNull(payload.quantity()), facts.precision(), facts.overlaps()));
            usageWindows.insert(unit, window);
            return null;
        });
    }

    /** Returns why an operation has not ended at its deadline. */
    public Future<Blocker> findBlocker(UnitOfWork unit, SubjectRef subject, String backend, Operation operation) {
        var availability = adapters.findAvailability(backend);
        var rejected = rejectedReports.summarize(unit, subject, operation.commandId());
        return Future.all(availability, rejected)
                .map(all ->
                        OperationBlockers.atDeadline(operation, availability.result(), rejected.result(), unit.now()));
    }
}

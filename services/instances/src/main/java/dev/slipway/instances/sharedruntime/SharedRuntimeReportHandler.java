package dev.slipway.instances.sharedruntime;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.instances.appinstance.LaunchContextStore;
import dev.slipway.instances.appinstance.ReportMapper;
import dev.slipway.instances.appinstance.domain.ReportedUsageWindow;
import dev.slipway.instances.appinstance.domain.VersionChange;
import dev.slipway.instances.sharedruntime.domain.Attachment;
import dev.slipway.instances.sharedruntime.domain.AttachmentRequests;
import dev.slipway.instances.sharedruntime.domain.LoadedSharedRuntime;
import dev.slipway.instances.sharedruntime.domain.SharedRuntime;
import dev.slipway.instances.sharedruntime.domain.SharedRuntimeReports;
import dev.slipway.instances.sharedruntime.domain.SharedRuntimeRequests.Caller;
import dev.slipway.instances.sharedruntime.domain.SharedRuntimeRequests.RemovalMode;
import dev.slipway.instances.sharedruntime.domain.Worker;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.operations.AdapterStore;
import dev.slipway.operations.DeadlineSweep;
import dev.slipway.operations.DeadlineSweep.ExpiryHandler;
import dev.slipway.operations.OperationStore.DueOperation;
import dev.slipway.operations.RejectedReportStore;
import dev.slipway.operations.ReportHandler;
import dev.slipway.operations.RuntimeReport;
import dev.slipway.operations.UsageWindowStore;
import dev.slipway.operations.UsageWindowStore.UsageWindow;
import dev.slipway.operations.domain.NewOperation.Requester;
import dev.slipway.operations.domain.Operation;
import dev.slipway.operations.domain.Operation.Kind;
import dev.slipway.operations.domain.OperationBlockers;
import dev.slipway.operations.domain.ReportType;
import dev.slipway.service.AuditTrail;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Objects;
import java.util.UUID;

/** Applies adapter reports on shared runtimes, expires their operations, and detaches projects that are deleted. */
public final class SharedRuntimeReportHandler implements ReportHandler, ExpiryHandler {
    private final Vertx vertx;
    private final SharedRuntimeStore runtimes;
    private final LaunchContextStore manifests;
    private final AdapterStore adapters;
    private final RejectedReportStore rejectedReports;
    private final UsageWindowStore usageWindows;

    public SharedRuntimeReportHandler(
            Vertx vertx,
            SharedRuntimeStore runtimes,
            LaunchContextStore manifests,
            AdapterStore adapters,
            RejectedReportStore rejectedReports,
            UsageWindowStore usageWindows) {
        this.vertx = vertx;
        this.runtimes = runtimes;
        this.manifests = manifests;
        this.adapters = adapters;
        this.rejectedReports = rejectedReports;
        this.usageWindows = usageWindows;
    }

    /** The payload of {@code apps.shared_runtime_usage.reported}. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    private record UsagePayload(
            UUID orgId,
            String appSlug,
            UUID sharedRuntimeId,
            @Nullable String usageId,
            @Nullable String unit,
            @Nullable String quantity,
            @Nullable String windowStart,
            @Nullable String windowEnd,
            UUID commandId,
            @Nullable UUID projectId,
            @Nullable UUID attachmentId,
            @Nullable UUID sourceProjectId) {}

    @Override
    public Future<AppliedReport> apply(UnitOfWork unit, RuntimeReport report) {
        var payload = report.payload();
        return runtimes.loadByCommand(unit, payload.orgId(), payload.subjectId(), payload.commandId())
                .compose(loaded -> {
                    SharedRuntimeCall.rejectIf(report.checkOperation(loaded.operation()));
                    return report.type() == ReportType.USAGE
                            ? publishUsage(unit, report, loaded)
                            : apply(unit, report, loaded);
                });
    }

    private Future<AppliedReport> apply(UnitOfWork unit, RuntimeReport report, LoadedSharedRuntime loaded) {
        return loadTarget(unit, report, loaded)
                .compose(target -> validateOutput(unit, report, loaded).compose(invalidOutput -> {
                    var change = SharedRuntimeCall.requireAccepted(SharedRuntimeReports.apply(
                            loaded,
                            ReportMapper.toReport(
                                    report,
                                    loaded.runtime().state().runtimeState(),
                                    loaded.workers().stream()
                                            .map(Worker::member)
                                            .toList(),
                                    target,
                                    invalidOutput),
                            SharedRuntimeCall.context(unit)));
                    var next = runtimes.apply(unit, change);
                    // The operation has ended, and the report is rejected, so that the adapter's author learns of it.
                    return invalidOutput == null
                            ? Future.succeededFuture(toApplied(next, loaded.operation()))
                            : Future.failedFuture(Problem.of(ErrorCode.VALIDATION_ERROR, invalidOutput)
                                    .asException());
                }));
    }

    private static AppliedReport toApplied(SharedRuntime runtime, @Nullable Operation operation) {
        return new AppliedReport(
                runtime.ref(), runtime.status().text(), runtime.status() == SharedRuntime.Status.DELETED, operation);
    }

    private Future<@Nullable VersionChange> loadTarget(
            UnitOfWork unit, RuntimeReport report, LoadedSharedRuntime loaded) {
        var payload = report.payload();
        return SharedRuntimeReports.runsTargetVersion(
                        loaded, report.type(), payload.generation(), payload.appVersion(), ReportMapper.status(payload))
                ? manifests
                        .loadVersionChange(
                                unit,
                                loaded.runtime().app(),
                                loaded.runtime().config(),
                                Objects.requireNonNull(loaded.operation()))
                        .map(found -> found)
                : Future.succeededFuture();
    }

    /** Returns why the output of a declared operation is invalid; null if it is not. */
    private Future<@Nullable String> validateOutput(UnitOfWork unit, RuntimeReport report, LoadedSharedRuntime loaded) {
        var operation = loaded.operation();
        if (report.type() != ReportType.OPERATION
                || operation == null
                || operation.kind() != Kind.DECLARED
                || operation.status().isEnded()
                || ReportMapper.status(report.payload()) != Operation.Status.SUCCEEDED) {
            return Future.succeededFuture();
        }
        var output = report.payload().output();
        return manifests.loadManifest(unit, loaded.runtime().app()).compose(manifest -> {
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

    /** Usage keeps both anchors: the runtime and its organization, and the project that it belongs to. */
    private Future<AppliedReport> publishUsage(UnitOfWork unit, RuntimeReport report, LoadedSharedRuntime loaded) {
        var payload = report.payload();
        var runtime = loaded.runtime();
        return manifests.loadManifest(unit, runtime.app()).compose(manifest -> {
            SharedRuntimeCall.rejectIf(ReportedUsageWindow.check(
                    runtime.createdAt(),
                    runtime.state().deletedAt(),
                    manifest.spec().usageUnits(),
                    payload.unit(),
                    payload.windowStart(),
                    payload.windowEnd(),
                    unit.now()));
            var attachment = attachmentOf(loaded, payload);
            return acceptWindow(unit, runtime, payload).map(ok -> publishUsage(unit, payload, loaded, attachment));
        });
    }

    private Future<Void> acceptWindow(UnitOfWork unit, SharedRuntime runtime, RuntimeReport.Payload payload) {
        var window = UsageWindow.of(runtime.id(), usageSource(payload), payload);
        return usageWindows.findFacts(unit, window).map(facts -> {
            SharedRuntimeCall.rejectIf(ReportedUsageWindow.checkQuantity(
                    Objects.requireNonNull(payload.quantity()), facts.precision(), facts.overlaps()));
            usageWindows.insert(unit, window);
            return null;
        });
    }

    /** Work and contributed capacity of each project are measured independently. */
    private static String usageSource(RuntimeReport.Payload payload) {
        return payload.projectId() + "|" + payload.sourceProjectId();
    }

    private static AppliedReport publishUsage(
            UnitOfWork unit,
            RuntimeReport.Payload payload,
            LoadedSharedRuntime loaded,
            @Nullable Attachment attachment) {
        var runtime = loaded.runtime();
        unit.publish(
                Topics.USAGE_EVENTS,
                runtime.id().toString(),
                "apps.shared_runtime_usage.reported",
                Json.toObject(new UsagePayload(
                        runtime.orgId(),
                        runtime.app().slug(),
                        runtime.id(),
                        payload.usageId(),
                        payload.unit(),
                        payload.quantity(),
                        payload.windowStart(),
                        payload.windowEnd(),
                        payload.commandId(),
                        payload.projectId(),
                        attachment == null ? null : attachment.id(),
                        payload.sourceProjectId())));
        return toApplied(runtime, loaded.operation());
    }

    /** Returns the attachment that usage belongs to; rejects usage of projects that are not attached. */
    private static @Nullable Attachment attachmentOf(LoadedSharedRuntime loaded, RuntimeReport.Payload payload) {
        requireAttached(loaded, "project_id", payload.projectId());
        requireAttached(loaded, "source_project_id", payload.sourceProjectId());
        var projectId = payload.projectId() == null ? payload.sourceProjectId() : payload.projectId();
        var attachment = projectId == null ? null : loaded.attachmentOf(projectId);
        var named = payload.attachmentId();
        if (named != null && (attachment == null || !attachment.id().equals(named))) {
            throw Problem.validationOf(
                            ErrorCode.VALIDATION_ERROR, "attachment_id", "is not the attachment of this project")
                    .asException();
        }
        return attachment;
    }

    private static void requireAttached(LoadedSharedRuntime loaded, String field, @Nullable UUID projectId) {
        if (projectId != null && loaded.attachmentOf(projectId) == null) {
            throw Problem.validationOf(
                            ErrorCode.VALIDATION_ERROR,
                            field,
                            "is not a project that is attached to this shared runtime")
                    .asException();
        }
    }

    @Override
    public Future<Void> expire(UnitOfWork unit, DueOperation due) {
        return runtimes.loadIfFree(unit, due.subject().orgId(), due.subject().id(), due.operationId())
                .compose(loaded -> loaded == null ? Future.succeededFuture() : expire(unit, loaded));
    }

    private Future<Void> expire(UnitOfWork unit, LoadedSharedRuntime loaded) {
        var operation = Objects.requireNonNull(loaded.operation());
        var runtime = loaded.runtime();
        var availability = adapters.findAvailability(runtime.app().runtimeBackend());
        var rejected = rejectedReports.summarize(unit, runtime.ref(), operation.commandId());
        return Future.all(availability, rejected).map(all -> {
            var blocker = OperationBlockers.atDeadline(operation, availability.result(), rejected.result(), unit.now());
            var change = SharedRuntimeReports.expire(loaded, blocker, SharedRuntimeCall.context(unit));
            runtimes.apply(unit, change);
            change.operationUpdates().stream()
                    .filter(update -> update.event() != null)
                    .forEach(update -> DeadlineSweep.audit(unit, update.next(), blocker.code()));
            return null;
        });
    }

    /** Detaches a deleted project from all shared runtimes, in the name of the platform. */
    public Future<Void> onProjectDeleted(UnitOfWork unit, UUID projectId) {
        return runtimes.listAttachedRuntimes(unit, projectId).compose(attached -> {
            Future<Void> chain = Future.succeededFuture();
            for (var each : attached) {
                chain = chain.compose(ok -> runtimes.load(unit, each.orgId(), each.id()))
                        .map(loaded -> {
                            detach(unit, loaded, projectId);
                            return null;
                        });
            }
            return chain;
        });
    }

    private void detach(UnitOfWork unit, LoadedSharedRuntime loaded, UUID projectId) {
        var attachment = loaded.attachmentOf(projectId);
        if (attachment == null) {
            return;
        }
        var runtime = loaded.runtime();
        var requester = new Requester(runtime.requestedByUserId(), runtime.requestedByPrincipalId());
        var context = SharedRuntimeCall.context(unit);
        var change = SharedRuntimeCall.requireAccepted(AttachmentRequests.detach(
                loaded,
                attachment,
                List.of(),
                RemovalMode.FORCE,
                new Caller(requester, "user"),
                context.now(),
                context));
        var next = runtimes.apply(unit, change);
        AuditTrail.recordSystemAction(
                unit,
                "system",
                "instances",
                null,
                SharedRuntimeCall.entry(
                        next, "apps.shared_runtime.attachment.force_detach", null, attachment, projectId),
                "success",
                "project_deleted");
    }
}

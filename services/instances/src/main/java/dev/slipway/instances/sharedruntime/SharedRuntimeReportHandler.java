package dev.slipway.instances.sharedruntime;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.instances.launch.LaunchContextStore;
import dev.slipway.instances.report.ReportInputs;
import dev.slipway.instances.report.ReportInputs.ReportedSubject;
import dev.slipway.instances.report.domain.ReportedUsageWindow;
import dev.slipway.instances.sharedruntime.domain.Attachment;
import dev.slipway.instances.sharedruntime.domain.AttachmentRequests;
import dev.slipway.instances.sharedruntime.domain.LoadedSharedRuntime;
import dev.slipway.instances.sharedruntime.domain.SharedRuntimeReports;
import dev.slipway.instances.sharedruntime.domain.SharedRuntimeRequests.Caller;
import dev.slipway.instances.sharedruntime.domain.SharedRuntimeRequests.RemovalMode;
import dev.slipway.instances.sharedruntime.domain.Worker;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.operations.DeadlineSweep;
import dev.slipway.operations.DeadlineSweep.ExpiryHandler;
import dev.slipway.operations.OperationStore.DueOperation;
import dev.slipway.operations.Refusals;
import dev.slipway.operations.ReportHandler;
import dev.slipway.operations.RuntimeReport;
import dev.slipway.operations.domain.ReportType;
import dev.slipway.service.AuditResult;
import dev.slipway.service.AuditTrail;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Objects;
import java.util.UUID;

/** Applies adapter reports on shared runtimes, expires their operations, and detaches projects that are suspended or deleted. */
public final class SharedRuntimeReportHandler implements ReportHandler, ExpiryHandler {
    private final SharedRuntimeStore runtimes;
    private final LaunchContextStore manifests;
    private final ReportInputs inputs;

    public SharedRuntimeReportHandler(SharedRuntimeStore runtimes, LaunchContextStore manifests, ReportInputs inputs) {
        this.runtimes = runtimes;
        this.manifests = manifests;
        this.inputs = inputs;
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
                    Refusals.rejectIf(report.checkOperation(loaded.operation()));
                    return report.type() == ReportType.USAGE
                            ? publishUsage(unit, report, loaded)
                            : apply(unit, report, loaded);
                });
    }

    private Future<AppliedReport> apply(UnitOfWork unit, RuntimeReport report, LoadedSharedRuntime loaded) {
        var runtime = loaded.runtime();
        var subject = new ReportedSubject(
                runtime.app(),
                runtime.generation(),
                runtime.config(),
                runtime.state().runtimeState(),
                loaded.workers().stream().map(Worker::member).toList(),
                loaded.operation());
        return inputs.apply(unit, report, subject, adapterReport -> {
            var change = SharedRuntimeCall.requireAccepted(
                    SharedRuntimeReports.apply(loaded, adapterReport, SharedRuntimeCall.context(unit)));
            var next = runtimes.apply(unit, change);
            return AppliedReport.of(next.ref(), next.status(), loaded.operation());
        });
    }

    /** Usage keeps both anchors: the runtime and its organization, and the project that it belongs to. */
    private Future<AppliedReport> publishUsage(UnitOfWork unit, RuntimeReport report, LoadedSharedRuntime loaded) {
        var payload = report.payload();
        var runtime = loaded.runtime();
        return manifests.loadManifest(unit, runtime.app()).compose(manifest -> {
            Refusals.rejectIf(ReportedUsageWindow.check(
                    runtime.createdAt(),
                    runtime.state().deletedAt(),
                    manifest.spec().usageUnits(),
                    payload.unit(),
                    payload.windowStart(),
                    payload.windowEnd(),
                    unit.now()));
            var attachment = attachmentOf(loaded, payload);
            return inputs.acceptUsageWindow(unit, runtime.id(), usageSource(payload), payload)
                    .map(ok -> publishUsage(unit, payload, loaded, attachment));
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
        return AppliedReport.of(runtime.ref(), runtime.status(), loaded.operation());
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
        var backend = runtime.app().runtimeBackend();
        return inputs.findBlocker(unit, runtime.ref(), backend, operation).map(blocker -> {
            var change = SharedRuntimeReports.expire(loaded, blocker, SharedRuntimeCall.context(unit));
            runtimes.apply(unit, change);
            change.operationUpdates().stream()
                    .filter(update -> update.event() != null)
                    .forEach(update -> DeadlineSweep.audit(unit, update.next(), blocker.code()));
            return null;
        });
    }

    /** Detaches a suspended or deleted project from all shared runtimes, on behalf of the platform. */
    public Future<Void> detachProject(UnitOfWork unit, UUID projectId, String reason) {
        return runtimes.listAttachedRuntimes(unit, projectId).compose(attached -> {
            Future<Void> chain = Future.succeededFuture();
            for (var each : attached) {
                chain = chain.compose(ok -> runtimes.load(unit, each.orgId(), each.id()))
                        .map(loaded -> {
                            detach(unit, loaded, projectId, reason);
                            return null;
                        });
            }
            return chain;
        });
    }

    /** Detaches a project from one shared runtime at once, on behalf of the platform. */
    void detach(UnitOfWork unit, LoadedSharedRuntime loaded, UUID projectId, String reason) {
        var attachment = loaded.attachmentOf(projectId);
        if (attachment == null) {
            return;
        }
        var context = SharedRuntimeCall.context(unit);
        var change = SharedRuntimeCall.requireAccepted(AttachmentRequests.detach(
                loaded,
                attachment,
                List.of(),
                RemovalMode.FORCE,
                Caller.ofCreator(loaded.runtime()),
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
                AuditResult.SUCCESS,
                reason);
    }
}

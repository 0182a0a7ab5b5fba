package dev.slipway.instances.appinstance;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import dev.slipway.contract.Json;
import dev.slipway.instances.appinstance.AppInstanceStore.Part;
import dev.slipway.instances.appinstance.domain.AppInstance;
import dev.slipway.instances.appinstance.domain.ChangeDecision;
import dev.slipway.instances.appinstance.domain.InstanceChange;
import dev.slipway.instances.appinstance.domain.InstanceReports;
import dev.slipway.instances.appinstance.domain.LoadedInstance;
import dev.slipway.instances.launch.LaunchContextStore;
import dev.slipway.instances.report.ReportInputs;
import dev.slipway.instances.report.ReportInputs.ReportedSubject;
import dev.slipway.instances.report.domain.ReportedUsageWindow;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.operations.DeadlineSweep;
import dev.slipway.operations.DeadlineSweep.ExpiryHandler;
import dev.slipway.operations.OperationStore.DueOperation;
import dev.slipway.operations.Refusals;
import dev.slipway.operations.ReportHandler;
import dev.slipway.operations.RuntimeReport;
import dev.slipway.operations.domain.Operation.Kind;
import dev.slipway.operations.domain.ReportType;
import dev.slipway.service.AuditResult;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.UUID;

/** Applies adapter reports on instances, and expires their operations. */
public final class AppInstanceReports implements ReportHandler, ExpiryHandler {
    private final AppInstanceStore instances;
    private final LaunchContextStore contexts;
    private final ReportInputs inputs;

    public AppInstanceReports(AppInstanceStore instances, LaunchContextStore contexts, ReportInputs inputs) {
        this.instances = instances;
        this.contexts = contexts;
        this.inputs = inputs;
    }

    /** The payload of {@code apps.instance_usage.reported}. */
    private record UsagePayload(
            UUID orgId,
            UUID projectId,
            String appSlug,
            UUID appInstanceId,
            @JsonInclude(Include.NON_NULL) @Nullable UUID sharedRuntimeId,
            @Nullable String usageId,
            @Nullable String unit,
            @Nullable String quantity,
            @Nullable String windowStart,
            @Nullable String windowEnd,
            UUID commandId) {}

    /** The metadata of the audit entry of an automatic deletion. */
    private record DeletionAudit(UUID operationId) {}

    @Override
    public Future<AppliedReport> apply(UnitOfWork unit, RuntimeReport report) {
        var payload = report.payload();
        return instances
                .loadByCommand(
                        unit,
                        Objects.requireNonNull(payload.projectId()),
                        payload.subjectId(),
                        payload.commandId(),
                        partsFor(report.type()))
                .compose(loaded -> {
                    Refusals.rejectIf(report.checkOperation(loaded.operation()));
                    return report.type() == ReportType.USAGE
                            ? publishUsage(unit, report, loaded)
                            : apply(unit, report, loaded);
                });
    }

    private static Part[] partsFor(ReportType type) {
        return switch (type) {
            case FAILED -> new Part[] {Part.OPEN_OPERATIONS};
            case OPERATION, MEMBERS -> new Part[] {Part.MEMBERS};
            case ACCEPTED, DEPLOYING, RUNNING, DELETED, PROGRESS, USAGE -> new Part[] {};
        };
    }

    private Future<AppliedReport> apply(UnitOfWork unit, RuntimeReport report, LoadedInstance loaded) {
        var instance = loaded.instance();
        var subject = new ReportedSubject(
                instance.app(),
                instance.generation(),
                instance.config(),
                instance.state().runtimeState(),
                loaded.members(),
                loaded.operation());
        return inputs.apply(unit, report, subject, adapterReport -> {
            var decision = InstanceReports.apply(loaded, adapterReport, InstanceChangeApi.decisionContext(unit));
            if (decision instanceof ChangeDecision.Refused refused) {
                throw Refusals.toException(refused.refusal());
            }
            var change = ((ChangeDecision.Accepted) decision).change();
            var next = instances.apply(unit, change);
            auditDeletion(unit, next, change);
            return AppliedReport.of(next.ref(), next.status(), loaded.operation());
        });
    }

    /** Usage does not change the instance, so it is accepted in any generation; metering counts each fact once. */
    private Future<AppliedReport> publishUsage(UnitOfWork unit, RuntimeReport report, LoadedInstance loaded) {
        var payload = report.payload();
        var instance = loaded.instance();
        return contexts.loadManifest(unit, instance.app())
                .compose(manifest -> {
                    Refusals.rejectIf(ReportedUsageWindow.check(
                            instance.createdAt(),
                            instance.state().deletedAt(),
                            manifest.spec().usageUnits(),
                            payload.unit(),
                            payload.windowStart(),
                            payload.windowEnd(),
                            unit.now()));
                    return inputs.acceptUsageWindow(unit, instance.id(), "", payload);
                })
                .map(ok -> {
                    unit.publish(
                            Topics.USAGE_EVENTS,
                            instance.id().toString(),
                            "apps.instance_usage.reported",
                            Json.toObject(new UsagePayload(
                                    instance.orgId(),
                                    instance.projectId(),
                                    instance.app().slug(),
                                    instance.id(),
                                    instance.sharedRuntimeId(),
                                    payload.usageId(),
                                    payload.unit(),
                                    payload.quantity(),
                                    payload.windowStart(),
                                    payload.windowEnd(),
                                    payload.commandId())));
                    return AppliedReport.of(instance.ref(), instance.status(), loaded.operation());
                });
    }

    @Override
    public Future<Void> expire(UnitOfWork unit, DueOperation due) {
        var projectId = Objects.requireNonNull(due.subject().projectId());
        return instances
                .loadIfFree(unit, projectId, due.subject().id(), due.operationId())
                .compose(loaded -> loaded == null ? Future.succeededFuture() : expire(unit, loaded));
    }

    private Future<Void> expire(UnitOfWork unit, LoadedInstance loaded) {
        var operation = Objects.requireNonNull(loaded.operation());
        var instance = loaded.instance();
        var backend = instance.app().runtimeBackend();
        return inputs.findBlocker(unit, instance.ref(), backend, operation).map(blocker -> {
            var change = InstanceReports.expire(loaded, blocker, InstanceChangeApi.decisionContext(unit));
            var next = instances.apply(unit, change);
            auditExpiry(unit, change, blocker.code());
            auditDeletion(unit, next, change);
            return null;
        });
    }

    private static void auditExpiry(UnitOfWork unit, InstanceChange change, String code) {
        change.operationUpdates().stream()
                .filter(update -> update.event() != null)
                .findFirst()
                .ifPresent(update -> DeadlineSweep.audit(unit, update.next(), code));
    }

    /** Audits that the platform deletes a failed launch, as its manifest says, on behalf of the user who launched it. */
    private static void auditDeletion(UnitOfWork unit, AppInstance instance, InstanceChange change) {
        change.openedOperations().stream()
                .filter(operation -> operation.kind() == Kind.DELETE)
                .forEach(operation -> auditDeletion(unit, instance, operation.id(), "failure_policy"));
    }

    /** Records that the platform itself deletes an instance. */
    static void auditDeletion(UnitOfWork unit, AppInstance instance, UUID operationId, String reason) {
        AuditTrail.recordSystemAction(
                unit,
                "system",
                "instances",
                null,
                new AuditEntry(
                        "apps.instance.delete",
                        "app_instance",
                        instance.id().toString(),
                        instance.orgId(),
                        instance.projectId(),
                        Json.toObject(new DeletionAudit(operationId))),
                AuditResult.SUCCESS,
                reason);
    }
}

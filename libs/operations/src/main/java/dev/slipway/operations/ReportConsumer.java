package dev.slipway.operations;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.authz.AuthzModel;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import dev.slipway.messaging.Failures.NotReadyException;
import dev.slipway.messaging.ReceivedRecord;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.operations.RejectedReportStore.SubjectOwner;
import dev.slipway.operations.ReportHandler.AppliedReport;
import dev.slipway.operations.domain.ReportType;
import dev.slipway.operations.domain.SubjectKind;
import dev.slipway.service.AuditResult;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Clock;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;

/** Consumes adapter reports: authorizes each, has it applied, and audits it. A rejected report changes nothing and is published as such. */
public final class ReportConsumer {
    private static final Pattern UUID_TEXT = Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");

    /** Rejections that replicated permissions may lift: of an unknown sender, and of one without permission. */
    private static final Set<ErrorCode> PERMISSION_CODES =
            EnumSet.of(ErrorCode.TOKEN_INVALID, ErrorCode.INSUFFICIENT_PERMISSIONS, ErrorCode.NOT_FOUND);

    private final AuthzModel model;
    private final ReportAuthorization authorization;
    private final AdapterStore adapters;
    private final RejectedReportStore rejectedReports;
    private final Map<SubjectKind, SubjectReports> subjects;
    private final Clock clock;
    private final Duration maxAuthzAge;

    public ReportConsumer(
            AuthzModel model,
            ReportAuthorization authorization,
            AdapterStore adapters,
            RejectedReportStore rejectedReports,
            Map<SubjectKind, SubjectReports> subjects,
            Clock clock,
            Duration maxAuthzAge) {
        this.model = model;
        this.authorization = authorization;
        this.adapters = adapters;
        this.rejectedReports = rejectedReports;
        this.subjects = subjects;
        this.clock = clock;
        this.maxAuthzAge = maxAuthzAge;
    }

    /** The handler and the commands of one kind of subject. */
    public record SubjectReports(ReportHandler handler, CommandStore commands) {}

    /** The metadata of a report's audit entry. */
    private record ReportAudit(
            String report,
            String status,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            UUID operationId) {}

    /** The metadata of a rejected report's audit entry. */
    private record RejectionAudit(String report) {}

    /** The payload of {@code runtime.report.rejected}: of the report only its ids, since its sender may be unauthorized. */
    private record RejectedReportEvent(
            UUID reportEventId,
            String reportEventType,
            @Nullable UUID appInstanceId,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            UUID sharedRuntimeId,

            String code,
            String reason,
            int partition,
            long offset,
            @Nullable UUID adapterId,
            @Nullable UUID orgId,
            @Nullable UUID projectId,
            @Nullable UUID commandId) {}

    public Future<Void> onReport(UnitOfWork unit, ReceivedRecord record, Envelope event) {
        if (model.age(clock.instant()).compareTo(maxAuthzAge) > 0) {
            return Future.failedFuture(new NotReadyException("permissions are stale"));
        }
        return authorizeAndApply(unit, record, event)
                .recover(e -> e instanceof ProblemException rejected
                        ? reject(unit, record, event, rejected.problem())
                        : Future.failedFuture(e));
    }

    private Future<Void> authorizeAndApply(UnitOfWork unit, ReceivedRecord record, Envelope event) {
        try {
            var principal = authorization.authenticate(record, event);
            if (event.eventType().equals(Heartbeat.TYPE)) {
                var heartbeat = Json.toRecord(event.payload(), Heartbeat.class);
                authorization.requireAdapter(principal, record, heartbeat);
                return adapters.recordHeartbeat(unit, record.appendedAt(), heartbeat);
            }
            var payload = Json.toRecord(event.payload(), RuntimeReport.Payload.class);
            authorization.requireTask(principal, record, payload);
            var type = ReportType.of(event.eventType());
            if (type == null) {
                throw Problem.validationOf(
                                ErrorCode.VALIDATION_ERROR, "event_type", "is not a report about an instance")
                        .asException();
            }
            var report = new RuntimeReport(principal, event, type, payload);
            var reported = unit.withContext(unit.context().withActor(AuditTrail.actor(principal)));
            var of = Objects.requireNonNull(subjects.get(payload.subjectKind()));
            return of.handler.apply(reported, report).map(applied -> {
                acknowledge(unit, of.commands, report, applied);
                audit(unit, report, applied);
                return null;
            });
        } catch (ProblemException rejected) {
            return Future.failedFuture(
                    isReplicated(record, rejected.problem())
                            ? rejected
                            : new NotReadyException("the permissions of the sender may not be replicated yet"));
        }
    }

    /**
     * Returns whether a rejection is final. IAM may have created the sender a moment before it reported, as it does with the operator of a
     * new shared runtime: only a model that is as new as the report knows that it has no permission.
     */
    private boolean isReplicated(ReceivedRecord record, Problem problem) {
        return !PERMISSION_CODES.contains(problem.code()) || model.isConfirmedSince(record.appendedAt());
    }

    /** A report on a command whose operation has ended is the last one on that command. */
    private static void acknowledge(
            UnitOfWork unit, CommandStore commands, RuntimeReport report, AppliedReport applied) {
        var subjectId = applied.subject().id();
        if (applied.deleted()) {
            commands.deleteAll(unit, subjectId);
            return;
        }
        commands.acknowledge(unit, subjectId, report.payload().commandId());
        var operation = applied.operation();
        if (operation != null && operation.status().isEnded()) {
            commands.delete(unit, subjectId, report.payload().commandId());
        }
    }

    private static void audit(UnitOfWork unit, RuntimeReport report, AppliedReport applied) {
        var operation = applied.operation();
        var metadata = Json.toObject(new ReportAudit(
                report.event().eventType(), applied.status(), operation == null ? null : operation.id()));
        AuditTrail.recordSuccess(
                unit,
                report.principal(),
                new AuditEntry(
                        applied.subject().kind().action("report"),
                        applied.subject().kind().text(),
                        applied.subject().id().toString(),
                        applied.subject().orgId(),
                        applied.subject().projectId(),
                        metadata));
    }

    private Future<Void> reject(UnitOfWork unit, ReceivedRecord record, Envelope event, Problem problem) {
        var instanceId = parseId(event.payload().path(SubjectKind.APP_INSTANCE.idField()));
        var runtimeId = parseId(event.payload().path(SubjectKind.SHARED_RUNTIME.idField()));
        var kind = instanceId == null && runtimeId != null ? SubjectKind.SHARED_RUNTIME : SubjectKind.APP_INSTANCE;
        var subjectId = instanceId == null ? runtimeId : instanceId;
        var owner = subjectId == null
                ? Future.<@Nullable SubjectOwner>succeededFuture()
                : rejectedReports.findOwner(unit, kind, subjectId);
        return owner.map(found -> {
            var rejected = new RejectedReport(
                    Ids.next(),
                    unit.now(),
                    event.eventId(),
                    event.eventType(),
                    problem.code().code(),
                    problem.message(),
                    event.correlationId(),
                    authorization.findAdapter(record),
                    found == null ? null : found.orgId(),
                    found == null ? null : found.projectId(),
                    found == null ? null : found.runtimeBackend(),
                    kind,
                    subjectId,
                    parseId(event.payload().path("command_id")));
            rejectedReports.insert(unit, rejected);
            publishRejection(unit, record, rejected);
            return null;
        });
    }

    private static void publishRejection(UnitOfWork unit, ReceivedRecord record, RejectedReport rejected) {
        var kind = rejected.subjectKind();
        var key = String.valueOf(rejected.subjectId() == null ? rejected.reportEventId() : rejected.subjectId());
        var payload = new RejectedReportEvent(
                rejected.reportEventId(),
                rejected.reportEventType(),
                kind == SubjectKind.APP_INSTANCE ? rejected.subjectId() : null,
                kind == SubjectKind.SHARED_RUNTIME ? rejected.subjectId() : null,
                rejected.code(),
                rejected.reason(),
                record.partition(),
                record.offset(),
                rejected.adapterId(),
                rejected.orgId(),
                rejected.projectId(),
                rejected.commandId());
        unit.publish(Topics.RUNTIME_REPORTS_REJECTED, key, "runtime.report.rejected", Json.toObject(payload));
        AuditTrail.recordSystemAction(
                unit,
                "adapter",
                rejected.adapterId() == null
                        ? "unverified"
                        : rejected.adapterId().toString(),
                rejected.adapterId(),
                new AuditEntry(
                        kind.action("report"),
                        kind.text(),
                        key,
                        rejected.orgId(),
                        rejected.projectId(),
                        Json.toObject(new RejectionAudit(rejected.reportEventType()))),
                AuditResult.DENIED,
                rejected.code());
    }

    private static @Nullable UUID parseId(JsonNode id) {
        var text = id.asText("");
        return UUID_TEXT.matcher(text).matches() ? UUID.fromString(text) : null;
    }
}

package dev.slipway.operations;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.slipway.authz.AuthzModel;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import dev.slipway.messaging.Failures.NotReadyException;
import dev.slipway.messaging.ReceivedRecord;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.operations.ReportHandler.AppliedReport;
import dev.slipway.operations.domain.ReportType;
import dev.slipway.operations.domain.SubjectKind;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/** Consumes adapter reports: authorizes each, has it applied, and audits it. A rejected report changes nothing and is published as such. */
public final class ReportConsumer {
    private final AuthzModel model;
    private final ReportAuthorization authorization;
    private final AdapterStore adapters;
    private final Map<SubjectKind, SubjectReports> subjects;
    private final Clock clock;
    private final Duration maxAuthzAge;

    public ReportConsumer(
            AuthzModel model,
            ReportAuthorization authorization,
            AdapterStore adapters,
            Map<SubjectKind, SubjectReports> subjects,
            Clock clock,
            Duration maxAuthzAge) {
        this.model = model;
        this.authorization = authorization;
        this.adapters = adapters;
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

    /** The payload of {@code runtime.report.rejected}: of the report only its ids, since its sender may be unauthorized. */
    private record RejectedReport(
            UUID reportEventId,
            String reportEventType,
            @Nullable String appInstanceId,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String sharedRuntimeId,

            String code,
            String reason,
            int partition,
            long offset) {}

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
            return Future.failedFuture(rejected);
        }
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

    private static Future<Void> reject(UnitOfWork unit, ReceivedRecord record, Envelope event, Problem problem) {
        var instanceId = id(event, SubjectKind.APP_INSTANCE);
        var runtimeId = id(event, SubjectKind.SHARED_RUNTIME);
        var kind = instanceId == null && runtimeId != null ? SubjectKind.SHARED_RUNTIME : SubjectKind.APP_INSTANCE;
        var subjectId = instanceId == null ? runtimeId : instanceId;
        var payload = Json.toObject(new RejectedReport(
                event.eventId(),
                event.eventType(),
                instanceId,
                runtimeId,
                problem.code().code(),
                problem.message(),
                record.partition(),
                record.offset()));
        var key = subjectId == null ? event.eventId().toString() : subjectId;
        unit.publish(Topics.RUNTIME_REPORTS_REJECTED, key, "runtime.report.rejected", payload);
        AuditTrail.recordSystemAction(
                unit,
                "adapter",
                "unverified",
                null,
                new AuditEntry(
                        kind.action("report"),
                        kind.text(),
                        key,
                        null,
                        null,
                        Json.object().put("report", event.eventType())),
                "denied",
                problem.code().code());
        return Future.succeededFuture();
    }

    /** Returns the id that the report names; null if it names none. */
    private static @Nullable String id(Envelope event, SubjectKind kind) {
        var named = event.payload().path(kind.idField()).asText("");
        return isUuid(named) ? named : null;
    }

    private static boolean isUuid(String text) {
        return text.length() == 36 && text.matches("[0-9a-fA-F-]{36}");
    }
}

package dev.slipway.instances.report;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.authz.AuthzModel;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import dev.slipway.instances.appinstance.AppInstanceStore;
import dev.slipway.instances.appinstance.domain.AppInstance;
import dev.slipway.instances.appinstance.domain.AppInstance.Status;
import dev.slipway.instances.operation.OperationStore;
import dev.slipway.instances.operation.domain.Operation;
import dev.slipway.instances.runtime.CommandStore;
import dev.slipway.instances.runtime.Heartbeats;
import dev.slipway.messaging.Incoming;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.Transient.NotReadyException;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.Entry;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

import static dev.slipway.instances.report.ReportAuthorization.uuid;

/** What runtime adapters report: authorized once, then given to who applies its type. A refused one changes nothing, on record. */
public final class ReportRouter {
    private final AppInstanceStore instances;
    private final OperationStore operations;
    private final CommandStore commands;
    private final AuthzModel model;
    private final ReportAuthorization authorization;
    private final Clock clock;
    private final Duration budget;
    private final Map<String, ReportHandler> handlers = new HashMap<>();
    private @Nullable Heartbeats heartbeats;

    public ReportRouter(
            AppInstanceStore instances,
            OperationStore operations,
            CommandStore commands,
            AuthzModel model,
            ReportAuthorization authorization,
            Clock clock,
            Duration budget) {
        this.instances = instances;
        this.operations = operations;
        this.commands = commands;
        this.model = model;
        this.authorization = authorization;
        this.clock = clock;
        this.budget = budget;
    }

    /** Has reports of a type, such as {@code running}, applied. */
    @CanIgnoreReturnValue
    public ReportRouter on(String type, ReportHandler handler) {
        handlers.put("runtime.report." + type, handler);
        return this;
    }

    /** Has what adapters say of themselves kept. */
    public void onHeartbeat(Heartbeats kept) {
        heartbeats = kept;
    }

    public Future<Void> onReport(UnitOfWork unit, Incoming record, Envelope event) {
        if (model.age(clock.instant()).compareTo(budget) > 0) {
            return Future.failedFuture(new NotReadyException("permissions are stale"));
        }
        return applied(unit, record, event)
                .recover(e -> e instanceof ProblemException refused
                        ? rejected(unit, record, event, refused.problem())
                        : Future.failedFuture(e));
    }

    private Future<Void> applied(UnitOfWork unit, Incoming record, Envelope event) {
        try {
            var principal = authorization.sender(record, event);
            if (heartbeats != null && event.eventType().equals(Heartbeats.TYPE)) {
                authorization.requireAdapter(principal, record);
                return heartbeats.apply(unit, principal, record, event);
            }
            authorization.requireTask(principal, record, event);
            var handler = handlers.get(event.eventType());
            if (handler == null) {
                throw Problem.validationOf(ErrorCode.VALIDATION_ERROR, "event_type", "is not reported on instances")
                        .asException();
            }
            var projectId = uuid(event.payload(), "project_id");
            var instanceId = uuid(event.payload(), "app_instance_id");
            var commandId = uuid(event.payload(), "command_id");
            var reported = unit.because(unit.cause().by(AuditTrail.actor(principal)));
            // In one flight: the second statement is run behind the lock that the first one gets.
            var locked = instances.lock(unit, projectId, instanceId);
            var operation = operations.byCommand(unit, projectId, instanceId, commandId);
            return Future.all(locked, operation)
                    .map(both -> report(new Report(principal, event, locked.result(), operation.result())))
                    .compose(report -> handler.apply(reported, report).map(changed -> {
                        if (changed.status() == Status.DELETED) {
                            commands.forget(unit, instanceId);
                        } else {
                            acknowledged(unit, report, commandId);
                        }
                        return audited(unit, report, changed);
                    }));
        } catch (ProblemException refused) {
            return Future.failedFuture(refused);
        }
    }

    /** What is said on a command of an operation that has ended is the last that is said on it. */
    private void acknowledged(UnitOfWork unit, Report report, UUID commandId) {
        commands.acknowledged(unit, report.instance().id(), commandId);
        var operation = report.operation();
        if (operation != null && operation.status().ended()) {
            commands.ended(unit, report.instance().id(), commandId);
        }
    }

    private static Report report(Report report) {
        var named = report.payload().path("operation_id");
        var operation = report.operation();
        if (named.isTextual()
                && (operation == null || !operation.id().toString().equals(named.asText()))) {
            throw Problem.validationOf(
                            ErrorCode.VALIDATION_ERROR, "operation_id", "is not the operation of this command")
                    .asException();
        }
        return report;
    }

    private static @Nullable Void audited(UnitOfWork unit, Report report, AppInstance instance) {
        var metadata = Json.object();
        metadata.put("report", report.event().eventType());
        metadata.put("status", instance.status().text());
        Operation operation = report.operation();
        if (operation != null) {
            metadata.put("operation_id", operation.id().toString());
        }
        AuditTrail.success(
                unit,
                report.principal(),
                new Entry(
                        ReportAuthorization.ACTION,
                        "app_instance",
                        instance.id().toString(),
                        instance.orgId(),
                        instance.projectId(),
                        metadata));
        return null;
    }

    /** Neither its token nor anything else that an unauthorized sender wrote is repeated, but for the ids. */
    private static Future<Void> rejected(UnitOfWork unit, Incoming record, Envelope event, Problem problem) {
        var instance = event.payload().path("app_instance_id").asText("");
        var id = isUuid(instance) ? instance : null;
        var payload = Json.object();
        payload.put("report_event_id", event.eventId().toString());
        payload.put("report_event_type", event.eventType());
        payload.put("app_instance_id", id);
        payload.put("code", problem.code().code());
        payload.put("reason", problem.message());
        payload.put("partition", record.partition());
        payload.put("offset", record.offset());
        var key = id == null ? event.eventId().toString() : id;
        unit.announce(Topics.RUNTIME_REPORTS_REJECTED, key, "runtime.report.rejected", payload);
        var metadata = Json.object().put("report", event.eventType());
        AuditTrail.byOther(
                unit,
                "adapter",
                "unverified",
                null,
                new Entry(ReportAuthorization.ACTION, "app_instance", key, null, null, metadata),
                "denied",
                problem.code().code());
        return Future.succeededFuture();
    }

    private static boolean isUuid(String text) {
        return text.length() == 36 && text.matches("[0-9a-fA-F-]{36}");
    }
}

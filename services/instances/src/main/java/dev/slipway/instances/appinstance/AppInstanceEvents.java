package dev.slipway.instances.appinstance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.authz.Authorizer;
import dev.slipway.authz.AuthzModel;
import dev.slipway.authz.Principal;
import dev.slipway.authz.Target;
import dev.slipway.authz.TokenVerifier;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.EventSchemas;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import dev.slipway.instances.appinstance.domain.AppInstance;
import dev.slipway.instances.appinstance.domain.Decision;
import dev.slipway.instances.appinstance.domain.InstanceLifecycle;
import dev.slipway.instances.runtime.CommandStore;
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
import java.time.Instant;
import java.util.UUID;

/** What runtime adapters report. A report is authorized like a call; a refused one changes nothing and is put on record. */
public final class AppInstanceEvents {
    private static final String ACTION = "apps.instance.report";

    private final AppInstanceStore store;
    private final CommandStore commands;
    private final AuthzModel model;
    private final Authorizer authorizer;
    private final TokenVerifier tokens;
    private final EventSchemas schemas;
    private final Clock clock;
    private final Duration budget;

    public AppInstanceEvents(
            AppInstanceStore store,
            CommandStore commands,
            AuthzModel model,
            TokenVerifier tokens,
            EventSchemas schemas,
            Clock clock,
            Duration budget) {
        this.store = store;
        this.commands = commands;
        this.model = model;
        this.authorizer = new Authorizer(model);
        this.tokens = tokens;
        this.schemas = schemas;
        this.clock = clock;
        this.budget = budget;
    }

    public Future<Void> onReport(UnitOfWork unit, Incoming record, Envelope event) {
        if (model.age(clock.instant()).compareTo(budget) > 0) {
            return Future.failedFuture(new NotReadyException("permissions are stale"));
        }
        try {
            var principal = authorized(record, event);
            var payload = event.payload();
            var reported = unit.because(unit.cause().by(AuditTrail.actor(principal)));
            return store.change(
                            reported,
                            uuid(payload, "project_id"),
                            uuid(payload, "app_instance_id"),
                            current -> decide(current, event, unit.now()))
                    .map(changed -> {
                        commands.acknowledged(unit, changed.id(), uuid(payload, "command_id"));
                        return audited(unit, principal, event, changed);
                    })
                    .recover(e -> e instanceof ProblemException refused
                            ? rejected(unit, record, event, refused.problem())
                            : Future.failedFuture(e));
        } catch (ProblemException refused) {
            return rejected(unit, record, event, refused.problem());
        }
    }

    private Principal authorized(Incoming record, Envelope event) {
        var header = record.headers().get("authorization");
        if (header == null || !header.startsWith("Bearer ")) {
            throw Problem.of(ErrorCode.TOKEN_MISSING, "The report carries no token.")
                    .asException();
        }
        // Valid when the broker took it: a report that waited here for long is not the adapter's fault.
        var principal = tokens.verify(header.substring("Bearer ".length()), record.appendedAt());
        var problems = schemas.check(Json.node(record.value()));
        if (!problems.isEmpty() || !event.eventType().startsWith("runtime.report.")) {
            throw Problem.validation(
                            problems.isEmpty()
                                    ? java.util.List.of(new Problem.FieldProblem("event_type", "is not a report"))
                                    : problems)
                    .asException();
        }
        var task = principal.task();
        var payload = event.payload();
        if (task == null
                || !task.appInstanceId().equals(uuid(payload, "app_instance_id"))
                || !task.commandId().equals(uuid(payload, "command_id"))) {
            throw Problem.of(ErrorCode.INSUFFICIENT_PERMISSIONS, "The token is not bound to this instance and command.")
                    .asException();
        }
        var project = Target.project(uuid(payload, "project_id"));
        var decision = authorizer.decide(principal, ACTION, project, record.appendedAt());
        if (!decision.allowed()) {
            throw decision.problem(ACTION).asException();
        }
        return principal;
    }

    private static Decision decide(AppInstance current, Envelope event, Instant now) {
        var payload = event.payload();
        var generation = payload.path("generation").asInt();
        return switch (event.eventType()) {
            case "runtime.report.deploying" ->
                InstanceLifecycle.reportDeploying(current, generation, state(payload, "message"), now);
            case "runtime.report.running" ->
                InstanceLifecycle.reportRunning(current, generation, state(payload, "endpoints"), now);
            case "runtime.report.failed" ->
                InstanceLifecycle.reportFailed(
                        current, generation, payload.path("reason").asText(), now);
            case "runtime.report.deleted" -> InstanceLifecycle.reportDeleted(current, generation, now);
            default -> throw new IllegalStateException("no such report: " + event.eventType());
        };
    }

    private static String state(JsonNode payload, String field) {
        var state = Json.object();
        if (payload.has(field)) {
            state.set(field, payload.path(field));
        }
        return Json.text(state);
    }

    private static @Nullable Void audited(UnitOfWork unit, Principal principal, Envelope event, AppInstance instance) {
        var metadata = Json.object();
        metadata.put("report", event.eventType());
        metadata.put("status", instance.status().text());
        AuditTrail.success(
                unit,
                principal,
                new Entry(
                        ACTION,
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
                new Entry(ACTION, "app_instance", key, null, null, metadata),
                "denied",
                problem.code().code());
        return Future.succeededFuture();
    }

    private static boolean isUuid(String text) {
        return text.length() == 36 && text.matches("[0-9a-fA-F-]{36}");
    }

    private static UUID uuid(JsonNode payload, String field) {
        return UUID.fromString(payload.path(field).asText());
    }
}

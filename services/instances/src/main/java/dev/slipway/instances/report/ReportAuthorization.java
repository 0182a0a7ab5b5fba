package dev.slipway.instances.report;

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
import dev.slipway.contract.Problem.FieldProblem;
import dev.slipway.instances.runtime.Heartbeats;
import dev.slipway.messaging.Incoming;

import java.util.List;
import java.util.UUID;

/** Whether a report is one, and whose: every one is authorized like a call, by the token that it carries. */
public final class ReportAuthorization {
    static final String ACTION = "apps.instance.report";

    private final Authorizer authorizer;
    private final TokenVerifier tokens;
    private final EventSchemas schemas;

    public ReportAuthorization(AuthzModel model, TokenVerifier tokens, EventSchemas schemas) {
        this.authorizer = new Authorizer(model);
        this.tokens = tokens;
        this.schemas = schemas;
    }

    /** Who sent it, by a token that was valid when the broker took it: one that waited here for long is not the adapter's fault. */
    public Principal sender(Incoming record, Envelope event) {
        var header = record.headers().get("authorization");
        if (header == null || !header.startsWith("Bearer ")) {
            throw Problem.of(ErrorCode.TOKEN_MISSING, "The report carries no token.")
                    .asException();
        }
        var principal = tokens.verify(header.substring("Bearer ".length()), record.appendedAt());
        var problems = schemas.check(Json.node(record.value()));
        if (!problems.isEmpty() || !event.eventType().startsWith("runtime.report.")) {
            throw Problem.validation(
                            problems.isEmpty() ? List.of(new FieldProblem("event_type", "is not a report")) : problems)
                    .asException();
        }
        return principal;
    }

    /** Refuses who reports on another instance, command or project than the token is for. */
    void requireTask(Principal principal, Incoming record, Envelope event) {
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
    }

    /** Refuses who may not speak as an adapter. */
    void requireAdapter(Principal principal, Incoming record) {
        var decision = authorizer.decide(principal, Heartbeats.ACTION, Target.platform(), record.appendedAt());
        if (!decision.allowed()) {
            throw decision.problem(Heartbeats.ACTION).asException();
        }
    }

    static UUID uuid(JsonNode payload, String field) {
        return UUID.fromString(payload.path(field).asText());
    }
}

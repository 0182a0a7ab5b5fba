package dev.slipway.operations;

import dev.slipway.authz.Authorizer;
import dev.slipway.authz.AuthzModel;
import dev.slipway.authz.Principal;
import dev.slipway.authz.Principal.ActorType;
import dev.slipway.authz.ResourceScope;
import dev.slipway.authz.TokenVerifier;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.EventSchemas;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.Problem.FieldProblem;
import dev.slipway.contract.ProblemException;
import dev.slipway.messaging.ReceivedRecord;
import dev.slipway.operations.domain.ReportType;
import dev.slipway.operations.domain.SubjectKind;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Objects;
import java.util.UUID;

/** Authenticates and authorizes reports by the token that each of them carries. */
public final class ReportAuthorization {
    private static final String BEARER = "Bearer ";

    private final Authorizer authorizer;
    private final TokenVerifier tokens;
    private final EventSchemas schemas;

    public ReportAuthorization(AuthzModel model, TokenVerifier tokens, EventSchemas schemas) {
        this.authorizer = new Authorizer(model);
        this.tokens = tokens;
        this.schemas = schemas;
    }

    /** Returns the sender of a valid report. The token must have been valid when the broker received the report. */
    Principal authenticate(ReceivedRecord record, Envelope event) {
        var principal = authenticate(record);
        var problems = schemas.validate(Json.parseTrusted(record.value()));
        if (!problems.isEmpty() || !event.eventType().startsWith(ReportType.PREFIX)) {
            throw Problem.validation(
                            problems.isEmpty() ? List.of(new FieldProblem("event_type", "is not a report")) : problems)
                    .asException();
        }
        return principal;
    }

    private Principal authenticate(ReceivedRecord record) {
        var header = record.headers().get("authorization");
        if (header == null || !header.startsWith(BEARER)) {
            throw Problem.of(ErrorCode.TOKEN_MISSING, "The report carries no token.")
                    .asException();
        }
        return tokens.verify(header.substring(BEARER.length()), record.appendedAt());
    }

    /** Returns the adapter that the token of a report identifies; null if there is no valid token. */
    @Nullable
    UUID findAdapter(ReceivedRecord record) {
        try {
            var principal = authenticate(record);
            var task = principal.task();
            return task != null ? task.adapterId() : principal.type() == ActorType.ADAPTER ? principal.id() : null;
        } catch (ProblemException invalid) {
            return null;
        }
    }

    /** Rejects a report on another subject, command, project or organization than the token is bound to. */
    void requireTask(Principal principal, ReceivedRecord record, RuntimeReport.Payload payload) {
        var kind = payload.subjectKind();
        var task = principal.task();
        if (task == null || !task.isFor(kind.text(), payload.subjectId(), payload.commandId())) {
            throw Problem.of(
                            ErrorCode.INSUFFICIENT_PERMISSIONS,
                            "The token is not bound to this "
                                    + (kind == SubjectKind.APP_INSTANCE ? "instance" : kind.noun()) + " and command.")
                    .asException();
        }
        if (!payload.orgId().equals(principal.orgId())
                || (kind == SubjectKind.APP_INSTANCE && !Objects.equals(payload.projectId(), principal.projectId()))) {
            throw Problem.of(
                            ErrorCode.INSUFFICIENT_PERMISSIONS,
                            "The report names another organization or project than its command.")
                    .asException();
        }
        var scope =
                switch (kind) {
                    case APP_INSTANCE -> ResourceScope.project(Objects.requireNonNull(payload.projectId()));
                    case SHARED_RUNTIME -> ResourceScope.sharedRuntime(payload.orgId(), payload.subjectId());
                };
        requireAction(principal, kind.action("report"), scope, record);
    }

    /** Rejects a heartbeat that is not sent by the adapter itself. */
    void requireAdapter(Principal principal, ReceivedRecord record, Heartbeat heartbeat) {
        requireAction(principal, Heartbeat.ACTION, ResourceScope.platform(), record);
        if (!principal.id().equals(heartbeat.adapterId())) {
            throw Problem.of(ErrorCode.INSUFFICIENT_PERMISSIONS, "The token belongs to another adapter.")
                    .asException();
        }
    }

    private void requireAction(Principal principal, String action, ResourceScope scope, ReceivedRecord record) {
        var decision = authorizer.decide(principal, action, scope, record.appendedAt());
        if (!decision.allowed()) {
            throw decision.toProblem(action).asException();
        }
    }
}

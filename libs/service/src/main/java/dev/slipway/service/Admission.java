package dev.slipway.service;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.authz.Authorizer;
import dev.slipway.authz.AuthzModel;
import dev.slipway.authz.Decision;
import dev.slipway.authz.Decision.Verdict;
import dev.slipway.authz.Principal;
import dev.slipway.authz.Target;
import dev.slipway.authz.TokenVerifier;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Operation;
import dev.slipway.contract.Problem;
import dev.slipway.messaging.Cause;
import dev.slipway.messaging.Outbox;
import dev.slipway.service.AuditTrail.Entry;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;

import java.time.Clock;
import java.util.UUID;

/** Who calls, and whether they may: the step before every handler. What is in doubt is refused. */
final class Admission {
    private final Vertx vertx;
    private final Frame frame;
    private final Outbox outbox;
    private final AuthzModel model;
    private final Authorizer authorizer;
    private final TokenVerifier tokens;
    private final Clock clock;
    private final Revisions revisions;
    private final AdmissionMetrics metrics;

    /** What a call is about. */
    private record Place(
            Target target, @Nullable UUID orgId, @Nullable UUID projectId) {
        Entry entry(Operation operation, ObjectNode metadata) {
            return Entry.ofPlace(operation.action(), orgId, projectId, metadata);
        }
    }

    Admission(Vertx vertx, Frame frame, Outbox outbox, String service) {
        this.vertx = vertx;
        this.frame = frame;
        this.outbox = outbox;
        this.model = frame.authz();
        this.authorizer = new Authorizer(model);
        this.tokens = frame.tokens();
        this.clock = frame.clock();
        this.revisions = frame.revisions();
        this.metrics = new AdmissionMetrics(frame.telemetry().metrics(), service);
    }

    /** The request with its caller, or the problem that it is refused with. */
    Future<Request> admit(Operation operation, Call call) {
        var cause = new Cause(call.correlationId(), Context.current());
        if (operation.scope() == Operation.Scope.PUBLIC) {
            return Future.succeededFuture(new Request(call, null, null, null, cause));
        }
        var revision = call.headers().get("x-revision");
        return revisions.isReached(revision)
                ? judged(operation, call, cause)
                : revisions.await(vertx, revision).compose(ok -> judged(operation, call, cause));
    }

    private Future<Request> judged(Operation operation, Call call, Cause cause) {
        var started = System.nanoTime();
        var now = clock.instant();
        var budget = operation.changesSomething() ? frame.authzBudgetForWrites() : frame.authzBudgetForReads();
        if (model.age(now).compareTo(budget) > 0) {
            metrics.stale();
            return Future.failedFuture(Problem.of(
                            ErrorCode.AUTHZ_STALE,
                            "Permissions have not been confirmed lately, so nothing was done. Try again shortly.")
                    .asException());
        }
        var token = call.token();
        if (token == null) {
            return Future.failedFuture(Problem.of(ErrorCode.TOKEN_MISSING, "Send Authorization: Bearer <token>.")
                    .asException());
        }
        var principal = tokens.verify(token, now);
        var place = place(operation, call);
        var decision = isOtherTask(principal, place, call)
                ? new Decision(Verdict.OTHER_TASK, null)
                : authorizer.decide(principal, operation.action(), place.target, now);
        metrics.decided(decision.verdict(), System.nanoTime() - started);
        if (!decision.allowed()) {
            return refused(operation, call, principal, place, decision, cause);
        }
        var request = new Request(call, principal, place.orgId, place.projectId, cause);
        var reason = call.breakGlassReason();
        return reason == null || call.continuesStream()
                ? Future.succeededFuture(request)
                : recorded(operation, principal, place, reason, cause).map(request);
    }

    private Place place(Operation operation, Call call) {
        var projectId = projectOf(call);
        var orgId = projectId == null ? organizationOf(call) : model.orgOf(projectId);
        var target =
                switch (operation.scope()) {
                    case PROJECT, PROJECT_HEADER -> projectId == null ? Target.anywhere() : Target.project(projectId);
                    case ORGANIZATION -> organization(call);
                    case PLATFORM -> Target.platform();
                    case SELF, PUBLIC -> Target.self();
                };
        var reached = call.breakGlassReason() == null ? target : target.throughBreakGlass();
        return new Place(operation.removes() ? reached.forRemoval() : reached, orgId, projectId);
    }

    /** One that is not known is not put on record: the caller made it up. */
    private @Nullable UUID organizationOf(Call call) {
        var named = call.path().get("org_id");
        var orgId = named == null ? null : UUID.fromString(named);
        return orgId == null || !model.knowsOrganization(orgId) ? null : orgId;
    }

    private static Target organization(Call call) {
        var orgId = UUID.fromString(call.path().getOrDefault("org_id", ""));
        var sharedRuntimeId = call.path().get("shared_runtime_id");
        return sharedRuntimeId == null
                ? Target.organization(orgId)
                : Target.sharedRuntime(orgId, UUID.fromString(sharedRuntimeId));
    }

    private static @Nullable UUID projectOf(Call call) {
        var fromPath = call.path().get("project_id");
        var fromHeader = call.headers().get("x-project-id");
        if (fromPath != null && fromHeader != null && !fromPath.equalsIgnoreCase(fromHeader)) {
            throw Problem.validationOf(ErrorCode.PROJECT_MISMATCH, "X-Project-ID", "is not the project in the path")
                    .asException();
        }
        var project = fromPath == null ? fromHeader : fromPath;
        return project == null ? null : UUID.fromString(project);
    }

    /** A token for one instance's task is no good for another instance of the project, nor for all of them. */
    private static boolean isOtherTask(Principal principal, Place place, Call call) {
        var task = principal.task();
        return task != null
                && place.target.kind() != Target.Kind.SELF
                && !task.appInstanceId().toString().equalsIgnoreCase(call.path().get("app_instance_id"));
    }

    /** Committed before the handler runs, once for a stream: that somebody reached into the tenant is on record whatever becomes of it. */
    private Future<Void> recorded(Operation operation, Principal principal, Place place, String reason, Cause cause) {
        var metadata = Json.object().put("break_glass", true).put("operation_id", operation.id());
        return outbox.transaction(cause, unit -> {
            AuditTrail.breakGlass(unit, principal, place.entry(operation, metadata), operation.id(), reason);
            return Future.succeededFuture();
        });
    }

    /** A refusal is audited where the caller is known. */
    private Future<Request> refused(
            Operation operation, Call call, Principal principal, Place place, Decision decision, Cause cause) {
        var metadata = Json.object().put("verdict", decision.verdict().text());
        var reason = call.breakGlassReason();
        if (reason != null) {
            metadata.put("break_glass", true).put("break_glass_reason", reason);
        }
        var problem = decision.problem(operation.action());
        return AuditTrail.refuse(outbox, cause, principal, place.entry(operation, metadata), problem);
    }
}

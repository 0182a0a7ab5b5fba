package dev.slipway.service;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.authz.Authorizer;
import dev.slipway.authz.AuthzModel;
import dev.slipway.authz.Decision;
import dev.slipway.authz.Decision.Verdict;
import dev.slipway.authz.Principal;
import dev.slipway.authz.ResourceScope;
import dev.slipway.authz.TokenVerifier;
import dev.slipway.contract.ApiOperation;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.Outbox;
import dev.slipway.service.AuditTrail.AuditEntry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;

import java.time.Clock;
import java.util.UUID;

/** Authenticates the caller and authorizes the call before its handler runs. Denies in case of doubt. */
final class RequestAuthorizer {
    private final Vertx vertx;
    private final ServiceContext serviceContext;
    private final Outbox outbox;
    private final AuthzModel model;
    private final Authorizer authorizer;
    private final TokenVerifier tokens;
    private final Clock clock;
    private final RevisionWaiter revisionWaiter;
    private final AuthorizationMetrics metrics;

    /** The resource scope that a call is authorized for, and the organization and project for its audit record. */
    private record CallScope(
            ResourceScope resourceScope,
            @Nullable UUID orgId,
            @Nullable UUID projectId) {
        AuditEntry auditEntry(ApiOperation operation, ObjectNode metadata) {
            return AuditEntry.ofScope(operation.action(), orgId, projectId, metadata);
        }
    }

    /** The metadata of the audit entry of a break-glass access. */
    private record BreakGlassAudit(boolean breakGlass, String operationId) {}

    /** The metadata of the audit entry of a denial. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    private record DenialAudit(
            String verdict,
            @Nullable Boolean breakGlass,
            @Nullable String breakGlassReason) {}

    RequestAuthorizer(Vertx vertx, ServiceContext serviceContext, Outbox outbox, String service) {
        this.vertx = vertx;
        this.serviceContext = serviceContext;
        this.outbox = outbox;
        this.model = serviceContext.authz();
        this.authorizer = new Authorizer(model);
        this.tokens = serviceContext.tokens();
        this.clock = serviceContext.clock();
        this.revisionWaiter = serviceContext.revisionWaiter();
        this.metrics = new AuthorizationMetrics(serviceContext.telemetry().metrics(), service);
    }

    /** Returns the request with its caller. Fails with a problem, or with a {@link DenialException} if the caller is known. */
    Future<Request> authorize(ApiOperation operation, Call call, ChangeContext changeContext) {
        if (operation.scope() == ApiOperation.Scope.PUBLIC) {
            return Future.succeededFuture(new Request(call, null, null, null, changeContext));
        }
        var revision = call.headers().get("x-revision");
        return revisionWaiter.isReached(revision)
                ? authorizeAtCurrentRevision(operation, call, changeContext)
                : revisionWaiter
                        .await(vertx, revision)
                        .compose(ok -> authorizeAtCurrentRevision(operation, call, changeContext));
    }

    private Future<Request> authorizeAtCurrentRevision(ApiOperation operation, Call call, ChangeContext changeContext) {
        var startedNanos = System.nanoTime();
        var now = clock.instant();
        var maxAge =
                operation.isMutation() ? serviceContext.maxAuthzAgeForWrites() : serviceContext.maxAuthzAgeForReads();
        if (model.age(now).compareTo(maxAge) > 0) {
            metrics.recordStale();
            return Future.failedFuture(Problem.of(
                            ErrorCode.AUTHZ_STALE,
                            "Permissions have not been confirmed recently, so the request was not processed. Retry shortly.")
                    .asException());
        }
        var token = call.token();
        if (token == null) {
            return Future.failedFuture(Problem.of(ErrorCode.TOKEN_MISSING, "Send Authorization: Bearer <token>.")
                    .asException());
        }
        var principal = tokens.verify(token, now);
        var callScope = callScope(operation, call);
        var decision = isBoundToOtherInstance(principal, callScope, call)
                ? new Decision(Verdict.OTHER_TASK, null)
                : authorizer.decide(principal, operation.action(), callScope.resourceScope, now);
        metrics.recordDecision(decision.verdict(), System.nanoTime() - startedNanos);
        if (!decision.allowed()) {
            return Future.failedFuture(denial(operation, call, principal, callScope, decision));
        }
        var authorized = changeContext.withRolePath(decision.rolePath(principal));
        var request = new Request(call, principal, callScope.orgId, callScope.projectId, authorized);
        var reason = call.breakGlassReason();
        return reason == null || call.isStreamContinuation()
                ? Future.succeededFuture(request)
                : recordBreakGlass(operation, principal, callScope, reason, authorized)
                        .map(request);
    }

    private CallScope callScope(ApiOperation operation, Call call) {
        var projectId = projectOf(call);
        var orgId = projectId == null ? findOrganization(call) : model.orgOf(projectId);
        var resourceScope =
                switch (operation.scope()) {
                    case PROJECT, PROJECT_HEADER ->
                        projectId == null ? ResourceScope.anywhere() : ResourceScope.project(projectId);
                    case ORGANIZATION -> organizationScope(call);
                    case PLATFORM -> ResourceScope.platform();
                    case SELF, PUBLIC -> ResourceScope.self();
                };
        var effective = call.breakGlassReason() == null ? resourceScope : resourceScope.withBreakGlass();
        return new CallScope(operation.isDelete() ? effective.withRemoval() : effective, orgId, projectId);
    }

    /** Null for an unknown id: ids that callers invent do not belong in the audit trail. */
    private @Nullable UUID findOrganization(Call call) {
        var given = call.path().get("org_id");
        var orgId = given == null ? null : UUID.fromString(given);
        return orgId == null || !model.hasOrganization(orgId) ? null : orgId;
    }

    private static ResourceScope organizationScope(Call call) {
        var orgId = UUID.fromString(call.path().getOrDefault("org_id", ""));
        var sharedRuntimeId = call.path().get("shared_runtime_id");
        return sharedRuntimeId == null
                ? ResourceScope.organization(orgId)
                : ResourceScope.sharedRuntime(orgId, UUID.fromString(sharedRuntimeId));
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

    /**
     * A token that was issued for one instance is valid only for calls whose path names that instance. One for a shared runtime needs no such check:
     * its operator is bound to no other resource.
     */
    private static boolean isBoundToOtherInstance(Principal principal, CallScope callScope, Call call) {
        var task = principal.task();
        return task != null
                && callScope.resourceScope.kind() != ResourceScope.Kind.SELF
                && task.resourceType().equals(Principal.Task.APP_INSTANCE)
                && !task.resourceId().toString().equalsIgnoreCase(call.path().get("app_instance_id"));
    }

    /** Commits before the handler runs, so that the access is on record even if the handler fails. Once per stream. */
    private Future<Void> recordBreakGlass(
            ApiOperation operation,
            Principal principal,
            CallScope callScope,
            String reason,
            ChangeContext changeContext) {
        var metadata = Json.toObject(new BreakGlassAudit(true, operation.id()));
        return outbox.transaction(changeContext, unit -> {
            AuditTrail.recordBreakGlass(
                    unit, principal, callScope.auditEntry(operation, metadata), operation.id(), reason);
            return Future.succeededFuture();
        });
    }

    private static DenialException denial(
            ApiOperation operation, Call call, Principal principal, CallScope callScope, Decision decision) {
        var reason = call.breakGlassReason();
        var metadata = Json.toObject(new DenialAudit(decision.verdict().text(), reason == null ? null : true, reason));
        return new DenialException(
                principal, callScope.auditEntry(operation, metadata), decision.toProblem(operation.action()));
    }
}

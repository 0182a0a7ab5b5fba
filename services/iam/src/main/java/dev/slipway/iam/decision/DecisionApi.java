package dev.slipway.iam.decision;

import dev.slipway.authz.Authorizer;
import dev.slipway.authz.AuthzModel;
import dev.slipway.authz.Decision.Verdict;
import dev.slipway.authz.Principal;
import dev.slipway.authz.ResourceScope;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import dev.slipway.iam.decision.DecisionJson.DecisionBody;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Clock;
import java.time.Instant;
import java.util.UUID;

/** Evaluates and explains authorization decisions, with the same code that authorizes API calls. */
public final class DecisionApi {
    private static final String EXPLAIN = "iam.decision.explain";

    private final AuthzModel model;
    private final Authorizer authorizer;
    private final Clock clock;

    /** A decision that the caller may see. */
    private record DecisionRequest(
            Principal actor, String action, ResourceScope scope, Instant now, String correlationId) {}

    public DecisionApi(AuthzModel model, Clock clock) {
        this.model = model;
        this.authorizer = new Authorizer(model);
        this.clock = clock;
    }

    public Future<Reply> decide(Request request) {
        var body = Json.toRecord(request.body(), DecisionBody.class);
        var named = body.actorId();
        var resolved = resolve(
                request,
                body,
                named != null && !named.equals(request.principal().id()));
        var decision = authorizer.decide(resolved.actor, resolved.action, resolved.scope, resolved.now);
        if (named == null && decision.verdict() == Verdict.NOT_BOUND) {
            throw notFound(); // a foreign resource must look like one that does not exist
        }
        return Future.succeededFuture(Reply.ofRecord(DecisionJson.decision(
                decision, resolved.actor.id(), resolved.action, model.revision(), resolved.correlationId)));
    }

    public Future<Reply> explain(Request request) {
        var body = Json.toRecord(request.body(), DecisionBody.class);
        return replyWithExplanation(resolve(request, body, true));
    }

    /** Explains a decision in the organization of the path. Through the admin variant, the actor can be any principal. */
    public Future<Reply> explainInOrganization(Request request) {
        var orgId = request.pathId("org_id");
        var body = Json.toRecord(request.body(), DecisionBody.class);
        var scope = scope(body, orgId);
        var actorId = body.actorId();
        var actor = actorId == null ? request.principal() : model.principal(actorId);
        var visible = actorId == null
                || request.call().breakGlassReason() != null
                || (actor != null && authorizer.isVisibleIn(orgId, actor));
        if (actor == null || !visible || !orgId.equals(orgOf(scope))) {
            throw notFound();
        }
        return replyWithExplanation(new DecisionRequest(
                actor, body.product().action(), scope, clock.instant(), correlationId(request, body)));
    }

    private Future<Reply> replyWithExplanation(DecisionRequest resolved) {
        var explanation = authorizer.explain(resolved.actor, resolved.action, resolved.scope, resolved.now);
        return Future.succeededFuture(Reply.ofRecord(DecisionJson.explanation(
                explanation, resolved.actor.id(), resolved.action, resolved.scope, resolved.correlationId)));
    }

    private DecisionRequest resolve(Request request, DecisionBody body, boolean asAdministrator) {
        var now = clock.instant();
        var scope = scope(body, null);
        var caller = request.principal();
        if (asAdministrator) {
            var explain = authorizer.decide(caller, EXPLAIN, scope, now);
            if (!explain.allowed()) {
                throw explain.toProblem(EXPLAIN).asException();
            }
        }
        var actorId = body.actorId();
        var actor = actorId == null || actorId.equals(caller.id()) ? caller : requireVisible(actorId, scope);
        return new DecisionRequest(actor, body.product().action(), scope, now, correlationId(request, body));
    }

    /** Returns a principal that administrators of the scope may know of. */
    private Principal requireVisible(UUID actorId, ResourceScope scope) {
        var actor = model.principal(actorId);
        var orgId = orgOf(scope);
        if (actor == null || (orgId != null && !authorizer.isVisibleIn(orgId, actor))) {
            throw notFound();
        }
        return actor;
    }

    private @Nullable UUID orgOf(ResourceScope scope) {
        return switch (scope.kind()) {
            case SELF, PLATFORM, ANYWHERE -> null;
            case ORGANIZATION, SHARED_RUNTIME -> scope.orgId();
            case PROJECT -> scope.id() == null ? null : model.orgOf(scope.id());
        };
    }

    /** Returns the scope that the body names: otherwise the default organization, otherwise the platform. */
    private ResourceScope scope(DecisionBody body, @Nullable UUID defaultOrgId) {
        var scope = resourceScope(body, defaultOrgId);
        return body.product().removes() ? scope.withRemoval() : scope;
    }

    private ResourceScope resourceScope(DecisionBody body, @Nullable UUID defaultOrgId) {
        var projectId = body.projectId();
        var orgId = body.organizationId() == null ? defaultOrgId : body.organizationId();
        if ("shared_runtime".equals(body.product().resourceType())) {
            return sharedRuntime(orgId, body.product().resourceId());
        }
        if (projectId != null) {
            if (orgId != null && !orgId.equals(model.orgOf(projectId))) {
                throw notFound();
            }
            return ResourceScope.project(projectId);
        }
        return orgId == null ? ResourceScope.platform() : ResourceScope.organization(orgId);
    }

    private static ResourceScope sharedRuntime(@Nullable UUID orgId, @Nullable String resourceId) {
        if (orgId == null) {
            throw Problem.validationOf(
                            ErrorCode.VALIDATION_ERROR,
                            "/hierarchy/organization_id",
                            "is required for a shared_runtime")
                    .asException();
        }
        try {
            return ResourceScope.sharedRuntime(orgId, UUID.fromString(String.valueOf(resourceId)));
        } catch (IllegalArgumentException e) {
            throw Problem.validationOf(
                            ErrorCode.VALIDATION_ERROR,
                            "/product/resource_id",
                            "must be the UUID of the shared runtime")
                    .asException();
        }
    }

    private static String correlationId(Request request, DecisionBody body) {
        return body.correlationId() == null ? request.call().correlationId() : body.correlationId();
    }

    private static ProblemException notFound() {
        return Problem.of(ErrorCode.NOT_FOUND, "Not found.").asException();
    }
}

package dev.slipway.iam.decision;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.authz.Authorizer;
import dev.slipway.authz.AuthzModel;
import dev.slipway.authz.Decision.Verdict;
import dev.slipway.authz.Principal;
import dev.slipway.authz.Target;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Clock;
import java.time.Instant;
import java.util.UUID;

/** Answers from the read model what is decided about whom, and why; the same decisions that calls are admitted by. */
public final class DecisionApi {
    private static final String EXPLAIN = "iam.decision.explain";

    private final AuthzModel model;
    private final Authorizer authorizer;
    private final Clock clock;

    /** A question whose asker may have it answered. */
    private record Question(Principal actor, String action, Target target, Instant now) {}

    public DecisionApi(AuthzModel model, Clock clock) {
        this.model = model;
        this.authorizer = new Authorizer(model);
        this.clock = clock;
    }

    public Future<Reply> decide(Request request) {
        var named = actorId(request.body());
        var question = question(
                request, named != null && !named.equals(request.principal().id()));
        var decision = authorizer.decide(question.actor, question.action, question.target, question.now);
        if (named == null && decision.verdict() == Verdict.NOT_BOUND) {
            throw notFound(); // what is foreign to the caller and what does not exist look the same
        }
        var reply = DecisionJson.decision(decision, question.actor.id(), question.action, model.revision());
        return Future.succeededFuture(Reply.of(reply.put("correlation_id", correlationId(request))));
    }

    public Future<Reply> explain(Request request) {
        return explained(request, question(request, true));
    }

    /** In the organization that the path names, where the call was admitted: through the twin, about anybody. */
    public Future<Reply> explainInOrganization(Request request) {
        var orgId = request.pathId("org_id");
        var target = target(request.body(), orgId);
        var actorId = actorId(request.body());
        var actor = actorId == null ? request.principal() : model.principal(actorId);
        var knowable = actorId == null
                || request.call().breakGlassReason() != null
                || (actor != null && authorizer.isKnownIn(orgId, actor));
        if (actor == null || !knowable || !orgId.equals(orgOf(target))) {
            throw notFound();
        }
        return explained(request, new Question(actor, action(request.body()), target, clock.instant()));
    }

    private Future<Reply> explained(Request request, Question question) {
        var explanation = authorizer.explain(question.actor, question.action, question.target, question.now);
        var reply = DecisionJson.explanation(explanation, question.actor.id(), question.action, question.target);
        return Future.succeededFuture(Reply.of(reply.put("correlation_id", correlationId(request))));
    }

    private Question question(Request request, boolean asAdministrator) {
        var body = request.body();
        var now = clock.instant();
        var target = target(body, null);
        var caller = request.principal();
        if (asAdministrator) {
            var may = authorizer.decide(caller, EXPLAIN, target, now);
            if (!may.allowed()) {
                throw may.problem(EXPLAIN).asException();
            }
        }
        var actorId = actorId(body);
        var actor = actorId == null || actorId.equals(caller.id()) ? caller : known(actorId, target);
        return new Question(actor, action(body), target, now);
    }

    /** Somebody that the place's administrators may know of; anybody else does not exist for them. */
    private Principal known(UUID actorId, Target target) {
        var actor = model.principal(actorId);
        var orgId = orgOf(target);
        if (actor == null || (orgId != null && !authorizer.isKnownIn(orgId, actor))) {
            throw notFound();
        }
        return actor;
    }

    private @Nullable UUID orgOf(Target target) {
        return switch (target.kind()) {
            case SELF, PLATFORM, ANYWHERE -> null;
            case ORGANIZATION, SHARED_RUNTIME -> target.orgId();
            case PROJECT -> target.id() == null ? null : model.orgOf(target.id());
        };
    }

    /** The place that the body names; where it names none, {@code byDefault}, else the platform. */
    private Target target(JsonNode body, @Nullable UUID byDefault) {
        var place = place(body, byDefault);
        return body.path("product").path("removes").asBoolean() ? place.forRemoval() : place;
    }

    private Target place(JsonNode body, @Nullable UUID byDefault) {
        var hierarchy = body.path("hierarchy");
        var named = id(hierarchy.path("organization_id"));
        var projectId = id(hierarchy.path("project_id"));
        var orgId = named == null ? byDefault : named;
        var product = body.path("product");
        if (product.path("resource_type").asText().equals("shared_runtime")) {
            return sharedRuntime(orgId, product.path("resource_id"));
        }
        if (projectId != null) {
            if (orgId != null && !orgId.equals(model.orgOf(projectId))) {
                throw notFound();
            }
            return Target.project(projectId);
        }
        return orgId == null ? Target.platform() : Target.organization(orgId);
    }

    private static Target sharedRuntime(@Nullable UUID orgId, JsonNode resourceId) {
        if (orgId == null) {
            throw Problem.validationOf(
                            ErrorCode.VALIDATION_ERROR,
                            "/hierarchy/organization_id",
                            "is required for a shared_runtime")
                    .asException();
        }
        try {
            return Target.sharedRuntime(orgId, UUID.fromString(resourceId.asText()));
        } catch (IllegalArgumentException e) {
            throw Problem.validationOf(
                            ErrorCode.VALIDATION_ERROR, "/product/resource_id", "must be the shared_runtime's UUID")
                    .asException();
        }
    }

    private static String correlationId(Request request) {
        return request.body().path("correlation_id").asText(request.call().correlationId());
    }

    private static String action(JsonNode body) {
        return body.path("product").path("action").asText();
    }

    private static @Nullable UUID actorId(JsonNode body) {
        return id(body.path("actor").path("id"));
    }

    private static @Nullable UUID id(JsonNode value) {
        return value.isTextual() ? UUID.fromString(value.asText()) : null;
    }

    private static ProblemException notFound() {
        return Problem.of(ErrorCode.NOT_FOUND, "There is nothing here that you may see.")
                .asException();
    }
}

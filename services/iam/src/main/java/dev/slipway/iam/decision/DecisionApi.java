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
        var question = question(request, true);
        var explanation = authorizer.explain(question.actor, question.action, question.target, question.now);
        var reply = DecisionJson.explanation(explanation, question.actor.id(), question.action, question.target);
        return Future.succeededFuture(Reply.of(reply.put("correlation_id", correlationId(request))));
    }

    private Question question(Request request, boolean asAdministrator) {
        var body = request.body();
        var now = clock.instant();
        var target = target(body);
        var caller = request.principal();
        if (asAdministrator) {
            var may = authorizer.decide(caller, EXPLAIN, target, now);
            if (!may.allowed()) {
                throw may.problem(EXPLAIN).asException();
            }
        }
        var actorId = actorId(body);
        var actor = actorId == null || actorId.equals(caller.id()) ? caller : known(actorId, target);
        return new Question(actor, body.path("product").path("action").asText(), target, now);
    }

    /** Somebody that the place's administrators may know of; anybody else does not exist for them. */
    private Principal known(UUID actorId, Target target) {
        var actor = model.principal(actorId);
        var orgId =
                switch (target.kind()) {
                    case SELF, PLATFORM, ANYWHERE -> null;
                    case ORGANIZATION, SHARED_RUNTIME -> target.orgId();
                    case PROJECT -> target.id() == null ? null : model.orgOf(target.id());
                };
        if (actor == null || (orgId != null && !authorizer.isKnownIn(orgId, actor))) {
            throw notFound();
        }
        return actor;
    }

    private Target target(JsonNode body) {
        var hierarchy = body.path("hierarchy");
        var orgId = id(hierarchy.path("organization_id"));
        var projectId = id(hierarchy.path("project_id"));
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

package dev.slipway.iam.decision;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.authz.Binding;
import dev.slipway.authz.Binding.Level;
import dev.slipway.authz.Decision;
import dev.slipway.authz.Explanation;
import dev.slipway.authz.Explanation.Step;
import dev.slipway.authz.Target;
import dev.slipway.contract.Json;
import org.jspecify.annotations.Nullable;

import java.util.UUID;

/** Decisions and explanations as the contract has them. */
final class DecisionJson {
    private DecisionJson() {}

    static ObjectNode decision(Decision decision, UUID actorId, String action, long revision) {
        var body = Json.object();
        body.put("decision", decision.allowed() ? "allow" : "deny");
        body.put("reason", decision.verdict().text());
        body.put(
                "message",
                decision.allowed()
                        ? "The action is allowed."
                        : decision.problem(action).message());
        var rules = body.putArray("matched_rules");
        var by = decision.by();
        if (by != null) {
            rules.add(rule(by, by.principalId().equals(actorId) ? null : by.principalId()));
        }
        return body.put("evidence_version", revision);
    }

    static ObjectNode explanation(Explanation explanation, UUID actorId, String action, Target target) {
        var body = decision(explanation.decision(), actorId, action, explanation.revision());
        body.put("evidence_age_ms", explanation.age().toMillis());
        var steps = body.putArray("steps");
        explanation.steps().forEach(step -> steps.add(step(step, target)));
        return body;
    }

    private static ObjectNode step(Step step, Target target) {
        var node = Json.object();
        node.put("check", step.check().text());
        node.put("outcome", step.outcome().text());
        var level = step.level();
        if (level != null) {
            node.put("level", level.text());
        }
        var binding = step.binding();
        if (binding == null) {
            return node;
        }
        if (level == Level.PLATFORM && target.kind() != Target.Kind.PLATFORM) {
            // A tenant's administrators learn that it is held, not by which binding or whose group.
            return node.put("role", binding.role());
        }
        return node.setAll(rule(binding, step.groupId()));
    }

    private static ObjectNode rule(Binding binding, @Nullable UUID groupId) {
        var node = Json.object();
        node.put("level", binding.level().text());
        node.put("role", binding.role());
        node.put("binding_id", binding.id().toString());
        if (groupId != null) {
            node.put("group_id", groupId.toString());
        }
        var expiresAt = binding.expiresAt();
        return node.put("expires_at", expiresAt == null ? null : expiresAt.toString());
    }
}

package dev.slipway.instances.plan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.instances.appinstance.AdmissionStore.Admitted;
import dev.slipway.instances.appinstance.AppInstanceJson;
import dev.slipway.instances.appinstance.domain.AppInstance;
import dev.slipway.instances.operation.domain.Waiting.Adapters;
import dev.slipway.instances.plan.PlanStore.Kept;
import dev.slipway.instances.plan.PlanStore.Plan;
import dev.slipway.policy.EffectivePolicy;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.TreeSet;

/** Plans as the contract writes them, and what has changed since one was made. */
public final class PlanJson {
    private PlanJson() {}

    /** What a launch that is allowed comes to. */
    public static ObjectNode allowed(AppInstance instance, JsonNode manifest) {
        var outcome = Json.object();
        outcome.putObject("decision").put("result", "allowed");
        outcome.put("app_version_id", instance.app().versionId().toString());
        outcome.put("policy_version", instance.policyVersion());
        outcome.put("runtime_backend", instance.app().runtimeBackend());
        outcome.put(
                "operator_service_account_id",
                instance.operatorServiceAccountId().toString());
        outcome.set("placement_intent", AppInstanceJson.placement(instance.placement()));
        outcome.set("config", Json.trusted(instance.config()));
        outcome.set("artifacts", manifest.path("artifacts").isArray() ? manifest.path("artifacts") : Json.array());
        return outcome;
    }

    /** What a launch that is refused comes to. */
    public static ObjectNode refused(Problem problem) {
        var outcome = Json.object();
        var decision = outcome.putObject("decision");
        decision.put("result", "refused").put("code", problem.code().code()).put("message", problem.message());
        if (problem.details().has("fields")) {
            decision.set("fields", problem.details().path("fields"));
        }
        return outcome;
    }

    /** The answer: the outcome, and what it is due to. */
    public static ObjectNode answer(Kept kept, Plan plan, Admitted admitted, @Nullable Adapters adapters, Instant now) {
        var node = plan.outcome().deepCopy();
        node.put("plan_id", kept.id().toString());
        node.put("expires_at", kept.expiresAt().toString());
        node.set("policy", policy(admitted.policy()));
        var quota = admitted.quota();
        if (quota == null) {
            node.putNull("quota");
        } else {
            node.putObject("quota")
                    .put("limit", quota.limit())
                    .put("used", quota.used())
                    .put("after", quota.used() + 1);
        }
        if (adapters == null) {
            node.putNull("adapter");
        } else {
            var lastSeenAt = adapters.lastSeenAt();
            node.putObject("adapter")
                    .put("runtime_backend", adapters.backend())
                    .put("available", adapters.areAlive(now))
                    .put("last_seen_at", lastSeenAt == null ? null : lastSeenAt.toString());
        }
        return node;
    }

    /** Refuses a launch by a plan that would not come to what was planned any more; both outcomes as they are kept. */
    public static void requireSame(Plan planned, Plan now) {
        var changed = Json.array();
        if (!planned.request().equals(now.request())) {
            changed.addObject().put("field", "request");
        }
        var names = new TreeSet<String>();
        planned.outcome().fieldNames().forEachRemaining(names::add);
        now.outcome().fieldNames().forEachRemaining(names::add);
        for (var name : names) {
            var before = planned.outcome().path(name);
            var after = now.outcome().path(name);
            if (!before.equals(after)) {
                var change = changed.addObject().put("field", name);
                change.set("planned", before.isMissingNode() ? null : before);
                change.set("now", after.isMissingNode() ? null : after);
            }
        }
        if (!changed.isEmpty()) {
            var details = Json.object();
            details.set("changed", changed);
            throw new Problem(
                            ErrorCode.PLAN_OUTDATED,
                            "The launch would not come to what was planned: "
                                    + changed.get(0).path("field").asText()
                                    + " has changed. Make a new plan.",
                            details)
                    .asException();
        }
    }

    private static ObjectNode policy(EffectivePolicy policy) {
        var node = Json.object().put("version", policy.version());
        var values = node.putArray("values");
        for (var effect : policy.effects()) {
            var value = effect.value();
            var setBy = effect.setBy();
            var one = values.addObject().put("key", effect.key().id());
            one.set("value", value == null ? null : value.json());
            if (setBy == null) {
                one.putNull("set_by");
            } else {
                one.putObject("set_by")
                        .put("level", setBy.level().text())
                        .put("subject_id", setBy.subject())
                        .put("version", setBy.version());
            }
        }
        return node;
    }
}

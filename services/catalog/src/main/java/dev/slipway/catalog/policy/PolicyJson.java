package dev.slipway.catalog.policy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.catalog.policy.PolicyLevelStore.Written;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.policy.EffectivePolicy;
import dev.slipway.policy.EffectivePolicy.Effect;
import dev.slipway.policy.EffectivePolicy.Widening;
import dev.slipway.policy.PolicyDocument;
import dev.slipway.policy.PolicyValue;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.UUID;

/** Policy as the contract writes it. */
public final class PolicyJson {
    private PolicyJson() {}

    static ObjectNode level(Subject subject, Written written) {
        var author = written.authorId();
        var writtenAt = written.writtenAt();
        var node = Json.object()
                .put("level", subject.level().text())
                .put("subject_id", subject.id())
                .put("version", written.version());
        node.set("values", written.values());
        node.set("hard_denies", written.hardDenies());
        return node.put("author_id", author == null ? null : author.toString())
                .put("author_name", written.authorName())
                .put("written_at", writtenAt == null ? null : writtenAt.toString());
    }

    static ObjectNode effective(UUID projectId, @Nullable String appSlug, EffectivePolicy policy, boolean explain) {
        var node = Json.object().put("project_id", projectId.toString());
        if (appSlug != null) {
            node.put("app_slug", appSlug);
        }
        node.put("version", policy.version());
        var values = node.putObject("values");
        var denies = node.putObject("hard_denies");
        for (var effect : policy.effects()) {
            values.set(effect.key().id(), json(effect.value()));
            var denied = effect.denied();
            if (denied != null) {
                denies.set(effect.key().id(), denied.json());
            }
        }
        if (explain) {
            var explanation = node.putArray("explanation");
            policy.effects().forEach(effect -> explanation.add(explained(policy, effect)));
        }
        return node;
    }

    private static ObjectNode explained(EffectivePolicy policy, Effect effect) {
        var key = effect.key();
        var node = Json.object().put("key", key.id()).put("type", key.type().text());
        node.set("value", json(effect.value()));
        node.set("default", json(key.fallback()));
        var setBy = effect.setBy();
        node.set("set_by", setBy == null ? null : by(setBy));
        var said = node.putArray("said");
        for (var document : policy.levels()) {
            var one = said.add(by(document)).path(said.size() - 1);
            ((ObjectNode) one).set("value", json(document.values().get(key.id())));
            var denial = document.hardDenies().get(key.id());
            if (denial != null) {
                ((ObjectNode) one).set("hard_denies", denial.json());
            }
        }
        return node;
    }

    private static ObjectNode by(PolicyDocument document) {
        return Json.object()
                .put("level", document.level().text())
                .put("subject_id", document.subject())
                .put("version", document.version());
    }

    static ObjectNode widening(Widening widening) {
        return Json.object()
                .put("key", widening.key())
                .put("level", widening.level().text())
                .put("subject_id", widening.subject())
                .put("version", widening.version())
                .put("reason", widening.reason());
    }

    /** Why a document may not be written: each key, with the level that forbids it. */
    public static Problem widens(List<Widening> widenings) {
        var first = widenings.get(0);
        var details = Json.object();
        var all = details.putArray("widenings");
        widenings.forEach(each -> all.add(widening(each)));
        return new Problem(
                ErrorCode.POLICY_WIDENS,
                first.key() + ": the level " + first.level().text() + " " + first.reason()
                        + ". Ask for no more than the levels above leave.",
                details);
    }

    private static com.fasterxml.jackson.databind.@Nullable JsonNode json(@Nullable PolicyValue value) {
        return value == null ? null : value.json();
    }
}

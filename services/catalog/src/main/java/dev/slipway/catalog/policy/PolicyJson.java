package dev.slipway.catalog.policy;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.catalog.policy.PolicyLevelStore.PolicyVersion;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.policy.EffectivePolicy;
import dev.slipway.policy.EffectivePolicy.EffectiveValue;
import dev.slipway.policy.EffectivePolicy.Widening;
import dev.slipway.policy.LaunchRules.Refusal;
import dev.slipway.policy.PolicyDocument;
import dev.slipway.policy.PolicyKey;
import dev.slipway.policy.PolicyLevel;
import dev.slipway.policy.PolicyValue;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/** JSON records of policy: requests, responses, events and snapshots. */
public final class PolicyJson {
    private PolicyJson() {}

    record LevelRequest(
            @Nullable ObjectNode values, @Nullable ObjectNode hardDenies) {
        ObjectNode valuesOrEmpty() {
            return Objects.requireNonNullElseGet(values, Json::object);
        }

        ObjectNode hardDeniesOrEmpty() {
            return Objects.requireNonNullElseGet(hardDenies, Json::object);
        }
    }

    record PreviewRequest(
            @Nullable String plan,
            @Nullable UUID departmentId,
            @Nullable UUID projectId,
            @Nullable ObjectNode values,
            @Nullable ObjectNode hardDenies) {
        LevelRequest level() {
            return new LevelRequest(values, hardDenies);
        }
    }

    record LevelResponse(
            PolicyLevel level,
            String subjectId,
            long version,
            ObjectNode values,
            ObjectNode hardDenies,
            @Nullable UUID authorId,
            @Nullable String authorName,
            @Nullable Instant writtenAt) {
        static LevelResponse of(PolicySubject subject, PolicyVersion version) {
            return new LevelResponse(
                    subject.level(),
                    subject.id(),
                    version.version(),
                    version.values(),
                    version.hardDenies(),
                    version.authorId(),
                    version.authorName(),
                    version.writtenAt());
        }
    }

    record AuditMetadata(LevelResponse before, LevelResponse after) {}

    record LevelEvent(
            PolicyLevel level,
            String subjectId,
            @Nullable UUID orgId,
            long version,
            ObjectNode values,
            ObjectNode hardDenies) {}

    record LevelSnapshot(@JsonUnwrapped LevelEvent level, long revision) {}

    record DocumentReference(PolicyLevel level, String subjectId, long version) {
        static DocumentReference of(PolicyDocument document) {
            return new DocumentReference(document.level(), document.subject(), document.version());
        }
    }

    record LevelValue(
            @JsonUnwrapped DocumentReference document,
            @Nullable JsonNode value,
            @JsonInclude(Include.NON_NULL) @Nullable JsonNode hardDenies) {
        static LevelValue of(PolicyDocument document, PolicyKey key) {
            var denial = document.hardDenies().get(key.id());
            return new LevelValue(
                    DocumentReference.of(document),
                    json(document.values().get(key.id())),
                    denial == null ? null : denial.json());
        }
    }

    record Explanation(
            String key,
            PolicyKey.Type type,
            @Nullable JsonNode value,
            @JsonProperty("default") @Nullable JsonNode defaultValue,
            @Nullable DocumentReference setBy,
            List<LevelValue> said) {
        static Explanation of(EffectivePolicy policy, EffectiveValue value) {
            var key = value.key();
            var setBy = value.setBy();
            return new Explanation(
                    key.id(),
                    key.type(),
                    json(value.value()),
                    json(key.defaultValue()),
                    setBy == null ? null : DocumentReference.of(setBy),
                    policy.documents().stream()
                            .map(document -> LevelValue.of(document, key))
                            .toList());
        }
    }

    record EffectiveResponse(
            UUID projectId,
            @JsonInclude(Include.NON_NULL) @Nullable String appSlug,
            String version,
            Map<String, @Nullable JsonNode> values,
            Map<String, JsonNode> hardDenies,
            @JsonInclude(Include.NON_NULL) @Nullable List<Explanation> explanation) {
        static EffectiveResponse of(UUID projectId, @Nullable String appSlug, EffectivePolicy policy, boolean explain) {
            var values = new LinkedHashMap<String, @Nullable JsonNode>();
            var hardDenies = new LinkedHashMap<String, JsonNode>();
            for (var value : policy.effectiveValues()) {
                values.put(value.key().id(), json(value.value()));
                var denied = value.denied();
                if (denied != null) {
                    hardDenies.put(value.key().id(), denied.json());
                }
            }
            var explanation = explain
                    ? policy.effectiveValues().stream()
                            .map(value -> Explanation.of(policy, value))
                            .toList()
                    : null;
            return new EffectiveResponse(projectId, appSlug, policy.version(), values, hardDenies, explanation);
        }
    }

    record WideningResponse(String key, PolicyLevel level, String subjectId, long version, String reason) {
        static WideningResponse of(Widening widening) {
            return new WideningResponse(
                    widening.key(), widening.level(), widening.subject(), widening.version(), widening.reason());
        }
    }

    record Widenings(List<WideningResponse> widenings) {
        static Widenings of(List<Widening> widenings) {
            return new Widenings(widenings.stream().map(WideningResponse::of).toList());
        }
    }

    record ImpactedInstance(UUID appInstanceId, String status, List<Refusal> outside) {}

    record ImpactItem(
            UUID orgId,
            UUID projectId,
            String appSlug,
            List<Refusal> outside,
            List<ImpactedInstance> instances,
            int instancesOutside) {}

    /** Returns the problem of a document that would allow more than the levels above it. */
    public static Problem wideningProblem(List<Widening> widenings) {
        var first = widenings.get(0);
        return new Problem(
                ErrorCode.POLICY_WIDENS,
                first.key() + ": the " + first.level().text() + " level " + first.reason()
                        + ". Request no more than the levels above allow.",
                Json.toObject(Widenings.of(widenings)));
    }

    private static @Nullable JsonNode json(@Nullable PolicyValue value) {
        return value == null ? null : value.json();
    }
}

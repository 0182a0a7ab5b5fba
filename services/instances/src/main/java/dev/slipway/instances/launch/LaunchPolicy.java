package dev.slipway.instances.launch;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Json;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.policy.EffectivePolicy;
import dev.slipway.policy.PolicyDocument;
import dev.slipway.policy.PolicyKeys;
import dev.slipway.policy.PolicyLevel;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** The policy documents that apply to a launch in a project. */
public record LaunchPolicy(PolicyKeys keys, List<PolicyDocument> documents) {
    private record KeyRows(@Nullable List<PolicyKeys.RegisteredKey> items) {}

    private record LevelRows(@Nullable List<LevelRow> items) {}

    private record LevelRow(String level, String subjectId, long version, JsonNode values, JsonNode hardDenies) {}

    /** Parses the registered policy keys, as JSON text. */
    static PolicyKeys parseKeys(String registered) {
        var rows = Json.toRecord(Json.parseStoredObject(registered), KeyRows.class).items;
        return PolicyKeys.effectiveKeys(rows == null ? List.of() : rows);
    }

    /** Parses the documents of the levels that apply to a project, as JSON text. */
    public static LaunchPolicy parse(PolicyKeys keys, String levels) {
        var rows = Json.toRecord(Json.parseStoredObject(levels), LevelRows.class).items;
        var documents = new ArrayList<PolicyDocument>();
        for (var row : rows == null ? List.<LevelRow>of() : rows) {
            documents.add(PolicyDocument.fromStored(
                    keys,
                    TextEnum.parse(PolicyLevel.class, row.level),
                    row.subjectId,
                    row.version,
                    row.values,
                    row.hardDenies));
        }
        return new LaunchPolicy(keys, documents);
    }

    public LaunchPolicy withEntitlement(UUID entitlementId, long version, String overrides) {
        var all = new ArrayList<>(documents);
        all.add(PolicyDocument.fromStored(
                keys,
                PolicyLevel.ENTITLEMENT,
                entitlementId.toString(),
                version,
                Json.parseStoredObject(overrides),
                Json.object()));
        return new LaunchPolicy(keys, all);
    }

    public EffectivePolicy effective() {
        return EffectivePolicy.compute(keys, documents);
    }
}

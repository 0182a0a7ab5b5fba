package dev.slipway.catalog.policy;

import dev.slipway.catalog.policy.PolicyJson.EffectiveResponse;
import dev.slipway.catalog.policy.PolicyJson.LevelEvent;
import dev.slipway.catalog.policy.PolicyJson.LevelResponse;
import dev.slipway.catalog.policy.PolicyJson.LevelSnapshot;
import dev.slipway.catalog.policy.PolicyJson.PreviewRequest;
import dev.slipway.catalog.policy.PolicyLevelStore.PolicyVersion;
import dev.slipway.contract.Json;
import dev.slipway.policy.EffectivePolicy;
import dev.slipway.policy.PolicyDocument;
import dev.slipway.policy.PolicyKeys;
import dev.slipway.policy.PolicyLevel;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

import static dev.slipway.catalog.ContractAssertions.assertEvent;
import static dev.slipway.catalog.ContractAssertions.assertSchema;
import static org.assertj.core.api.Assertions.assertThat;

class PolicyJsonTest {
    private static final UUID ID = new UUID(0, 1);
    private static final PolicyVersion VERSION = new PolicyVersion(
            2,
            Json.parseStoredObject("{\"allowed_regions\": [\"eu\"]}"),
            Json.parseStoredObject("{\"allowed_apps\": [\"old\"]}"),
            ID,
            "Ann",
            Instant.EPOCH);

    @Test
    void responses_matchTheContract() {
        assertSchema("PolicyLevel", LevelResponse.of(PolicySubject.organization(ID), VERSION));
        assertSchema("PolicyLevel", LevelResponse.of(PolicySubject.global(), PolicyVersion.NONE));
        var document = PolicyDocument.fromStored(
                PolicyKeys.seeded(),
                PolicyLevel.ORGANIZATION,
                ID.toString(),
                2,
                VERSION.values(),
                VERSION.hardDenies());
        var policy = EffectivePolicy.compute(PolicyKeys.seeded(), List.of(document));

        var explained = assertSchema("EffectivePolicy", EffectiveResponse.of(ID, "echo", policy, true));
        var plain = assertSchema("EffectivePolicy", EffectiveResponse.of(ID, null, policy, false));

        assertThat(explained.at("/explanation/0/said/0/level").asText()).isEqualTo("organization");
        assertThat(explained.at("/values/allowed_skus").isNull()).isTrue();
        assertThat(plain.has("explanation")).isFalse();
        assertThat(plain.has("app_slug")).isFalse();
    }

    @Test
    void events_matchTheirSchemas() {
        var event =
                new LevelEvent(PolicyLevel.ORGANIZATION, ID.toString(), ID, 2, VERSION.values(), VERSION.hardDenies());

        assertEvent("policy.level.updated", event);
        assertEvent("catalog.policy.snapshot", new LevelSnapshot(event, 2));
    }

    @Test
    void previewRequest_readsOptionalFields() {
        var body = Json.parseStoredObject("{\"project_id\": \"" + ID + "\", \"values\": {\"allowed_skus\": []}}");

        var request = Json.toRecord(body, PreviewRequest.class);

        assertThat(request.projectId()).isEqualTo(ID);
        assertThat(request.level().valuesOrEmpty().has("allowed_skus")).isTrue();
        assertThat(request.level().hardDeniesOrEmpty()).isEmpty();
    }
}

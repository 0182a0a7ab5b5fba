package dev.slipway.instances.launch;

import dev.slipway.instances.launch.LaunchContext.Quota;
import dev.slipway.instances.launch.domain.Launch;
import dev.slipway.instances.launch.domain.LaunchEligibility.Version;
import dev.slipway.instances.launch.domain.Placement;
import dev.slipway.policy.EffectivePolicy;
import dev.slipway.policy.LaunchEligibilityRule.Purpose;
import dev.slipway.policy.LaunchEligibilityRule.VersionStatus;
import dev.slipway.policy.PolicyKeys;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.UUID;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

class LaunchPolicyTest {
    private static final UUID ID = new UUID(0, 1);
    private static final PolicyKeys SEEDED = LaunchPolicy.parseKeys("{}");

    @Test
    void parseKeys_returnsTheSeeds_unlessRegistered() {
        var keys = LaunchPolicy.parseKeys(json("{'items': ["
                + "{'id': 'allowed_regions', 'version': 2, 'state': 'deprecated', 'body': {'type': 'string_list', 'default': ['eu']}},"
                + "{'id': 'allowed_skus', 'version': 2, 'state': 'retired', 'body': {'type': 'string_list'}},"
                + "{'id': 'old.quota', 'version': 4, 'state': 'retired', 'body': {'type': 'integer'}},"
                + "{'id': 'not.yet', 'version': 1, 'state': 'draft', 'body': {'type': 'integer'}},"
                + "{'id': 'quota', 'version': 1, 'state': 'active', 'body': {'type': 'integer'}}]}"));

        assertThat(SEEDED).isEqualTo(PolicyKeys.seeded());
        assertThat(requireNonNull(keys.find("allowed_regions")).version()).isEqualTo(2);
        assertThat(requireNonNull(keys.find("allowed_skus")).version()).isEqualTo(2);
        assertThat(keys.find("old.quota")).isNull();
        assertThat(keys.find("not.yet")).isNull();
        assertThat(keys.find("quota")).isNotNull();
        assertThat(keys.find("max_gpus_per_instance")).isEqualTo(SEEDED.find("max_gpus_per_instance"));
    }

    @Test
    void evaluate_appliesEveryLevelAndTheEntitlement() {
        var policyDocuments = LaunchPolicy.parse(
                SEEDED,
                json(
                        "{'items': ["
                                + "{'level': 'global', 'subject_id': 'platform', 'version': 3, 'values': {'allowed_regions': ['eu', 'us']}, 'hard_denies': {}},"
                                + "{'level': 'project', 'subject_id': 'p', 'version': 1, 'values': {'allowed_regions': ['us'], 'max_instances_per_project': 5}, 'hard_denies': {}}]}"));
        var entitled = policyDocuments.withEntitlement(ID, 4, json("{'allowed_operating_modes': []}"));

        var allowed = inputs(policyDocuments.effective()).evaluate(Purpose.LAUNCH, launch(), new Quota(5, 4));
        var refused = inputs(entitled.effective()).evaluate(Purpose.LAUNCH, launch(), new Quota(5, 4));
        var full = inputs(policyDocuments.effective()).evaluate(Purpose.LAUNCH, launch(), new Quota(5, 5));

        assertThat(allowed.eligibility().refusal()).isNull();
        assertThat(allowed.eligibility().policy().placement()).isEqualTo(new Placement("us", null, 2));
        assertThat(requireNonNull(refused.policyRefusal()).code()).isEqualTo("operating_mode_not_allowed");
        assertThat(refused.eligibility().policy().version())
                .isNotEqualTo(allowed.eligibility().policy().version());
        assertThat(requireNonNull(full.eligibility().refusal()).code()).isEqualTo("instance_limit_reached");
        assertThat(allowed.quota()).isEqualTo(new Quota(5, 4));
        assertThat(refused.quota()).isNull();
        assertThat(full.quota()).isEqualTo(new Quota(5, 5));
    }

    private static LaunchInputs inputs(EffectivePolicy policy) {
        return new LaunchInputs(
                1,
                1,
                ID,
                ID,
                new Version(ID, "bare_metal"),
                1,
                false,
                true,
                VersionStatus.ACTIVE,
                false,
                policy,
                List.of(),
                ID);
    }

    private static Launch launch() {
        return new Launch(
                ID,
                "echo",
                "1",
                "Mine",
                "tenant_dedicated",
                "project",
                null,
                "{}",
                ID,
                ID,
                new Placement(null, null, 2),
                Map.of(),
                null);
    }

    private static String json(String text) {
        return text.replace('\'', '"');
    }
}

package dev.slipway.instances.appinstance;

import dev.slipway.instances.appinstance.domain.Launch;
import dev.slipway.instances.appinstance.domain.Placement;
import dev.slipway.policy.PolicyKeys;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.UUID;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

class LaunchPolicyTest {
    private static final UUID ID = new UUID(0, 1);
    private static final PolicyKeys SEEDED = LaunchPolicy.keys("{}");

    @Test
    void keys_areTheSeeds_untilTheRegistrySaysOtherwise() {
        var keys = LaunchPolicy.keys(json("{'items': ["
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
    void launch_isJudgedByEveryLevel_andByTheEntitlement() {
        var said = LaunchPolicy.said(
                SEEDED,
                json(
                        "{'items': ["
                                + "{'level': 'global', 'subject_id': 'platform', 'version': 3, 'values': {'allowed_regions': ['eu', 'us']}, 'hard_denies': {}},"
                                + "{'level': 'project', 'subject_id': 'p', 'version': 1, 'values': {'allowed_regions': ['us']}, 'hard_denies': {}}]}"));
        var entitled = said.with(ID, 4, json("{'allowed_operating_modes': []}"));

        var judged = LaunchPolicy.judged(said.effective(), launch(), List.of());
        var refused = LaunchPolicy.judged(entitled.effective(), launch(), List.of());

        assertThat(judged.refusal()).isNull();
        assertThat(judged.placement()).isEqualTo(new Placement("us", null, 2));
        assertThat(requireNonNull(refused.refusal()).code()).isEqualTo("operating_mode_not_allowed");
        assertThat(refused.version()).isNotEqualTo(judged.version());
        assertThat(requireNonNull(LaunchPolicy.full(judged, said.effective(), 5).refusal())
                        .code())
                .isEqualTo("instance_limit_reached");
    }

    @Test
    void launch_isRefused_whenLaunchingIsSwitchedOff_beforeAnythingElse() {
        var off = LaunchPolicy.said(
                SEEDED,
                json(
                        "{'items': [{'level': 'plan', 'subject_id': 'x', 'version': 1,"
                                + " 'values': {'features.instance_mutations': false}, 'hard_denies': {'allowed_apps': ['*']}}]}"));

        assertThat(requireNonNull(LaunchPolicy.judged(off.effective(), launch(), List.of())
                                .refusal())
                        .code())
                .isEqualTo("feature_disabled");
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
                new Placement(null, null, 2));
    }

    private static String json(String text) {
        return text.replace('\'', '"');
    }
}

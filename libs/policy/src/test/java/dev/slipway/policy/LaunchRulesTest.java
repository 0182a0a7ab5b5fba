package dev.slipway.policy;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.policy.LaunchRules.Asked;
import dev.slipway.policy.LaunchRules.Refusal;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class LaunchRulesTest {
    private static final PolicyKeys KEYS = PolicyKeys.seeded();
    private static final Asked PLAIN = new Asked("echo", "tenant_dedicated", "project", null, null, null, List.of());

    @Test
    void refusals_nameEverythingThatIsNotAllowed_eachByItsOwnCode() {
        var policy = policy(
                "{'allowed_regions': ['eu'], 'allowed_skus': ['small'], 'max_gpus_per_instance': 2}",
                "{'allowed_apps': ['echo']}");

        var refusals = LaunchRules.refusals(
                policy, new Asked("echo", "platform_managed", "tenant", "us", "large", 3, List.of()));

        assertThat(refusals)
                .extracting(Refusal::code)
                .containsExactly(
                        "app_denied",
                        "operating_mode_not_allowed",
                        "control_plane_scope_not_allowed",
                        "region_not_allowed",
                        "sku_not_allowed",
                        "gpu_limit_exceeded")
                .allSatisfy(code -> assertThat(ErrorCode.of(code).code()).isEqualTo(code));
    }

    @Test
    void refusals_areNone_whenAllIsAllowedOrLeftOpen() {
        assertThat(LaunchRules.refusals(policy("{}", "{}"), PLAIN)).isEmpty();
        assertThat(LaunchRules.refusals(policy("{'allowed_regions': ['eu']}", "{}"), PLAIN))
                .isEmpty();
        assertThat(LaunchRules.refusals(policy("{'max_gpus_per_instance': 2}", "{}"), asking("eu", 2)))
                .isEmpty();
    }

    @Test
    void refusals_nameTheList_thatLeavesNothingToChoose() {
        assertThat(LaunchRules.refusals(policy("{'allowed_regions': []}", "{}"), PLAIN))
                .extracting(Refusal::code)
                .containsExactly("region_not_allowed");
    }

    @Test
    void refusals_nameASource_andTheLevelThatLeavesItOut() {
        var wide = said(Level.GLOBAL, "{'artifact_source_allowlist': ['registry.example.com', 'other.example.com']}");
        var narrow = said(Level.PROJECT, "{'artifact_source_allowlist': ['other.example.com']}");

        assertThat(LaunchRules.refusals(EffectivePolicy.compute(KEYS, List.of(wide)), asking("eu", 1)))
                .isEmpty();
        assertThat(LaunchRules.refusals(EffectivePolicy.compute(KEYS, List.of(wide, narrow)), asking("eu", 1)))
                .singleElement()
                .satisfies(refusal -> assertThat(refusal.code() + ": " + refusal.message())
                        .startsWith("source_not_allowed: ")
                        .contains("registry.example.com/echo", "by the project level"));
    }

    private static PolicyDocument said(Level level, String values) {
        return PolicyDocument.stored(KEYS, level, "s", 1, json(values), json("{}"));
    }

    @Test
    void refusals_nameASource_thatIsDenied_evenWhereNoLevelHasAList() {
        assertThat(LaunchRules.refusals(
                        policy("{}", "{'artifact_source_allowlist': ['registry.example.com']}"), asking("eu", 1)))
                .extracting(Refusal::code)
                .containsExactly("source_not_allowed");
    }

    @Test
    void placed_takesTheFirstThatIsAllowed_whereTheCallerLeftItOpen() {
        var policy = policy("{'allowed_regions': ['eu', 'us']}", "{}");

        assertThat(LaunchRules.placed(policy, PLAIN).region()).isEqualTo("eu");
        assertThat(LaunchRules.placed(policy, PLAIN).sku()).isNull();
        assertThat(LaunchRules.placed(policy, asking("us", 1)).region()).isEqualTo("us");
    }

    private static Asked asking(String region, int gpus) {
        return new Asked(
                "echo", "tenant_dedicated", "project", region, null, gpus, List.of("registry.example.com/echo"));
    }

    private static EffectivePolicy policy(String values, String denies) {
        var document = PolicyDocument.stored(KEYS, Level.PROJECT, "p", 1, json(values), json(denies));
        return EffectivePolicy.compute(KEYS, List.of(document));
    }

    private static com.fasterxml.jackson.databind.node.ObjectNode json(String text) {
        return Json.trusted(text.replace('\'', '"'));
    }
}

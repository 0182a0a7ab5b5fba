package dev.slipway.policy;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.policy.LaunchRules.LaunchRequest;
import dev.slipway.policy.LaunchRules.Refusal;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class LaunchRulesTest {
    private static final PolicyKeys KEYS = PolicyKeys.seeded();
    private static final LaunchRequest PLAIN =
            new LaunchRequest("echo", "tenant_dedicated", "project", null, null, null, List.of());

    @Test
    void findRefusals_returnsAllViolations_withTheirCodes() {
        var policy = policy(
                "{'allowed_regions': ['eu'], 'allowed_skus': ['small'], 'max_gpus_per_instance': 2}",
                "{'allowed_apps': ['echo']}");

        var refusals = LaunchRules.findRefusals(
                policy, new LaunchRequest("echo", "platform_managed", "tenant", "us", "large", 3, List.of()));

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
    void findRefusals_isEmpty_whenValuesAreAllowedOrUnspecified() {
        assertThat(LaunchRules.findRefusals(policy("{}", "{}"), PLAIN)).isEmpty();
        assertThat(LaunchRules.findRefusals(policy("{'allowed_regions': ['eu']}", "{}"), PLAIN))
                .isEmpty();
        assertThat(LaunchRules.findRefusals(policy("{'max_gpus_per_instance': 2}", "{}"), asking("eu", 2)))
                .isEmpty();
    }

    @Test
    void findRefusals_refusesUnspecifiedValue_whenListIsEmpty() {
        assertThat(LaunchRules.findRefusals(policy("{'allowed_regions': []}", "{}"), PLAIN))
                .extracting(Refusal::code)
                .containsExactly("region_not_allowed");
    }

    @Test
    void findRefusals_namesSourceAndLevel_whenSourceIsNotAllowed() {
        var wide = said(
                PolicyLevel.GLOBAL, "{'artifact_source_allowlist': ['registry.example.com', 'other.example.com']}");
        var narrow = said(PolicyLevel.PROJECT, "{'artifact_source_allowlist': ['other.example.com']}");

        assertThat(LaunchRules.findRefusals(EffectivePolicy.compute(KEYS, List.of(wide)), asking("eu", 1)))
                .isEmpty();
        assertThat(LaunchRules.findRefusals(EffectivePolicy.compute(KEYS, List.of(wide, narrow)), asking("eu", 1)))
                .singleElement()
                .satisfies(refusal -> assertThat(refusal.code() + ": " + refusal.message())
                        .startsWith("source_not_allowed: ")
                        .contains("registry.example.com/echo", "by the project level"));
    }

    private static PolicyDocument said(PolicyLevel policyLevel, String values) {
        return PolicyDocument.fromStored(KEYS, policyLevel, "s", 1, json(values), json("{}"));
    }

    @Test
    void findRefusals_namesDeniedSource_whenNoLevelSetsTheList() {
        assertThat(LaunchRules.findRefusals(
                        policy("{}", "{'artifact_source_allowlist': ['registry.example.com']}"), asking("eu", 1)))
                .extracting(Refusal::code)
                .containsExactly("source_not_allowed");
    }

    @Test
    void withDefaultPlacement_usesFirstAllowedValue_whenUnspecified() {
        var policy = policy("{'allowed_regions': ['eu', 'us']}", "{}");

        assertThat(LaunchRules.withDefaultPlacement(policy, PLAIN).region()).isEqualTo("eu");
        assertThat(LaunchRules.withDefaultPlacement(policy, PLAIN).sku()).isNull();
        assertThat(LaunchRules.withDefaultPlacement(policy, asking("us", 1)).region())
                .isEqualTo("us");
    }

    private static LaunchRequest asking(String region, int gpus) {
        return new LaunchRequest(
                "echo", "tenant_dedicated", "project", region, null, gpus, List.of("registry.example.com/echo"));
    }

    private static EffectivePolicy policy(String values, String denies) {
        var document = PolicyDocument.fromStored(KEYS, PolicyLevel.PROJECT, "p", 1, json(values), json(denies));
        return EffectivePolicy.compute(KEYS, List.of(document));
    }

    private static com.fasterxml.jackson.databind.node.ObjectNode json(String text) {
        return Json.parseStoredObject(text.replace('\'', '"'));
    }
}

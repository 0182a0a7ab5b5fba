package dev.slipway.policy;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.policy.LaunchEligibilityRule.Candidate;
import dev.slipway.policy.LaunchEligibilityRule.Purpose;
import dev.slipway.policy.LaunchEligibilityRule.VersionStatus;
import dev.slipway.policy.LaunchRules.LaunchRequest;
import dev.slipway.testkit.Proves;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;

class LaunchEligibilityRuleTest {
    private static final EffectivePolicy DEFAULTS = policy("{}");

    /** All conditions fail in the first row; each following row fixes the first failing one. */
    @Test
    void evaluate_returnsTheFirstRefusal_inDocumentedOrder() {
        var off = policy("{'features.instance_mutations': false, 'allowed_apps': [], 'max_instances_per_project': 1}");
        var denied = policy("{'allowed_apps': [], 'allowed_operating_modes': [], 'max_instances_per_project': 1}");
        var full = policy("{'max_instances_per_project': 1}");

        assertThat(List.of(
                        code(candidate(false, true, false, null, true), off, 1),
                        code(candidate(true, true, false, null, true), off, 1),
                        code(candidate(true, false, false, null, true), off, 1),
                        code(candidate(true, false, true, null, true), off, 1),
                        code(candidate(true, false, true, VersionStatus.DRAFT, true), off, 1),
                        code(candidate(true, false, true, VersionStatus.DISABLED, true), off, 1),
                        code(candidate(true, false, true, VersionStatus.RETIRED, true), off, 1),
                        code(candidate(true, false, true, VersionStatus.DEPRECATED, true), off, 1),
                        code(candidate(true, false, true, VersionStatus.ACTIVE, true), off, 1),
                        code(candidate(true, false, true, VersionStatus.ACTIVE, false), off, 1),
                        code(candidate(true, false, true, VersionStatus.ACTIVE, false), denied, 1),
                        code(candidate(true, false, true, VersionStatus.ACTIVE, false), full, 1),
                        code(candidate(true, false, true, VersionStatus.ACTIVE, false), full, 0)))
                .containsExactly(
                        "app_not_found",
                        "app_not_entitled",
                        "app_not_entitled",
                        "app_version_not_found",
                        "app_version_not_found",
                        "app_version_not_launchable",
                        "app_version_not_launchable",
                        "app_version_deprecated",
                        "artifact_revoked",
                        "feature_disabled",
                        "app_denied",
                        "instance_limit_reached",
                        "");
    }

    /** The table of codes in the guide is the contract of the decision's output. */
    @Test
    @Proves("3.20")
    void guide_listsAllCodes_inTheOrderOfEvaluation() throws IOException {
        var section = Files.readString(Path.of("../../docs/policy.md")).split("## How a launch is decided", -1)[1];
        var codes = Pattern.compile("`([a-z_]+)`");
        var documented = section.lines()
                .filter(line -> line.startsWith("| `") && !line.startsWith("| `slipway_"))
                .flatMap(line ->
                        codes.matcher(line.split("\\|", -1)[1]).results().map(code -> code.group(1)))
                .toList();

        assertThat(documented)
                .containsExactly(
                        "app_not_found",
                        "app_not_entitled",
                        "app_version_not_found",
                        "app_version_not_launchable",
                        "app_version_deprecated",
                        "artifact_revoked",
                        "feature_disabled",
                        "app_denied",
                        "operating_mode_not_allowed",
                        "control_plane_scope_not_allowed",
                        "region_not_allowed",
                        "sku_not_allowed",
                        "gpu_limit_exceeded",
                        "source_not_allowed",
                        "instance_limit_reached");
    }

    @ParameterizedTest
    @CsvSource({
        "LAUNCH,   false, app_version_deprecated",
        "LAUNCH,   true,  ''",
        "UPGRADE,  false, app_version_deprecated",
        "UPGRADE,  true,  ''",
        "ROLLBACK, false, ''",
        "ROLLBACK, true,  ''",
    })
    void evaluate_acceptsDeprecatedVersion_whenPolicyAllowsIt_orForRollback(
            Purpose purpose, boolean allowed, String expected) {
        var policy = policy("{'allow_deprecated_versions': " + allowed + "}");
        var candidate = candidate(true, false, true, VersionStatus.DEPRECATED, false);

        assertThat(code(purpose, candidate, policy, 0)).isEqualTo(expected);
    }

    @Test
    void evaluate_checksInstanceLimit_forLaunchOnly() {
        var full = policy("{'max_instances_per_project': 0}");
        var candidate = candidate(true, false, true, VersionStatus.ACTIVE, false);

        assertThat(code(Purpose.LAUNCH, candidate, full, 0)).isEqualTo("instance_limit_reached");
        assertThat(code(Purpose.UPGRADE, candidate, full, 7)).isEmpty();
        assertThat(code(Purpose.ROLLBACK, candidate, full, 7)).isEmpty();
    }

    @Test
    void evaluate_namesTheDisabledApp_whenAppIsDisabled() {
        var refusal = LaunchEligibilityRule.evaluate(
                Purpose.LAUNCH,
                candidate(true, true, true, VersionStatus.ACTIVE, false),
                DEFAULTS,
                LaunchRequest.unspecified("echo", List.of()),
                0);

        assertThat(refusal).isNotNull();
        assertThat(refusal.message()).startsWith("App echo is disabled");
        assertThat(refusal.policyKey()).isNull();
    }

    private static Candidate candidate(
            boolean exists, boolean disabled, boolean entitled, @Nullable VersionStatus status, boolean revoked) {
        return new Candidate("echo", "1.0.0", exists, disabled, entitled, status, revoked);
    }

    private static String code(Candidate candidate, EffectivePolicy policy, long live) {
        return code(Purpose.LAUNCH, candidate, policy, live);
    }

    private static String code(Purpose purpose, Candidate candidate, EffectivePolicy policy, long live) {
        var refusal = LaunchEligibilityRule.evaluate(
                purpose, candidate, policy, LaunchRequest.unspecified("echo", List.of()), live);
        if (refusal == null) {
            return "";
        }
        assertThat(ErrorCode.of(refusal.code()).code()).isEqualTo(refusal.code());
        return refusal.code();
    }

    private static EffectivePolicy policy(String values) {
        var keys = PolicyKeys.seeded();
        var document = PolicyDocument.fromStored(
                keys,
                PolicyLevel.GLOBAL,
                PolicyDocument.PLATFORM,
                1,
                Json.parseStoredObject(values.replace('\'', '"')),
                Json.object());
        return EffectivePolicy.compute(keys, List.of(document));
    }
}

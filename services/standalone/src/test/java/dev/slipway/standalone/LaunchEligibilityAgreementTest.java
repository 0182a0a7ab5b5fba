package dev.slipway.standalone;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.catalog.policy.PolicyLevels;
import dev.slipway.catalog.policy.entitlement.EligibilityEvaluator;
import dev.slipway.catalog.policy.entitlement.EligibilityStore.EligibilityInputs;
import dev.slipway.contract.Json;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.instances.launch.LaunchContext.Quota;
import dev.slipway.instances.launch.LaunchInputs;
import dev.slipway.instances.launch.LaunchPolicy;
import dev.slipway.instances.launch.domain.Launch;
import dev.slipway.instances.launch.domain.LaunchEligibility.Version;
import dev.slipway.instances.launch.domain.Placement;
import dev.slipway.policy.EffectivePolicy;
import dev.slipway.policy.LaunchEligibilityRule.Purpose;
import dev.slipway.policy.LaunchEligibilityRule.VersionStatus;
import dev.slipway.policy.PolicyDocument;
import dev.slipway.policy.PolicyKeys;
import dev.slipway.policy.PolicyLevel;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;

/** The catalog predicts the outcome of a launch exactly as the instances service decides it. */
class LaunchEligibilityAgreementTest {
    private static final long SEED = 20261117;
    private static final int CASES = 10_000;
    private static final UUID ID = new UUID(0, 1);
    private static final PolicyKeys KEYS = PolicyKeys.seeded();
    private static final List<VersionStatus> STATUSES = List.of(VersionStatus.values());
    private static final List<String> SOURCES =
            List.of("oci://a.example.com/echo", "oci://b.example.com/echo", "https://c.example.org/echo.bin");

    @Test
    void catalogAndInstances_agree_onRandomInputs() {
        var random = new Random(SEED);
        var outcomes = new TreeMap<String, Integer>();
        for (var i = 0; i < CASES; i++) {
            var inputs = randomInputs(random);
            var documents = randomDocuments(random);

            var predicted = predictedByCatalog(inputs, documents);
            var decided = decidedByInstances(inputs, documents);

            assertThat(predicted)
                    .as("case %s: %s under %s", i, inputs, documents)
                    .isEqualTo(decided);
            outcomes.merge(decided, 1, Integer::sum);
        }
        assertThat(outcomes)
                .as("outcomes that the inputs reach")
                .containsOnlyKeys(
                        "",
                        "app_denied",
                        "app_not_entitled",
                        "app_version_deprecated",
                        "app_version_not_found",
                        "app_version_not_launchable",
                        "artifact_revoked",
                        "control_plane_scope_not_allowed",
                        "feature_disabled",
                        "instance_limit_reached",
                        "operating_mode_not_allowed",
                        "region_not_allowed",
                        "sku_not_allowed",
                        "source_not_allowed");
    }

    private static String predictedByCatalog(EligibilityInputs inputs, ArrayNode documents) {
        var parsed = new ArrayList<PolicyDocument>();
        for (var each : documents) {
            parsed.add(PolicyDocument.fromStored(
                    KEYS,
                    TextEnum.parse(PolicyLevel.class, each.path("level").asText()),
                    each.path("subject_id").asText(),
                    each.path("version").asLong(),
                    each.path("values"),
                    each.path("hard_denies")));
        }
        var policy = EligibilityEvaluator.effectivePolicy(new PolicyLevels(KEYS, KEYS, parsed), inputs);
        var eligibility = EligibilityEvaluator.evaluate(policy, inputs);
        var reason = eligibility.reason();
        return reason == null ? "" : reason;
    }

    private static String decidedByInstances(EligibilityInputs inputs, ArrayNode documents) {
        var stored = Json.object();
        stored.set("items", documents);
        var levels = LaunchPolicy.parse(KEYS, Json.text(stored));
        var entitlementId = inputs.entitlementId();
        var policy = (entitlementId == null
                        ? levels
                        : levels.withEntitlement(entitlementId, inputs.revision(), inputs.overrides()))
                .effective();
        var known = new LaunchInputs(
                1,
                1,
                ID,
                ID,
                new Version(inputs.versionId(), "bare_metal"),
                1,
                inputs.appStatus().equals("disabled"),
                inputs.enabled(),
                TextEnum.parse(VersionStatus.class, inputs.versionStatus()),
                inputs.artifactRevoked(),
                policy,
                inputs.artifactSources(),
                ID);
        var refusal = known.evaluate(Purpose.LAUNCH, launch(inputs, policy), new Quota(0, inputs.liveInstances()))
                .eligibility()
                .refusal();
        return refusal == null ? "" : refusal.code();
    }

    /** Requests an allowed mode and scope, as a caller who has read the policy would. */
    private static Launch launch(EligibilityInputs inputs, EffectivePolicy policy) {
        return new Launch(
                ID,
                inputs.appSlug(),
                inputs.version(),
                "Mine",
                firstAllowed(policy, PolicyKeys.OPERATING_MODES, "tenant_dedicated"),
                firstAllowed(policy, PolicyKeys.CONTROL_PLANE_SCOPES, "project"),
                null,
                "{}",
                ID,
                ID,
                Placement.UNSPECIFIED,
                Map.of(),
                null);
    }

    private static String firstAllowed(EffectivePolicy policy, String key, String otherwise) {
        var allowed = policy.allowed(key);
        return allowed == null || allowed.isEmpty() ? otherwise : allowed.get(0);
    }

    private static EligibilityInputs randomInputs(Random random) {
        var status = random.nextInt(3) > 0 ? VersionStatus.ACTIVE : STATUSES.get(random.nextInt(STATUSES.size()));
        var hasEntitlement = random.nextInt(12) > 0;
        return new EligibilityInputs(
                new UUID(0, 2),
                "1.0.0",
                status.text(),
                "echo",
                random.nextInt(15) > 0 ? "active" : "disabled",
                hasEntitlement ? new UUID(0, 3) : null,
                hasEntitlement && random.nextInt(12) > 0,
                hasEntitlement ? Json.text(randomValues(random)) : "{}",
                1,
                SOURCES.subList(0, random.nextInt(SOURCES.size() + 1)),
                random.nextInt(12) == 0,
                random.nextInt(6));
    }

    private static ArrayNode randomDocuments(Random random) {
        var documents = Json.array();
        for (var level : PolicyLevel.values()) {
            if (level != PolicyLevel.ENTITLEMENT && random.nextInt(3) == 0) {
                var document = documents
                        .addObject()
                        .put("level", level.text())
                        .put("subject_id", "s-" + level.text())
                        .put("version", 1);
                document.set("values", randomValues(random));
                var denies = document.putObject("hard_denies");
                if (random.nextInt(10) == 0) {
                    denies.putArray("allowed_apps").add(random.nextBoolean() ? "echo" : "*");
                }
                if (random.nextInt(10) == 0) {
                    denies.putArray("artifact_source_allowlist").add("a.example.com");
                }
            }
        }
        return documents;
    }

    private static ObjectNode randomValues(Random random) {
        var values = Json.object();
        randomFlag(random, values, "features.instance_mutations", 20);
        randomFlag(random, values, "allow_deprecated_versions", 3);
        randomList(random, values, "allowed_apps", "echo", "other");
        randomList(random, values, "allowed_regions", "eu", "us");
        randomList(random, values, "allowed_skus", "small", "large");
        randomList(random, values, "allowed_operating_modes", "tenant_dedicated", "platform_managed");
        randomList(random, values, "allowed_control_plane_scopes", "project", "tenant");
        randomList(random, values, "artifact_source_allowlist", "*.example.com", "c.example.org");
        if (random.nextInt(3) == 0) {
            values.put("max_instances_per_project", random.nextInt(8));
        }
        return values;
    }

    private static void randomFlag(Random random, ObjectNode values, String key, int oneIn) {
        if (random.nextInt(oneIn) == 0) {
            values.put(key, random.nextBoolean());
        }
    }

    private static void randomList(Random random, ObjectNode values, String key, String... options) {
        if (random.nextInt(4) > 0) {
            return;
        }
        var list = values.putArray(key);
        for (var option : options) {
            if (random.nextInt(8) > 0) {
                list.add(option);
            }
        }
    }
}

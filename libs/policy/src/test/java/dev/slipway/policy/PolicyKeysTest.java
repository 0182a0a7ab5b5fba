package dev.slipway.policy;

import dev.slipway.contract.Json;
import dev.slipway.contract.RegistrySeeds;
import dev.slipway.contract.domain.RegistryKind;
import dev.slipway.contract.domain.RegistryLifecycle;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.stream.Collectors;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

class PolicyKeysTest {
    private static final PolicyKeys SEEDED = PolicyKeys.seeded();

    @Test
    void seeds_areAllValidKeys() {
        var seeds = RegistrySeeds.load().entries().stream()
                .filter(entry -> entry.kind() == RegistryKind.POLICY)
                .map(RegistrySeeds.Entry::id)
                .collect(Collectors.toSet());

        assertThat(SEEDED.byId().keySet()).isEqualTo(seeds);
    }

    @Test
    @Proves("1.83")
    void seeds_haveExpectedTypes() {
        assertThat(SEEDED.byId().values().stream()
                        .filter(key -> key.levels().contains(PolicyLevel.ENTITLEMENT))
                        .collect(Collectors.toMap(
                                PolicyKey::id, key -> key.type().text())))
                .containsEntry(PolicyKeys.ALLOWED_REGIONS, "string_list")
                .containsEntry(PolicyKeys.ALLOWED_SKUS, "string_list")
                .containsEntry(PolicyKeys.MAX_INSTANCES, "integer")
                .containsEntry(PolicyKeys.MAX_GPUS, "integer")
                .containsEntry(PolicyKeys.ARTIFACT_SOURCES, "host_pattern_list")
                .containsEntry(PolicyKeys.OPERATING_MODES, "string_list")
                .containsEntry(PolicyKeys.CONTROL_PLANE_SCOPES, "string_list");
    }

    @Test
    void effectiveKeys_dropsRetiredKeys_exceptSeeds() {
        var registered = List.of(
                entry("allowed_regions", RegistryLifecycle.RETIRED, "string_list"),
                entry("quota", RegistryLifecycle.ACTIVE, "integer"),
                entry("older", RegistryLifecycle.DEPRECATED, "integer"),
                entry("gone", RegistryLifecycle.RETIRED, "integer"),
                entry("planned", RegistryLifecycle.DRAFT, "integer"),
                entry("senseless", RegistryLifecycle.ACTIVE, "map"));

        assertThat(PolicyKeys.effectiveKeys(registered).byId().keySet())
                .containsAll(SEEDED.byId().keySet())
                .contains("quota", "older")
                .doesNotContain("gone", "planned", "senseless");
        assertThat(PolicyKeys.writable(registered).byId().keySet()).containsExactly("quota");
    }

    private static PolicyKeys.RegisteredKey entry(String id, RegistryLifecycle state, String type) {
        return new PolicyKeys.RegisteredKey(id, 2, state, Json.object().put("type", type));
    }

    @Test
    void features_defaultToOn_andCannotBeSetByEntitlements() {
        for (var feature : new String[] {PolicyKeys.ENTITLEMENT_MUTATIONS, PolicyKeys.INSTANCE_MUTATIONS}) {
            var key = requireNonNull(SEEDED.find(feature), feature);
            assertThat(key.defaultValue()).isEqualTo(new PolicyValue.Flag(true));
            assertThat(key.levels()).doesNotContain(PolicyLevel.ENTITLEMENT);
        }
    }

    @Test
    void riskyKeys_areRestrictive_byDefault() {
        var policy = EffectivePolicy.compute(SEEDED, List.of());

        assertThat(policy.allows(PolicyKeys.ARTIFACT_SOURCES, "registry.example.com"))
                .isFalse();
        assertThat(policy.isOn(PolicyKeys.DEPRECATED_VERSIONS)).isFalse();
        assertThat(policy.allowed(PolicyKeys.OPERATING_MODES)).containsExactly("tenant_dedicated");
        assertThat(policy.allowed(PolicyKeys.CONTROL_PLANE_SCOPES)).containsExactly("project");
    }
}

package dev.slipway.policy;

import dev.slipway.contract.RegistrySeeds;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;

import java.util.stream.Collectors;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

class PolicyKeysTest {
    private static final PolicyKeys SEEDED = PolicyKeys.seeded();

    @Test
    void everySeed_isAKey() {
        var seeds = RegistrySeeds.load().entries().stream()
                .filter(entry -> entry.kind().equals("policy"))
                .map(RegistrySeeds.Entry::id)
                .collect(Collectors.toSet());

        assertThat(SEEDED.byId().keySet()).isEqualTo(seeds);
    }

    @Test
    @Proves("1.83")
    void entitlementsKeys_areTyped() {
        assertThat(SEEDED.byId().values().stream()
                        .filter(key -> key.levels().contains(Level.ENTITLEMENT))
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
    void features_areOnUntilSomebodyTurnsThemOff_andNoProjectsEntitlementCan() {
        for (var feature : new String[] {PolicyKeys.ENTITLEMENT_MUTATIONS, PolicyKeys.INSTANCE_MUTATIONS}) {
            var key = requireNonNull(SEEDED.find(feature), feature);
            assertThat(key.fallback()).isEqualTo(new PolicyValue.Flag(true));
            assertThat(key.levels()).doesNotContain(Level.ENTITLEMENT);
        }
    }

    @Test
    void whatIsDangerousWhenForgotten_isClosedByDefault() {
        var policy = EffectivePolicy.compute(SEEDED, java.util.List.of());

        assertThat(policy.allows(PolicyKeys.ARTIFACT_SOURCES, "registry.example.com"))
                .isFalse();
        assertThat(policy.isOn(PolicyKeys.DEPRECATED_VERSIONS)).isFalse();
        assertThat(policy.allowed(PolicyKeys.OPERATING_MODES)).containsExactly("tenant_dedicated");
        assertThat(policy.allowed(PolicyKeys.CONTROL_PLANE_SCOPES)).containsExactly("project");
    }
}

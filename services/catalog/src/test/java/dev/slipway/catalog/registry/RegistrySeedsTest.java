package dev.slipway.catalog.registry;

import dev.slipway.catalog.registry.domain.Lifecycle;
import dev.slipway.contract.ActionRegistry;
import dev.slipway.contract.Contract;
import dev.slipway.contract.Json;
import dev.slipway.contract.RegistrySeeds;
import dev.slipway.contract.RegistrySeeds.Entry;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

class RegistrySeedsTest {
    private static final List<Entry> SEEDS = RegistrySeeds.load().entries();
    private static final RegistryBodies BODIES = new RegistryBodies(Contract.load());

    @Test
    @Proves({"3.30", "3.32", "3.33", "3.34", "3.35"})
    void everySeed_saysWhatItsKindHasToSay_andNamesOnlyWhatIsThere() {
        var known = SEEDS.stream().map(seed -> seed.kind() + " " + seed.id()).collect(Collectors.toSet());
        assertThat(known).hasSameSizeAs(SEEDS);
        assertThat(SEEDS).allSatisfy(seed -> {
            assertThat(BODIES.faults(seed.kind(), "", seed.body()))
                    .as(seed.id())
                    .isEmpty();
            assertThat(seed.version()).isPositive();
            assertThat(Lifecycle.of(seed.lifecycle())).isEqualTo(Lifecycle.ACTIVE);
            RegistryBodies.references(seed.body()).values().forEach(reference -> assertThat(known)
                    .contains(reference.kind() + " " + reference.id()));
        });
        assertThat(known)
                .contains(
                        "product gpuaas",
                        "product apps",
                        "product token_factory",
                        "usage_unit gpu_hour",
                        "usage_unit app_runtime_hour",
                        "usage_unit token",
                        "usage_unit request",
                        "retention_class security",
                        "evidence_type security_scan",
                        "notification_template balance.low");
    }

    @Test
    void everyAction_isOfAProductThatIsRegistered() {
        var products = SEEDS.stream()
                .filter(seed -> seed.kind().equals(RegistryEntry.PRODUCT))
                .map(Entry::id)
                .toList();

        assertThat(ActionRegistry.load().actions())
                .allSatisfy(action -> assertThat(products).contains(action.product()));
    }

    @Test
    void body_isRefused_withoutTheFieldsOfItsKind() {
        for (var kind : List.of(
                "product",
                "usage_unit",
                "audit_action",
                "notification_template",
                "evidence_type",
                "artifact_type",
                "policy",
                "retention_class")) {
            assertThat(BODIES.faults(kind, "/body", Json.object())).as(kind).isNotEmpty();
        }
        assertThat(BODIES.faults("usage_unit", "/body", Json.object().put("precision", 99)))
                .extracting(problem -> problem.field())
                .contains("/body/precision", "/body/owner", "/body/rating_category");
    }

    @Test
    void life_endsInRetired_andNothingComesBackToDraft() {
        var ways = Arrays.stream(Lifecycle.values())
                .flatMap(from -> Arrays.stream(Lifecycle.values())
                        .filter(from::leadsTo)
                        .map(to -> from.text() + " " + to.text()))
                .toList();

        assertThat(ways)
                .containsExactly(
                        "draft active",
                        "draft retired",
                        "active deprecated",
                        "active retired",
                        "deprecated active",
                        "deprecated retired");
    }
}

package dev.slipway.catalog.registry;

import dev.slipway.catalog.registry.domain.Lifecycle;
import dev.slipway.contract.ActionRegistry;
import dev.slipway.contract.Contract;
import dev.slipway.contract.Json;
import dev.slipway.contract.RegistrySeeds;
import dev.slipway.contract.RegistrySeeds.Entry;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
    @Proves("3.37")
    void everyPolicyKey_hasAScope_aType_aDefault_aLifecycleAndAVersion() {
        assertThat(SEEDS.stream().filter(seed -> seed.kind().equals("policy")))
                .isNotEmpty()
                .allSatisfy(seed -> {
                    assertThat(seed.id()).isNotBlank();
                    assertThat(seed.body().path("scope")).as(seed.id()).isNotEmpty();
                    assertThat(seed.body().has("default")).as(seed.id()).isTrue();
                    assertThat(seed.body().path("type").asText()).as(seed.id()).isNotBlank();
                    assertThat(seed.lifecycle()).isEqualTo("active");
                    assertThat(seed.version()).isPositive();
                });
        assertThat(BODIES.faults("policy", "", Json.object()))
                .extracting(problem -> problem.field())
                .contains("/scope", "/type");
    }

    /** How they are updated is said to who runs the platform, and to who ships it. */
    @Test
    @Proves("3.108")
    void everyKind_hasASpecification_initialEntries_andAWayToBeUpdated() throws IOException {
        var contract = Contract.load();
        var kinds = contract.document().at("/components/schemas/RegistryKind/enum");
        var said = Files.readString(Path.of("../../docs/catalog.md"));
        assertThat(kinds).hasSize(9);
        for (var kind : kinds) {
            assertThat(said).as("what is said of registries").contains("`" + kind.asText() + "`");
            if (!kind.asText().equals("scope")) {
                assertThat(BODIES.faults(kind.asText(), "/body", Json.object()))
                        .as(kind.asText())
                        .isNotEmpty();
                assertThat(SEEDS).as(kind.asText()).anyMatch(seed -> seed.kind().equals(kind.asText()));
            }
        }
        assertThat(ActionRegistry.load().actions()).isNotEmpty();
        assertThat(said).contains("PUT /api/v1/admin/registries/{kind}/{id}", "raise its `version` there");
        assertThat(contract.operation("putRegistryEntry").changesSomething()).isTrue();
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

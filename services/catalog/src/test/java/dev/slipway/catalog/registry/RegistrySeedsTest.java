package dev.slipway.catalog.registry;

import dev.slipway.contract.ActionRegistry;
import dev.slipway.contract.Contract;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem.FieldProblem;
import dev.slipway.contract.RegistrySeeds;
import dev.slipway.contract.RegistrySeeds.Entry;
import dev.slipway.contract.domain.RegistryKind;
import dev.slipway.contract.domain.RegistryLifecycle;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

class RegistrySeedsTest {
    private static final List<Entry> SEEDS = RegistrySeeds.load().entries();
    private static final RegistryBodyValidator BODIES = new RegistryBodyValidator(Contract.load());

    @Test
    @Proves({"3.30", "3.32", "3.34", "3.35", "3.36", "3.113"})
    void seeds_areValid_andContainTheFirstUsers() {
        var known =
                SEEDS.stream().map(seed -> seed.kind().text() + " " + seed.id()).collect(Collectors.toSet());
        assertThat(known).hasSameSizeAs(SEEDS);
        assertThat(SEEDS).allSatisfy(seed -> {
            assertThat(BODIES.validate(seed.kind(), "", seed.body()))
                    .as(seed.id())
                    .isEmpty();
            assertThat(seed.version()).isPositive();
            assertThat(seed.lifecycle()).isEqualTo(RegistryLifecycle.ACTIVE);
            RegistryBodyValidator.references(seed.body()).values().forEach(reference -> assertThat(known)
                    .contains(reference.kind().text() + " " + reference.id()));
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
                        "notification_template balance.low",
                        "notification_template release.incident",
                        "notification_template security.notice",
                        "evidence_type acceptance_test",
                        "evidence_type security_scan",
                        "evidence_type approval",
                        "evidence_type residual_risk",
                        "artifact_type app_bundle",
                        "artifact_type runtime_image",
                        "artifact_type sdk_example",
                        "runtime_backend k8s",
                        "runtime_backend rke2",
                        "runtime_backend slurm",
                        "runtime_backend ray",
                        "runtime_backend bare_metal");
    }

    @Test
    void policySeeds_haveScopeTypeDefaultLifecycleAndVersion() {
        assertThat(SEEDS.stream().filter(seed -> seed.kind() == RegistryKind.POLICY))
                .isNotEmpty()
                .allSatisfy(seed -> {
                    assertThat(seed.id()).isNotBlank();
                    assertThat(seed.body().path("scope")).as(seed.id()).isNotEmpty();
                    assertThat(seed.body().has("default")).as(seed.id()).isTrue();
                    assertThat(seed.body().path("type").asText()).as(seed.id()).isNotBlank();
                    assertThat(seed.lifecycle()).isEqualTo(RegistryLifecycle.ACTIVE);
                    assertThat(seed.version()).isPositive();
                });
        assertThat(BODIES.validate(RegistryKind.POLICY, "", Json.object()))
                .extracting(problem -> problem.field())
                .contains("/scope", "/type");
    }

    @Test
    void kinds_haveSchemaSeedsAndUpdatePath() throws IOException {
        var contract = Contract.load();
        var kinds = contract.document().at("/components/schemas/RegistryKind/enum");
        var guide = Files.readString(Path.of("../../docs/catalog.md"));
        assertThat(kinds).hasSize(10);
        for (var kind : kinds) {
            assertThat(guide).contains("`" + kind.asText() + "`");
            if (!kind.asText().equals("scope")) {
                assertThat(BODIES.validate(TextEnum.parse(RegistryKind.class, kind.asText()), "/body", Json.object()))
                        .as(kind.asText())
                        .isNotEmpty();
                assertThat(SEEDS)
                        .as(kind.asText())
                        .anyMatch(seed -> seed.kind().text().equals(kind.asText()));
            }
        }
        assertThat(ActionRegistry.load().actions()).isNotEmpty();
        var update = contract.operation("putRegistryEntry");
        assertThat(guide).contains(update.method() + " " + update.path(), "raise its `version` there");
    }

    @Test
    void actions_belongToRegisteredProducts() {
        var products = SEEDS.stream()
                .filter(seed -> seed.kind() == RegistryKind.PRODUCT)
                .map(Entry::id)
                .toList();

        assertThat(ActionRegistry.load().actions())
                .allSatisfy(action -> assertThat(products).contains(action.product()));
    }

    /** The required fields are listed here and not read from the schema: a field dropped from schema and seeds fails this test. */
    @ParameterizedTest
    @CsvSource({
        "PRODUCT,               /display_name /owner",
        "USAGE_UNIT,            /product_id /owner /display_name /unit /precision /rating_category",
        "AUDIT_ACTION,          /product_id /target_type /retention_class /privileged",
        "NOTIFICATION_TEMPLATE, /product_id /channels /severity /subject",
        "EVIDENCE_TYPE,         /owner /required_fields /retention_class /release_blocking",
        "ARTIFACT_TYPE,         /trust_states /signing_requirement /promotion_policy",
        "POLICY,                /scope /type",
        "RETENTION_CLASS,       /display_name /retention_days",
        "RUNTIME_BACKEND,       /display_name /owner",
    })
    @Proves({"3.30", "3.32", "3.34", "3.35", "3.36"})
    void everyKind_requiresItsFields_andEverySeedHasThem(RegistryKind kind, String fields) {
        assertThat(BODIES.validate(kind, "", Json.object()))
                .extracting(FieldProblem::field)
                .containsExactlyInAnyOrder(fields.split(" ", -1));
        var seeds = SEEDS.stream().filter(seed -> seed.kind() == kind).toList();
        assertThat(seeds).isNotEmpty().allSatisfy(seed -> {
            for (var field : fields.split(" ", -1)) {
                assertThat(seed.body().at(field).isMissingNode())
                        .as(seed.id() + field)
                        .isFalse();
            }
            assertThat(seed.version()).isPositive();
            assertThat(seed.lifecycle()).isEqualTo(RegistryLifecycle.ACTIVE);
        });
    }

    @Test
    void validate_reportsInvalidAndMissingFields() {
        assertThat(BODIES.validate(
                        RegistryKind.USAGE_UNIT, "/body", Json.object().put("precision", 99)))
                .extracting(FieldProblem::field)
                .contains("/body/precision", "/body/owner", "/body/rating_category");
    }

    @Test
    void canTransitionTo_neverLeavesRetired_andNeverReturnsToDraft() {
        var transitions = Arrays.stream(RegistryLifecycle.values())
                .flatMap(from -> Arrays.stream(RegistryLifecycle.values())
                        .filter(from::canTransitionTo)
                        .map(to -> from.text() + " " + to.text()))
                .toList();

        assertThat(transitions)
                .containsExactly(
                        "draft active",
                        "draft retired",
                        "active deprecated",
                        "active retired",
                        "deprecated active",
                        "deprecated retired");
    }
}

package dev.slipway.audit.evidence;

import dev.slipway.audit.evidence.domain.EvidenceItem;
import dev.slipway.audit.evidence.domain.FamilyResult;
import dev.slipway.audit.evidence.domain.FamilyResult.FamilyFinding;
import dev.slipway.audit.evidence.domain.FamilyResult.GateFindings;
import dev.slipway.audit.evidence.domain.FamilyResult.Verdict;
import dev.slipway.audit.evidence.domain.Gate;
import dev.slipway.audit.evidence.domain.GateEvaluator;
import dev.slipway.audit.evidence.domain.GateFamily;
import dev.slipway.audit.evidence.domain.GateFinding.Status;
import dev.slipway.audit.evidence.domain.GateInput;
import dev.slipway.audit.evidence.domain.GateResult;
import dev.slipway.audit.evidence.domain.GateVerdict;
import dev.slipway.audit.evidence.domain.ReleaseAttributes;
import dev.slipway.audit.evidence.domain.Waiver;
import dev.slipway.contract.Ids;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;

import static dev.slipway.audit.evidence.GateSamples.FAMILIES;
import static dev.slipway.audit.evidence.GateSamples.NOW;
import static dev.slipway.audit.evidence.GateSamples.SEEDS;
import static dev.slipway.audit.evidence.GateSamples.complete;
import static dev.slipway.audit.evidence.GateSamples.item;
import static dev.slipway.audit.evidence.GateSamples.release;
import static org.assertj.core.api.Assertions.assertThat;

/** The gate families with the evidence types that the platform is delivered with. */
class GateFamiliesTest {
    private final List<EvidenceItem> items = new ArrayList<>(complete());
    private final List<Waiver> waivers = new ArrayList<>();

    @ParameterizedTest
    @EnumSource(GateFamily.class)
    @Proves("C.25")
    void everyFamily_passes_byRequiredEvidence_whenEvidenceIsComplete(GateFamily family) {
        var result = family(family, release(true, true));

        assertThat(result.verdict()).isEqualTo(Verdict.PASS);
        assertThat(result.items())
                .extracting(item -> item.finding().status())
                .isNotEmpty()
                .containsOnly(Status.SATISFIED);
    }

    @ParameterizedTest
    @CsvSource({
        "SOURCE, acceptance_test, demo",
        "SOURCE, security_scan, scan",
        "CONTRACT, contract_drift, openapi",
        "SCHEMA, migration_status, release",
        "ARTIFACTS, environment_profile, package",
        "REGISTRIES, environment_profile, registry",
        "SECRETS, environment_profile, secret",
        "SECRETS, security_scan, secret",
        "EDGE, environment_profile, tls",
        "RUNTIME_HEALTH, runtime_health, environment"
    })
    @Proves("C.25")
    void everyFamily_isBlockedAlone_whenItsEvidenceIsMissingOrFails(GateFamily family, String type, String subject) {
        var environment = type.equals("contract_drift") ? null : "production";
        remove(type, subject);
        assertBlockedAlone(family, type, subject);

        items.add(item(type, subject, "failed", GateSamples.SHA, environment));
        assertBlockedAlone(family, type, subject);
    }

    private void assertBlockedAlone(GateFamily family, String type, String subject) {
        for (var result : families(release(true, true))) {
            assertThat(result.verdict())
                    .as(result.family().name())
                    .isEqualTo(result.family() == family ? Verdict.BLOCKED : Verdict.PASS);
        }
        assertThat(family(family, release(true, true)).items().stream()
                        .map(FamilyFinding::finding)
                        .filter(finding -> finding.blocks()))
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.evidenceType()).isEqualTo(type);
                    assertThat(finding.subject()).isEqualTo(subject);
                });
    }

    @Test
    void family_isWaived_whenTheGateOfItsEvidenceIs() {
        remove("contract_drift", "sdk");
        waivers.add(new Waiver(Ids.next(), Gate.CONTRACT_DRIFT, NOW, NOW.plusSeconds(60)));

        var result = family(GateFamily.CONTRACT, release(true, true));

        assertThat(result.verdict()).isEqualTo(Verdict.WAIVED);
        assertThat(result.explanation()).isEqualTo("There is no contract_drift evidence for sdk.");
    }

    @Test
    void family_isBlocked_whenOneOfItsTwoGatesIsNotWaived() {
        remove("security_scan", "secret");
        remove("environment_profile", "secret");
        waivers.add(new Waiver(Ids.next(), Gate.SECURITY_EVIDENCE, NOW, NOW.plusSeconds(60)));

        assertThat(family(GateFamily.SECRETS, release(true, true)).verdict()).isEqualTo(Verdict.BLOCKED);
    }

    @ParameterizedTest
    @EnumSource(
            value = GateFamily.class,
            names = {"SCHEMA", "RUNTIME_HEALTH"})
    void family_isNotApplicable_whenTheReleaseDoesNotNeedItsEvidence(GateFamily family) {
        items.clear();

        assertThat(family(family, release(false, true)).verdict()).isEqualTo(Verdict.NOT_APPLICABLE);
        assertThat(family(family, release(true, true)).verdict()).isEqualTo(Verdict.BLOCKED);
    }

    @Test
    void family_isReportedAsNotChecked_whenNoTypeOfTheRegistryBelongsToIt() {
        var unassigned = FamilyResult.of(findings(release(true, true)), List.of());

        assertThat(unassigned)
                .hasSameSizeAs(GateFamily.values())
                .allMatch(family -> family.verdict() == Verdict.NOT_APPLICABLE
                        && family.explanation().startsWith("Not checked"));
    }

    /** One piece of evidence is removed at a time, with and without a waiver of each gate. */
    @Test
    @Proves("C.25")
    void families_neverContradictTheGates() {
        for (var removed : complete()) {
            remove(removed.type(), removed.subject());
            for (var gate : Gate.values()) {
                assertAgreement(removed);
                waivers.add(new Waiver(Ids.next(), gate, NOW, NOW.plusSeconds(60)));
                assertAgreement(removed);
                waivers.clear();
            }
            items.clear();
            items.addAll(complete());
        }
    }

    private void assertAgreement(EvidenceItem removed) {
        var gates = findings(release(true, true));
        var families = FamilyResult.of(gates, FAMILIES);
        var release =
                GateVerdict.combine(gates.stream().map(GateFindings::verdict).toList());
        var familyOfRemoved = FAMILIES.stream()
                .filter(type -> type.evidenceType().equals(removed.type()))
                .map(type -> type.familyOf(removed.subject()))
                .toList();
        for (var family : families) {
            var expected = !familyOfRemoved.contains(family.family())
                    ? Verdict.PASS
                    : release == GateVerdict.BLOCKED ? Verdict.BLOCKED : Verdict.WAIVED;
            assertThat(family.verdict())
                    .as("%s without %s %s", family.family(), removed.type(), removed.subject())
                    .isEqualTo(expected);
        }
    }

    private FamilyResult family(GateFamily family, ReleaseAttributes release) {
        return families(release).stream()
                .filter(result -> result.family() == family)
                .findFirst()
                .orElseThrow();
    }

    private List<FamilyResult> families(ReleaseAttributes release) {
        return FamilyResult.of(findings(release), FAMILIES);
    }

    private List<GateFindings> findings(ReleaseAttributes release) {
        return GateEvaluator.evaluate(new GateInput(release, SEEDS, items, waivers, NOW, null)).stream()
                .map((GateResult result) -> new GateFindings(result.gate(), result.verdict(), result.findings()))
                .toList();
    }

    private void remove(String type, String subject) {
        items.removeIf(item -> item.type().equals(type) && item.subject().equals(subject));
    }
}

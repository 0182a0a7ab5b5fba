package dev.slipway.audit.evidence;

import dev.slipway.audit.evidence.domain.EvidenceItem;
import dev.slipway.audit.evidence.domain.Gate;
import dev.slipway.audit.evidence.domain.GateEvaluator;
import dev.slipway.audit.evidence.domain.GateFinding;
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

import static dev.slipway.audit.evidence.GateSamples.NOW;
import static dev.slipway.audit.evidence.GateSamples.OTHER_SHA;
import static dev.slipway.audit.evidence.GateSamples.SEEDS;
import static dev.slipway.audit.evidence.GateSamples.SHA;
import static dev.slipway.audit.evidence.GateSamples.complete;
import static dev.slipway.audit.evidence.GateSamples.item;
import static dev.slipway.audit.evidence.GateSamples.release;
import static org.assertj.core.api.Assertions.assertThat;

/** The gates with the evidence types that the platform is delivered with. */
class GateEvaluatorTest {
    private final List<EvidenceItem> items = new ArrayList<>(complete());
    private final List<Waiver> waivers = new ArrayList<>();

    @ParameterizedTest
    @EnumSource(Gate.class)
    void everyGate_passes_whenEvidenceIsComplete(Gate gate) {
        var result = evaluate(gate, release(true, true));

        assertThat(result.verdict()).isEqualTo(GateVerdict.PASS);
        assertThat(result.findings()).allMatch(finding -> !finding.blocks());
        assertThat(result.waiverId()).isNull();
    }

    @ParameterizedTest
    @EnumSource(Gate.class)
    void everyGate_hasAnOwner(Gate gate) {
        assertThat(gate.owner()).isNotBlank();
    }

    @ParameterizedTest
    @CsvSource({"openapi", "asyncapi", "sdk"})
    @Proves("3.46")
    void contractDrift_isBlocked_whenAContractIsStaleOrUnchecked(String contract) {
        replace("contract_drift", contract, "stale");
        assertBlocked(Gate.CONTRACT_DRIFT, "contract_drift", contract, Status.FAILING);

        remove("contract_drift", contract);
        assertBlocked(Gate.CONTRACT_DRIFT, "contract_drift", contract, Status.MISSING);
    }

    @ParameterizedTest
    @CsvSource({"demo", "launch-app"})
    @Proves("3.47")
    void acceptance_isBlocked_whenARequiredJourneyOrTheDemoSuiteFails(String suite) {
        replace("acceptance_test", suite, "failed");
        assertBlocked(Gate.ACCEPTANCE, "acceptance_test", suite, Status.FAILING);

        remove("acceptance_test", suite);
        assertBlocked(Gate.ACCEPTANCE, "acceptance_test", suite, Status.MISSING);
    }

    @ParameterizedTest
    @CsvSource({"scan", "authz", "secret", "audit"})
    @Proves("3.48")
    void securityEvidence_isBlocked_whenACheckIsMissingOrFails(String check) {
        replace("security_scan", check, "failed");
        assertBlocked(Gate.SECURITY_EVIDENCE, "security_scan", check, Status.FAILING);

        remove("security_scan", check);
        assertBlocked(Gate.SECURITY_EVIDENCE, "security_scan", check, Status.MISSING);
    }

    @ParameterizedTest
    @CsvSource({"host", "dns", "tls", "registry", "secret", "package"})
    @Proves("3.49")
    void environmentProfile_isBlocked_whenAPartIsInconsistentOrOfAnotherEnvironment(String part) {
        replace("environment_profile", part, "inconsistent");
        assertBlocked(Gate.ENVIRONMENT_PROFILE, "environment_profile", part, Status.FAILING);

        remove("environment_profile", part);
        assertBlocked(Gate.ENVIRONMENT_PROFILE, "environment_profile", part, Status.MISSING);

        items.add(item("environment_profile", part, "consistent", SHA, "staging"));
        assertBlocked(Gate.ENVIRONMENT_PROFILE, "environment_profile", part, Status.OTHER_ENVIRONMENT);
    }

    @Test
    void environmentProfile_isBlocked_whenTheEvidenceIsAboutAnotherProfile() {
        remove("environment_profile", "tls");
        var other = item("environment_profile", "tls", "consistent", SHA, "production");
        items.add(new EvidenceItem(
                other.id(),
                other.type(),
                other.subject(),
                other.result(),
                other.sourceSha(),
                other.environment(),
                "us",
                other.digest(),
                null));

        assertBlocked(Gate.ENVIRONMENT_PROFILE, "environment_profile", "tls", Status.OTHER_ENVIRONMENT);
        var input = new GateInput(release(true, true), SEEDS, items, waivers, NOW, null);
        assertThat(GateEvaluator.evaluate(Gate.ENVIRONMENT_PROFILE, input, "release-gates.v1")
                        .verdict())
                .as("a verdict of the first rules is recomputed with them")
                .isEqualTo(GateVerdict.PASS);
    }

    @Test
    @Proves("3.50")
    void capacityReserve_isBlocked_whenNoPostureIsRecordedForACapacityImpactingChange() {
        remove("capacity_posture", "canary");

        assertBlocked(Gate.CAPACITY_RESERVE, "capacity_posture", "ring|canary|reserve", Status.MISSING);
        assertThat(evaluate(Gate.CAPACITY_RESERVE, release(true, false)).verdict())
                .isEqualTo(GateVerdict.PASS);
    }

    @ParameterizedTest
    @CsvSource({"ring", "canary", "reserve"})
    void capacityReserve_passes_whenOnePostureIsRecorded(String posture) {
        remove("capacity_posture", "canary");
        items.add(item("capacity_posture", posture, "recorded", SHA, null));

        assertThat(evaluate(Gate.CAPACITY_RESERVE, release(false, true)).verdict())
                .isEqualTo(GateVerdict.PASS);
    }

    @Test
    void capacityReserve_isBlocked_whenThePostureIsOfAnotherRevision() {
        remove("capacity_posture", "canary");
        items.add(item("capacity_posture", "ring", "recorded", OTHER_SHA, null));

        assertBlocked(Gate.CAPACITY_RESERVE, "capacity_posture", "ring", Status.OTHER_REVISION);
    }

    @ParameterizedTest
    @CsvSource({"product_approval, rejected", "platform_approval, rejected", "residual_risk, refused"})
    @Proves("3.51")
    void approval_isBlocked_whenAnApprovalOrTheResidualRiskIsAbsentOrRefused(String type, String refused) {
        replace(type, "release", refused);
        assertBlocked(Gate.APPROVAL_AND_RESIDUAL_RISK, type, "release", Status.FAILING);

        remove(type, "release");
        assertBlocked(Gate.APPROVAL_AND_RESIDUAL_RISK, type, "release", Status.MISSING);
    }

    @Test
    void approval_needsTheSecurityOwner_whenFindingsWereTriaged() {
        remove("security_approval", "release");
        assertThat(evaluate(Gate.APPROVAL_AND_RESIDUAL_RISK, release(true, true))
                        .verdict())
                .isEqualTo(GateVerdict.PASS);

        replace("security_scan", "scan", "triaged");
        assertBlocked(Gate.APPROVAL_AND_RESIDUAL_RISK, "security_approval", "release", Status.MISSING);
        assertThat(evaluate(Gate.SECURITY_EVIDENCE, release(true, true)).verdict())
                .isEqualTo(GateVerdict.PASS);

        items.add(item("security_approval", "release", "rejected", SHA, null));
        assertBlocked(Gate.APPROVAL_AND_RESIDUAL_RISK, "security_approval", "release", Status.FAILING);
    }

    @Test
    void approval_isNotNeeded_whenTheReleaseImpactsNeitherProductionNorCapacity() {
        items.removeIf(item -> item.type().endsWith("_approval") || item.type().equals("residual_risk"));

        var result = evaluate(Gate.APPROVAL_AND_RESIDUAL_RISK, release(false, false));

        assertThat(result.verdict()).isEqualTo(GateVerdict.PASS);
        assertThat(result.findings()).extracting(GateFinding::status).containsOnly(Status.NOT_APPLICABLE);
    }

    @ParameterizedTest
    @EnumSource(Gate.class)
    void everyGate_isBlocked_whenAllEvidenceIsOfAnotherRevision(Gate gate) {
        var other = items.stream()
                .map(item -> item(item.type(), item.subject(), item.result(), OTHER_SHA, item.environment()))
                .toList();
        items.clear();
        items.addAll(other);

        var result = evaluate(gate, release(true, true));

        assertThat(result.verdict()).isEqualTo(GateVerdict.BLOCKED);
        assertThat(result.findings()).extracting(GateFinding::status).contains(Status.OTHER_REVISION);
    }

    @ParameterizedTest
    @EnumSource(Gate.class)
    void everyGate_isBlocked_whenTheRegistryHasNoTypeForIt(Gate gate) {
        var input = new GateInput(release(true, true), List.of(), items, List.of(), NOW, null);

        assertThat(GateEvaluator.evaluate(gate, input, GateEvaluator.POLICY_ID).verdict())
                .isEqualTo(GateVerdict.BLOCKED);
    }

    @ParameterizedTest
    @EnumSource(Gate.class)
    void everyGate_isWaivedUntilTheWaiverExpires(Gate gate) {
        items.clear();
        var waiver = new Waiver(Ids.next(), gate, NOW.minusSeconds(10), NOW.plusSeconds(60));
        waivers.add(new Waiver(Ids.next(), gate, NOW.minusSeconds(10), NOW));
        waivers.add(waiver);

        var result = evaluate(gate, release(true, true));

        assertThat(result.verdict()).isEqualTo(GateVerdict.WAIVED);
        assertThat(result.waiverId()).isEqualTo(waiver.id());
        assertThat(result.validUntil()).isEqualTo(waiver.expiresAt());
        waivers.remove(waiver);
        assertThat(evaluate(gate, release(true, true)).verdict()).isEqualTo(GateVerdict.BLOCKED);
    }

    @Test
    void gate_isNotWaived_byAWaiverOfAnotherGate() {
        items.clear();
        waivers.add(new Waiver(Ids.next(), Gate.ACCEPTANCE, NOW, NOW.plusSeconds(60)));

        assertThat(evaluate(Gate.CONTRACT_DRIFT, release(true, true)).verdict()).isEqualTo(GateVerdict.BLOCKED);
    }

    @Test
    void release_isBlockedByOneGate_waivedByOne_elsePassed() {
        assertThat(GateVerdict.combine(List.of(GateVerdict.PASS, GateVerdict.BLOCKED, GateVerdict.WAIVED)))
                .isEqualTo(GateVerdict.BLOCKED);
        assertThat(GateVerdict.combine(List.of(GateVerdict.PASS, GateVerdict.WAIVED)))
                .isEqualTo(GateVerdict.WAIVED);
        assertThat(GateVerdict.combine(List.of(GateVerdict.PASS))).isEqualTo(GateVerdict.PASS);
        assertThat(GateVerdict.combine(List.of())).isEqualTo(GateVerdict.BLOCKED);
    }

    /** Every input of a gate is part of the digest of its verdict, and the same input has the same digest. */
    @Test
    void verdict_changesWithEveryInput_andIsIdenticalForTheSameInput() {
        var input = new GateInput(release(true, true), SEEDS, items, waivers, NOW, null);
        for (var result : GateEvaluator.evaluate(input)) {
            var document = VerdictDocument.of(input, result, GateEvaluator.POLICY_ID);
            assertThat(document.recompute(result.evidence()).digest()).isEqualTo(document.digest());
            assertThat(VerdictDocument.parse(document.text())).isEqualTo(document);
            for (var item : result.evidence()) {
                var changed = new ArrayList<>(result.evidence());
                changed.remove(item);
                changed.add(item(item.type(), item.subject(), "changed", SHA, item.environment()));
                assertThat(document.recompute(changed).digest())
                        .as(item.type() + " " + item.subject())
                        .isNotEqualTo(document.digest());
            }
        }
    }

    private void assertBlocked(Gate gate, String type, String subject, Status status) {
        var result = evaluate(gate, release(true, true));
        assertThat(result.verdict()).isEqualTo(GateVerdict.BLOCKED);
        assertThat(result.findings().stream().filter(GateFinding::blocks))
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.evidenceType()).isEqualTo(type);
                    assertThat(finding.subject()).isEqualTo(subject);
                    assertThat(finding.status()).isEqualTo(status);
                    assertThat(finding.explanation()).endsWith(".");
                });
    }

    private GateResult evaluate(Gate gate, ReleaseAttributes release) {
        return GateEvaluator.evaluate(
                gate, new GateInput(release, SEEDS, items, waivers, NOW, null), GateEvaluator.POLICY_ID);
    }

    private void replace(String type, String subject, String result) {
        var environment = type.equals("environment_profile") ? "production" : null;
        remove(type, subject);
        items.add(item(type, subject, result, SHA, environment));
    }

    private void remove(String type, String subject) {
        items.removeIf(item -> item.type().equals(type) && item.subject().equals(subject));
    }
}

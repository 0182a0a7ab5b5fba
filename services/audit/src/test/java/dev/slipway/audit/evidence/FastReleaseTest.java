package dev.slipway.audit.evidence;

import dev.slipway.audit.evidence.domain.CarryOver;
import dev.slipway.audit.evidence.domain.EvidenceItem;
import dev.slipway.audit.evidence.domain.FamilyResult;
import dev.slipway.audit.evidence.domain.FamilyResult.GateFindings;
import dev.slipway.audit.evidence.domain.Gate;
import dev.slipway.audit.evidence.domain.GateEvaluator;
import dev.slipway.audit.evidence.domain.GateFamily;
import dev.slipway.audit.evidence.domain.GateFinding;
import dev.slipway.audit.evidence.domain.GateInput;
import dev.slipway.audit.evidence.domain.GateResult;
import dev.slipway.audit.evidence.domain.GateVerdict;
import dev.slipway.audit.evidence.domain.Promotion;
import dev.slipway.audit.evidence.domain.ReleaseAttributes;
import dev.slipway.audit.evidence.domain.ReleaseCandidate;
import dev.slipway.contract.Ids;
import dev.slipway.testkit.Proves;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

import static dev.slipway.audit.evidence.GateSamples.FAMILIES;
import static dev.slipway.audit.evidence.GateSamples.NOW;
import static dev.slipway.audit.evidence.GateSamples.OTHER_SHA;
import static dev.slipway.audit.evidence.GateSamples.SEEDS;
import static dev.slipway.audit.evidence.GateSamples.SHA;
import static dev.slipway.audit.evidence.GateSamples.complete;
import static dev.slipway.audit.evidence.GateSamples.item;
import static dev.slipway.audit.evidence.GateSamples.release;
import static org.assertj.core.api.Assertions.assertThat;

/** Fast releases: which source revisions they can have, and which evidence they take from the validated release. */
class FastReleaseTest {
    private static final UUID VALIDATED = UUID.fromString("01900000-0000-7000-8000-000000000011");
    private static final UUID PROJECT = UUID.fromString("01900000-0000-7000-8000-000000000012");
    private static final UUID OTHER_PROJECT = UUID.fromString("01900000-0000-7000-8000-000000000013");
    private static final Set<String> OF_THE_REVISION = Set.of("contract_drift", "acceptance_test", "migration_status");

    /** A verdict as it was stored before there were fast releases. */
    private static final String SECOND_POLICY_DOCUMENT = """
            {"arguments":{"evaluated_at":"2026-11-17T12:00:00Z","release":{"branch":"main","capacity_impacting":true,\
            "environment":"production","product":"echo","production_impacting":true,"profile":"eu","required_journeys":["launch-app"],\
            "source_sha":"4b825dc642cb6eb9a060e54bf8d69288fbee4904","version":"1.4.0"},"requirements":[{"any_subject":false,\
            "applies_to":"all","environment_bound":false,"evidence_type":"contract_drift","gate":"contract_drift",\
            "passing_results":["current"],"subjects":["openapi"],"type_version":1}],"waivers":[]},"evidence":[{"digest":"sha256:1",\
            "evidence_id":"01900000-0000-7000-8000-000000000014"}],"gate":"contract_drift","items":[{\
            "evidence_id":"01900000-0000-7000-8000-000000000014","evidence_type":"contract_drift",\
            "explanation":"The result is current.","status":"satisfied","subject":"openapi"}],"policy_id":"release-gates.v2",\
            "valid_until":null,"verdict":"pass","waiver_id":null}""";

    private final List<EvidenceItem> own = new ArrayList<>(ofTheEnvironment());
    private GateVerdict validatedVerdict = GateVerdict.PASS;
    private List<EvidenceItem> ofValidated = complete();

    @ParameterizedTest
    @EnumSource(
            value = GateVerdict.class,
            names = {"BLOCKED", "WAIVED"})
    @Proves("C.25")
    void revision_isNotValidated_byAReleaseThatIsBlockedOrOnlyWaived(GateVerdict verdict) {
        assertThat(Promotion.fast(
                        release(true, true), PROJECT, candidate("echo", SHA, PROJECT, verdict, Promotion.FULL)))
                .isNull();
    }

    @Test
    @Proves("C.25")
    void revision_isNotValidated_byAnotherProductRevisionProjectOrFastRelease() {
        var requested = release(true, true);
        var fast = new Promotion(Promotion.Kind.FAST, VALIDATED);
        for (var other : List.of(
                candidate("other", SHA, PROJECT, GateVerdict.PASS, Promotion.FULL),
                candidate("echo", OTHER_SHA, PROJECT, GateVerdict.PASS, Promotion.FULL),
                candidate("echo", SHA, OTHER_PROJECT, GateVerdict.PASS, Promotion.FULL),
                candidate("echo", SHA, null, GateVerdict.PASS, Promotion.FULL),
                candidate("echo", SHA, PROJECT, GateVerdict.PASS, fast))) {
            assertThat(Promotion.fast(requested, PROJECT, other))
                    .as(other.toString())
                    .isNull();
        }
        var ofProject = candidate("echo", SHA, PROJECT, GateVerdict.PASS, Promotion.FULL);
        assertThat(Promotion.fast(requested, null, ofProject)).isNull();
        assertThat(Promotion.fast(requested, PROJECT, ofProject)).isEqualTo(fast);
    }

    @ParameterizedTest
    @EnumSource(Gate.class)
    @Proves("C.25")
    void fastRelease_passes_withItsOwnEvidenceOfTheEnvironment_andThatOfTheValidatedRevision(Gate gate) {
        var result = evaluate(gate);

        assertThat(result.verdict()).isEqualTo(GateVerdict.PASS);
        assertThat(result.evidence())
                .filteredOn(item -> OF_THE_REVISION.contains(item.type()))
                .allMatch(item -> VALIDATED.equals(item.carriedFrom()));
        assertThat(result.findings())
                .filteredOn(finding -> OF_THE_REVISION.contains(finding.evidenceType()))
                .allMatch(finding -> finding.explanation().contains(VALIDATED.toString()));
    }

    @Test
    @Proves("C.25")
    void fastRelease_isBlocked_withoutItsOwnEvidenceOfEnvironmentSecretsEdgeHealthAndApprovals() {
        own.clear();

        var families = FamilyResult.of(
                GateEvaluator.evaluate(input()).stream()
                        .map(result -> new GateFindings(result.gate(), result.verdict(), result.findings()))
                        .toList(),
                FAMILIES);

        assertThat(families.stream()
                        .filter(family -> family.verdict() == FamilyResult.Verdict.PASS)
                        .map(FamilyResult::family))
                .containsExactly(GateFamily.SOURCE, GateFamily.CONTRACT, GateFamily.SCHEMA);
        assertThat(evaluate(Gate.CAPACITY_RESERVE).verdict()).isEqualTo(GateVerdict.BLOCKED);
        assertThat(blocking(Gate.APPROVAL_AND_RESIDUAL_RISK))
                .containsExactlyInAnyOrder("product_approval", "platform_approval", "residual_risk");
        assertThat(blocking(Gate.SECURITY_EVIDENCE)).containsExactly("security_scan");
    }

    @Test
    void fastRelease_isBlocked_byItsOwnFailingEvidence() {
        own.add(item("contract_drift", "sdk", "stale", SHA, null));

        var result = evaluate(Gate.CONTRACT_DRIFT);

        assertThat(result.verdict()).isEqualTo(GateVerdict.BLOCKED);
        assertThat(result.evidence()).hasSize(3);
    }

    @ParameterizedTest
    @EnumSource(
            value = GateVerdict.class,
            names = {"BLOCKED", "WAIVED"})
    void fastRelease_isBlocked_whenTheValidatedReleaseHasNoLongerPassed(GateVerdict verdict) {
        validatedVerdict = verdict;

        var result = evaluate(Gate.CONTRACT_DRIFT);

        assertThat(result.verdict()).isEqualTo(GateVerdict.BLOCKED);
        assertThat(result.findings()).allMatch(finding -> finding.explanation().contains("does not count"));
    }

    @Test
    void fastRelease_needsTheSecurityOwner_whenFindingsOfTheRevisionWereTriaged() {
        ofValidated = new ArrayList<>(complete());
        ofValidated.removeIf(
                item -> item.type().equals("security_scan") && item.subject().equals("scan"));
        ofValidated.add(item("security_scan", "scan", "triaged", SHA, null));
        ofValidated.add(item("security_approval", "release", "approved", SHA, null));

        assertThat(blocking(Gate.APPROVAL_AND_RESIDUAL_RISK)).containsExactly("security_approval");
    }

    @Test
    @Proves("C.25")
    void verdictOfAFastRelease_isRecomputedIdentically_andNamesTheCarriedEvidence() {
        for (var result : GateEvaluator.evaluate(input())) {
            var document = VerdictDocument.of(input(), result, GateEvaluator.POLICY_ID);
            var parsed = VerdictDocument.parse(document.text());

            assertThat(parsed).isEqualTo(document);
            assertThat(parsed.recompute(result.evidence()).digest()).isEqualTo(document.digest());
            for (var item : result.evidence()) {
                var without = new ArrayList<>(result.evidence());
                without.remove(item);
                assertThat(parsed.recompute(without).digest()).isNotEqualTo(document.digest());
            }
        }
        var drift = VerdictDocument.of(input(), evaluate(Gate.CONTRACT_DRIFT), GateEvaluator.POLICY_ID);
        assertThat(drift.evidence()).hasSize(3).allMatch(reference -> VALIDATED.equals(reference.releaseId()));
        assertThat(drift.text()).contains("\"carry_over\":{", "\"verdict\":\"pass\"");
    }

    @Test
    @Proves("C.25")
    void verdictOfTheSecondPolicy_isRecomputedAsBefore() {
        var document = VerdictDocument.parse(SECOND_POLICY_DOCUMENT);
        var evidence = new EvidenceItem(
                UUID.fromString("01900000-0000-7000-8000-000000000014"),
                "contract_drift",
                "openapi",
                "current",
                SHA,
                null,
                null,
                "sha256:1",
                null);

        assertThat(document.text()).isEqualTo(SECOND_POLICY_DOCUMENT);
        assertThat(document.recompute(List.of(evidence)).text()).isEqualTo(SECOND_POLICY_DOCUMENT);
    }

    @ParameterizedTest
    @ValueSource(strings = {"release-gates.v1", "release-gates.v2"})
    void earlierPolicies_countNoCarriedEvidence(String policyId) {
        assertThat(GateEvaluator.evaluate(Gate.CONTRACT_DRIFT, input(), policyId)
                        .verdict())
                .isEqualTo(GateVerdict.BLOCKED);
    }

    private List<String> blocking(Gate gate) {
        return evaluate(gate).findings().stream()
                .filter(GateFinding::blocks)
                .map(GateFinding::evidenceType)
                .toList();
    }

    private GateResult evaluate(Gate gate) {
        return GateEvaluator.evaluate(gate, input(), GateEvaluator.POLICY_ID);
    }

    private GateInput input() {
        var items = new ArrayList<>(own);
        ofValidated.forEach(item -> items.add(new EvidenceItem(
                item.id(),
                item.type(),
                item.subject(),
                item.result(),
                item.sourceSha(),
                item.environment(),
                item.profile(),
                item.digest(),
                VALIDATED)));
        return new GateInput(
                release(true, true),
                SEEDS,
                items,
                List.of(),
                NOW,
                new CarryOver(VALIDATED, validatedVerdict, FAMILIES));
    }

    /** All evidence that a fast release needs itself. */
    private static List<EvidenceItem> ofTheEnvironment() {
        return complete().stream()
                .filter(item -> !OF_THE_REVISION.contains(item.type())
                        && (!item.type().equals("security_scan")
                                || item.subject().equals("secret")))
                .collect(Collectors.toList());
    }

    private static ReleaseCandidate candidate(
            String product, String sha, @Nullable UUID projectId, GateVerdict verdict, Promotion promotion) {
        return new ReleaseCandidate(
                VALIDATED,
                projectId == null ? null : Ids.next(),
                projectId,
                new ReleaseAttributes(product, "1.3.0", sha, "main", "staging", "eu", false, false, List.of()),
                promotion,
                Ids.next(),
                Ids.next(),
                7,
                verdict,
                Ids.next(),
                null,
                NOW,
                NOW);
    }
}

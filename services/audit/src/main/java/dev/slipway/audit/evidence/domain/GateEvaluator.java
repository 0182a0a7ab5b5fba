package dev.slipway.audit.evidence.domain;

import dev.slipway.audit.evidence.domain.GateFinding.Status;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;

/** Evaluates the release gates. The same input always has the same result, so a verdict can be recomputed. */
public final class GateEvaluator {
    /** Identifies these rules in stored verdicts. Another behaviour needs another id. */
    public static final String POLICY_ID = "release-gates.v3";

    /** The second rules, for verdicts that name them: they knew no fast releases. */
    private static final String SECOND_POLICY_ID = "release-gates.v2";

    /** The first rules, for verdicts that name them: they did not compare the profile of an environment. */
    private static final String FIRST_POLICY_ID = "release-gates.v1";

    private static final String ACCEPTANCE_TEST = "acceptance_test";
    private static final String SECURITY_SCAN = "security_scan";
    private static final String TRIAGED = "triaged";

    private GateEvaluator() {}

    /** Evaluates all gates, in their order. */
    public static List<GateResult> evaluate(GateInput input) {
        var results = new ArrayList<GateResult>();
        for (var gate : Gate.values()) {
            results.add(evaluate(gate, input, POLICY_ID));
        }
        return results;
    }

    /** Evaluates one gate with the rules that the policy id names. */
    public static GateResult evaluate(Gate gate, GateInput given, String policyId) {
        var input = withCountingItems(given, policyId);
        var requirements = input.requirements().stream()
                .filter(requirement -> requirement.gate() == gate)
                .sorted(Comparator.comparing(GateRequirement::evidenceType))
                .toList();
        var findings = new ArrayList<GateFinding>();
        requirements.forEach(requirement -> findings.addAll(evaluate(requirement, input, policyId)));
        if (requirements.isEmpty()) {
            findings.add(new GateFinding(
                    "-", "-", Status.MISSING, null, "No active evidence type is registered for this gate."));
        }
        var evidence = considered(requirements, input);
        if (findings.stream().noneMatch(GateFinding::blocks)) {
            return new GateResult(gate, GateVerdict.PASS, findings, evidence, null, null);
        }
        var waiver = activeWaiver(gate, input);
        return waiver == null
                ? new GateResult(gate, GateVerdict.BLOCKED, findings, evidence, null, null)
                : new GateResult(gate, GateVerdict.WAIVED, findings, evidence, waiver.id(), waiver.expiresAt());
    }

    /**
     * Returns the evidence that counts: that of the release, and for a fast one that of the validated release, where it is about the source
     * revision and the release has none of its own.
     */
    public static List<EvidenceItem> countingItems(
            List<EvidenceItem> items, List<GateRequirement> requirements, @Nullable CarryOver carryOver) {
        var own = items.stream().filter(item -> item.carriedFrom() == null).toList();
        var counting = new ArrayList<>(own);
        if (carryOver != null) {
            items.stream()
                    .filter(item -> carryOver.includes(item)
                            && !isEnvironmentBound(item, requirements)
                            && find(item.type(), item.subject(), own) == null)
                    .forEach(counting::add);
        }
        return counting;
    }

    private static GateInput withCountingItems(GateInput input, String policyId) {
        var knowsFastReleases = !policyId.equals(FIRST_POLICY_ID) && !policyId.equals(SECOND_POLICY_ID);
        var carryOver = knowsFastReleases ? input.carryOver() : null;
        return new GateInput(
                input.release(),
                input.requirements(),
                countingItems(input.items(), input.requirements(), carryOver),
                input.waivers(),
                input.evaluatedAt(),
                carryOver);
    }

    private static boolean isEnvironmentBound(EvidenceItem item, List<GateRequirement> requirements) {
        return requirements.stream()
                .anyMatch(requirement -> requirement.environmentBound()
                        && requirement.evidenceType().equals(item.type()));
    }

    private static List<GateFinding> evaluate(GateRequirement requirement, GateInput input, String policyId) {
        var subjects = subjects(requirement, input.release());
        if (!isApplicable(requirement, input)) {
            return List.of(new GateFinding(
                    requirement.evidenceType(),
                    String.join("|", subjects),
                    Status.NOT_APPLICABLE,
                    null,
                    "Not required: the release is not " + describe(requirement) + "."));
        }
        var findings = subjects.stream()
                .map(subject -> finding(requirement, subject, input, policyId))
                .toList();
        return requirement.anySubject() ? anyOf(requirement, findings, input) : findings;
    }

    /** Returns the satisfied findings, or else those with evidence, or else one that names all subjects. */
    private static List<GateFinding> anyOf(GateRequirement requirement, List<GateFinding> findings, GateInput input) {
        var satisfied = findings.stream()
                .filter(finding -> finding.status() == Status.SATISFIED)
                .toList();
        if (!satisfied.isEmpty()) {
            return satisfied;
        }
        var present = findings.stream()
                .filter(finding -> finding.status() != Status.MISSING)
                .toList();
        return present.isEmpty()
                ? List.of(missing(requirement.evidenceType(), String.join("|", requirement.subjects()), input))
                : present;
    }

    private static GateFinding finding(GateRequirement requirement, String subject, GateInput input, String policyId) {
        var item = find(requirement.evidenceType(), subject, input.items());
        if (item == null) {
            return missing(requirement.evidenceType(), subject, input);
        }
        var release = input.release();
        if (!item.sourceSha().equals(release.sourceSha())) {
            return found(
                    item,
                    Status.OTHER_REVISION,
                    "The evidence is about source revision " + item.sourceSha() + ", not " + release.sourceSha() + ".");
        }
        if (requirement.environmentBound() && !release.environment().equals(item.environment())) {
            return found(
                    item,
                    Status.OTHER_ENVIRONMENT,
                    "The evidence is about environment " + item.environment() + ", not " + release.environment() + ".");
        }
        var comparesProfiles = requirement.environmentBound() && !policyId.equals(FIRST_POLICY_ID);
        if (comparesProfiles && !release.profile().equals(item.profile())) {
            return found(
                    item,
                    Status.OTHER_ENVIRONMENT,
                    "The evidence is about profile " + item.profile() + ", not " + release.profile() + ".");
        }
        return requirement.passingResults().contains(item.result())
                ? found(item, Status.SATISFIED, "The result is " + item.result() + ".")
                : found(
                        item,
                        Status.FAILING,
                        "The result is " + item.result() + ", but " + String.join(" or ", requirement.passingResults())
                                + " is required.");
    }

    private static GateFinding found(EvidenceItem item, Status status, String explanation) {
        var carriedFrom = item.carriedFrom();
        return new GateFinding(
                item.type(),
                item.subject(),
                status,
                item.id(),
                carriedFrom == null
                        ? explanation
                        : explanation + " It was recorded for release " + carriedFrom
                                + ", which validated this source revision.");
    }

    private static GateFinding missing(String type, String subject, GateInput input) {
        var carryOver = input.carryOver();
        var explanation = "There is no " + type + " evidence for " + subject + ".";
        return new GateFinding(
                type,
                subject,
                Status.MISSING,
                null,
                carryOver == null || carryOver.isValid()
                        ? explanation
                        : explanation + " That of release " + carryOver.validatedReleaseId() + " does not count: it is "
                                + carryOver.verdict().text() + " now.");
    }

    private static boolean isApplicable(GateRequirement requirement, GateInput input) {
        var release = input.release();
        return switch (requirement.appliesTo()) {
            case ALL -> true;
            case PRODUCTION_IMPACTING -> release.productionImpacting();
            case CAPACITY_IMPACTING -> release.capacityImpacting();
            case RELEASE_RISKING -> release.impactsProductionOrCapacity();
            case TRIAGED_SCAN ->
                input.items().stream()
                        .anyMatch(item -> item.type().equals(SECURITY_SCAN)
                                && item.result().equals(TRIAGED));
        };
    }

    private static String describe(GateRequirement requirement) {
        return switch (requirement.appliesTo()) {
            case ALL -> "applicable";
            case PRODUCTION_IMPACTING -> "production-impacting";
            case CAPACITY_IMPACTING -> "capacity-impacting";
            case RELEASE_RISKING -> "production- or capacity-impacting";
            case TRIAGED_SCAN -> "released with triaged security findings";
        };
    }

    private static List<String> subjects(GateRequirement requirement, ReleaseAttributes release) {
        var subjects = new LinkedHashSet<>(requirement.subjects());
        if (requirement.evidenceType().equals(ACCEPTANCE_TEST)) {
            subjects.addAll(release.requiredJourneys());
        }
        return List.copyOf(subjects);
    }

    /** Returns the evidence of the required types, and of scans if they decide whether a requirement applies. */
    private static List<EvidenceItem> considered(List<GateRequirement> requirements, GateInput input) {
        var types = new LinkedHashSet<String>();
        for (var requirement : requirements) {
            types.add(requirement.evidenceType());
            if (requirement.appliesTo() == GateRequirement.Applicability.TRIAGED_SCAN) {
                types.add(SECURITY_SCAN);
            }
        }
        return input.items().stream()
                .filter(item -> types.contains(item.type()))
                .sorted(Comparator.comparing(EvidenceItem::type)
                        .thenComparing(EvidenceItem::subject)
                        .thenComparing(EvidenceItem::id))
                .toList();
    }

    private static @Nullable EvidenceItem find(String type, String subject, List<EvidenceItem> items) {
        return items.stream()
                .filter(item -> item.type().equals(type) && item.subject().equals(subject))
                .findFirst()
                .orElse(null);
    }

    /** Returns the waiver that lasts longest. */
    private static @Nullable Waiver activeWaiver(Gate gate, GateInput input) {
        return input.waivers().stream()
                .filter(waiver -> waiver.gate() == gate && waiver.isActive(input.evaluatedAt()))
                .max(Comparator.comparing(Waiver::expiresAt).thenComparing(Waiver::id))
                .orElse(null);
    }
}

package dev.slipway.audit.evidence.domain;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * The result of a gate family: the findings of the gates again, by what they are about. It has no rules of its own, so that it cannot
 * contradict the gates.
 */
public record FamilyResult(GateFamily family, Verdict verdict, String explanation, List<FamilyFinding> items) {
    /** Separates the subjects of a finding that is about several. */
    private static final String SUBJECTS = "\\|";

    /** The result of a family. */
    public enum Verdict {
        PASS,
        BLOCKED,
        WAIVED,
        NOT_APPLICABLE
    }

    /** The result of a gate, with its findings. */
    public record GateFindings(Gate gate, GateVerdict verdict, List<GateFinding> findings) {}

    /** A finding and the gate that made it. */
    public record FamilyFinding(Gate gate, GateFinding finding) {}

    /** Returns all families, in their order. */
    public static List<FamilyResult> of(List<GateFindings> gates, List<TypeFamilies> types) {
        return Arrays.stream(GateFamily.values())
                .map(family -> of(family, gates, types))
                .toList();
    }

    private static FamilyResult of(GateFamily family, List<GateFindings> gates, List<TypeFamilies> types) {
        var items = gates.stream()
                .flatMap(gate -> gate.findings.stream()
                        .filter(finding -> belongsTo(family, finding, types))
                        .map(finding -> new FamilyFinding(gate.gate, finding)))
                .toList();
        if (items.isEmpty()) {
            return new FamilyResult(
                    family,
                    Verdict.NOT_APPLICABLE,
                    "Not checked: no gate requires evidence of this family. The registry evidence_type says which do.",
                    items);
        }
        if (items.stream().allMatch(item -> item.finding.status() == GateFinding.Status.NOT_APPLICABLE)) {
            return new FamilyResult(family, Verdict.NOT_APPLICABLE, "Not required of this release.", items);
        }
        var blocking = items.stream().filter(item -> item.finding.blocks()).toList();
        if (blocking.isEmpty()) {
            return new FamilyResult(family, Verdict.PASS, "All required evidence is there and passes.", items);
        }
        var isBlocked = blocking.stream().anyMatch(item -> gates.stream()
                .anyMatch(gate -> gate.gate == item.gate && gate.verdict == GateVerdict.BLOCKED));
        var first = blocking.get(0).finding.explanation();
        return new FamilyResult(
                family,
                isBlocked ? Verdict.BLOCKED : Verdict.WAIVED,
                blocking.size() == 1 ? first : first + " And " + (blocking.size() - 1) + " more.",
                items);
    }

    private static boolean belongsTo(GateFamily family, GateFinding finding, List<TypeFamilies> types) {
        return types.stream()
                .filter(type -> type.evidenceType().equals(finding.evidenceType()))
                .flatMap(type -> Arrays.stream(finding.subject().split(SUBJECTS, -1))
                        .map(type::familyOf)
                        .filter(Objects::nonNull))
                .anyMatch(family::equals);
    }
}

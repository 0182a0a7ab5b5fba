package dev.slipway.audit.evidence.domain;

import dev.slipway.audit.evidence.domain.GateRequirement.Applicability;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * An evidence type of the registry.
 *
 * @param results the allowed results; empty if any is allowed
 * @param gate the gate that requires evidence of this type, if any
 */
public record EvidenceType(
        String id,
        int version,
        boolean active,
        String owner,
        List<String> requiredFields,
        List<String> results,
        List<String> passingResults,
        String retentionClass,
        boolean releaseBlocking,
        @Nullable Gate gate,
        Applicability appliesTo,
        List<String> requiredSubjects,
        boolean anySubject,
        boolean environmentBound,
        TypeFamilies families) {
    private static final Set<String> APPROVALS =
            Set.of("approval", "product_approval", "platform_approval", "security_approval");

    /** Returns whether evidence of this type is a decision of a person, which only the approval operations record. */
    public static boolean isApproval(String id) {
        return APPROVALS.contains(id);
    }

    public @Nullable GateRequirement requirement() {
        return gate == null || !active
                ? null
                : new GateRequirement(
                        id, version, gate, appliesTo, requiredSubjects, anySubject, passingResults, environmentBound);
    }

    /** Returns the problems of evidence, as pairs of field and problem; empty if valid. */
    public List<Fault> validate(@Nullable String result, Set<String> fields) {
        var faults = new ArrayList<Fault>();
        if (result == null) {
            faults.add(new Fault("/result", "is required: one of " + String.join(", ", results)));
        } else if (!results.isEmpty() && !results.contains(result)) {
            faults.add(new Fault("/result", "is not one of " + String.join(", ", results)));
        }
        for (var field : requiredFields) {
            if (!field.equals("result") && !fields.contains(field)) {
                faults.add(new Fault("/fields/" + field, "is required by the evidence type " + id));
            }
        }
        return faults;
    }

    /** A field that is missing or invalid. */
    public record Fault(String field, String problem) {}
}

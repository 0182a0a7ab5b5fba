package dev.slipway.audit.evidence.domain;

import org.jspecify.annotations.Nullable;

import java.util.Map;

/**
 * The gate families of an evidence type.
 *
 * @param family the family of subjects that are not listed; null if they belong to none
 * @param subjects the families of single subjects
 */
public record TypeFamilies(String evidenceType, @Nullable GateFamily family, Map<String, GateFamily> subjects) {
    public TypeFamilies {
        subjects = Map.copyOf(subjects);
    }

    /** Returns null if evidence about the subject belongs to no family. */
    public @Nullable GateFamily familyOf(String subject) {
        return subjects.getOrDefault(subject, family);
    }

    boolean isRevisionBound(String subject) {
        var found = familyOf(subject);
        return found != null && found.isRevisionBound();
    }
}

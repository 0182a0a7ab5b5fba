package dev.slipway.audit.evidence.domain;

import dev.slipway.contract.domain.TextEnum;
import org.jspecify.annotations.Nullable;

import java.util.UUID;

/**
 * The release profile of a candidate.
 *
 * @param validatedReleaseId the full candidate that validated the source revision; null unless the profile is fast
 */
public record Promotion(Kind kind, @Nullable UUID validatedReleaseId) {
    public static final Promotion FULL = new Promotion(Kind.FULL, null);

    /** The release profiles. */
    public enum Kind implements TextEnum {
        /** All evidence is about this candidate. */
        FULL,
        /** Evidence about the source revision is that of a full candidate that has passed. */
        FAST
    }

    /**
     * Returns the fast profile of a candidate, or null if the other candidate does not validate its source revision: it must be a full one of
     * the same product, revision and project that has passed. A waived one has not been validated.
     *
     * @param projectId the project of the candidate; null for the platform
     */
    public static @Nullable Promotion fast(
            ReleaseAttributes release, @Nullable UUID projectId, ReleaseCandidate validated) {
        var attributes = validated.attributes();
        var sameScope = projectId == null ? validated.projectId() == null : projectId.equals(validated.projectId());
        return validated.promotion().kind() == Kind.FULL
                        && validated.verdict() == GateVerdict.PASS
                        && attributes.product().equals(release.product())
                        && attributes.sourceSha().equals(release.sourceSha())
                        && sameScope
                ? new Promotion(Kind.FAST, validated.id())
                : null;
    }
}

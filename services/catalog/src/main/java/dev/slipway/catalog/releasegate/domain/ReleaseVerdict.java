package dev.slipway.catalog.releasegate.domain;

import dev.slipway.contract.domain.TextEnum;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.UUID;

/**
 * The replicated verdict of a release candidate.
 *
 * @param validUntil when the verdict ends, if it depends on a waiver
 */
public record ReleaseVerdict(
        UUID releaseId,
        UUID releaseVerdictId,
        Verdict verdict,
        @Nullable Instant validUntil) {
    /** The verdicts of the gates of a candidate. */
    public enum Verdict implements TextEnum {
        PASS,
        WAIVED,
        BLOCKED
    }

    boolean isPassed(Instant now) {
        return verdict != Verdict.BLOCKED && (validUntil == null || now.isBefore(validUntil));
    }
}

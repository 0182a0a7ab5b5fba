package dev.slipway.catalog.releasegate.domain;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.UUID;

/**
 * The replicated verdict of a release candidate.
 *
 * @param verdict pass, waived or blocked
 * @param validUntil when the verdict ends, if it depends on a waiver
 */
public record ReleaseVerdict(
        UUID releaseId,
        UUID releaseVerdictId,
        String verdict,
        @Nullable Instant validUntil) {
    boolean isPassed(Instant now) {
        return (verdict.equals("pass") || verdict.equals("waived")) && (validUntil == null || now.isBefore(validUntil));
    }
}

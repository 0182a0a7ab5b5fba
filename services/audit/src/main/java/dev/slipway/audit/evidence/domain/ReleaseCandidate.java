package dev.slipway.audit.evidence.domain;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.UUID;

/**
 * A release candidate with its current verdict.
 *
 * @param authorUserId the person who is responsible for the author, if that is a machine
 * @param revision incremented by every evidence, waiver and evaluation
 * @param validUntil when the verdict ends, if it depends on a waiver
 */
public record ReleaseCandidate(
        UUID id,
        @Nullable UUID orgId,
        @Nullable UUID projectId,
        ReleaseAttributes attributes,
        Promotion promotion,
        UUID authorId,
        UUID authorUserId,
        long revision,
        GateVerdict verdict,
        UUID releaseVerdictId,
        @Nullable Instant validUntil,
        Instant createdAt,
        Instant updatedAt) {

    /** Returns whether the principal created the candidate, itself or through a machine that it is responsible for. */
    public boolean isAuthor(UUID principalId, UUID responsibleUserId) {
        return authorId.equals(principalId) || authorUserId.equals(responsibleUserId);
    }

    public ReleaseCandidate withVerdict(
            GateVerdict next, UUID nextVerdictId, @Nullable Instant nextValidUntil, Instant now) {
        return new ReleaseCandidate(
                id,
                orgId,
                projectId,
                attributes,
                promotion,
                authorId,
                authorUserId,
                revision + 1,
                next,
                nextVerdictId,
                nextValidUntil,
                createdAt,
                now);
    }
}

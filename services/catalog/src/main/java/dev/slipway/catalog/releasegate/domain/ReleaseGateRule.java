package dev.slipway.catalog.releasegate.domain;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

/** Decides whether a product may be published or promoted to production. */
public final class ReleaseGateRule {
    /** Older verdicts are not relied on. */
    public static final Duration MAX_AGE = Duration.ofMinutes(5);

    private ReleaseGateRule() {}

    /** The outcome: accepted, with the verdict if there is one, or refused with an error code of the contract. */
    public sealed interface GateDecision {
        record Accepted(@Nullable UUID releaseVerdictId) implements GateDecision {}

        record Refused(
                String code, String message, @Nullable UUID releaseId) implements GateDecision {}
    }

    /**
     * Decides from the replicated verdict.
     *
     * @param gated whether policy requires passed gates
     * @param newest the verdict of the newest release candidate, if there is one
     * @param replicatedAt the time of the last heartbeat of the verdicts; null if there was none
     * @param name the product, version or digest, for messages
     */
    public static GateDecision decide(
            boolean gated, @Nullable ReleaseVerdict newest, @Nullable Instant replicatedAt, String name, Instant now) {
        var passedVerdictId = newest != null && newest.isPassed(now) ? newest.releaseVerdictId() : null;
        if (!gated) {
            return new GateDecision.Accepted(passedVerdictId);
        }
        if (replicatedAt == null || replicatedAt.isBefore(now.minus(MAX_AGE))) {
            return new GateDecision.Refused(
                    "evidence_stale",
                    "The verdicts of the release gates are older than " + MAX_AGE.toMinutes()
                            + " minutes, so nothing was changed. Retry when the audit service is available.",
                    null);
        }
        if (newest == null) {
            return new GateDecision.Refused(
                    "release_blocked",
                    "Policy requires passed release gates, and there is no release candidate of " + name
                            + ". Create one with POST /api/v1/platform/releases.",
                    null);
        }
        return passedVerdictId != null
                ? new GateDecision.Accepted(passedVerdictId)
                : new GateDecision.Refused(
                        "release_blocked",
                        "Policy requires passed release gates, and those of " + name
                                + " have not passed. GET /api/v1/platform/releases/" + newest.releaseId()
                                + " explains what is missing.",
                        newest.releaseId());
    }
}

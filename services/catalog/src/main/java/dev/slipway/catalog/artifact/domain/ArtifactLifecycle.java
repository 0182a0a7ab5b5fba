package dev.slipway.catalog.artifact.domain;

import dev.slipway.catalog.artifact.domain.Artifact.Channel;
import dev.slipway.catalog.artifact.domain.Artifact.Lifecycle;
import dev.slipway.catalog.artifact.domain.Artifact.Trust;
import dev.slipway.catalog.artifact.domain.ArtifactDecision.Accepted;
import dev.slipway.catalog.artifact.domain.ArtifactDecision.Refused;
import org.jspecify.annotations.Nullable;

import java.time.Instant;

/** The lifecycle of an artifact (published → promoted, channel by channel → deprecated → retired) and, independently, its trust. */
public final class ArtifactLifecycle {
    private static final String CONFLICT = "state_conflict";

    private ArtifactLifecycle() {}

    /** Applies the result of a verification. A revoked artifact stays revoked. */
    public static ArtifactDecision verify(Artifact current, Verification verification, Instant now) {
        if (current.lifecycle() == Lifecycle.RETIRED) {
            return retiredRefusal();
        }
        return switch (current.trust()) {
            case UNVERIFIED, VERIFIED, FAILED_VERIFICATION -> applyVerification(current, verification, now);
            case REVOKED -> revokedRefusal();
        };
    }

    /** Promotes to the next channel of the artifact's type. */
    public static ArtifactDecision promote(
            Artifact current, @Nullable ArtifactType type, Channel channel, @Nullable String reason, Instant now) {
        var untrusted = trustRefusal(current);
        if (untrusted != null) {
            return untrusted;
        }
        return switch (current.lifecycle()) {
            case PUBLISHED, PROMOTED -> applyPromotion(current, type, channel, reason, now);
            case DEPRECATED ->
                new Refused(CONFLICT, "The artifact is deprecated and cannot be promoted. Publish another artifact.");
            case RETIRED -> retiredRefusal();
        };
    }

    public static ArtifactDecision deprecate(Artifact current, String reason, Instant now) {
        return switch (current.lifecycle()) {
            case PUBLISHED, PROMOTED ->
                new Accepted(
                        current.withLifecycle(Lifecycle.DEPRECATED, current.channel(), now),
                        new ArtifactEvent.MarkedDeprecated(reason));
            case DEPRECATED -> unchanged(current);
            case RETIRED -> retiredRefusal();
        };
    }

    public static ArtifactDecision retire(Artifact current, String reason, Instant now) {
        return switch (current.lifecycle()) {
            case PUBLISHED, DEPRECATED ->
                new Accepted(
                        current.withLifecycle(Lifecycle.RETIRED, current.channel(), now),
                        new ArtifactEvent.Retired(reason));
            case PROMOTED -> new Refused(CONFLICT, "The artifact is promoted. Deprecate it first.");
            case RETIRED -> unchanged(current);
        };
    }

    /** Allowed in every lifecycle state, because a retired artifact may still be running. */
    public static ArtifactDecision revoke(Artifact current, String reason, Instant now) {
        return switch (current.trust()) {
            case UNVERIFIED, VERIFIED, FAILED_VERIFICATION ->
                new Accepted(
                        current.withTrust(Trust.REVOKED, reason, current.verification(), now),
                        new ArtifactEvent.Revoked(current.trust(), reason));
            case REVOKED -> unchanged(current);
        };
    }

    /** Returns why an artifact must not be used, or null if it may be. */
    public static @Nullable Refused trustRefusal(Artifact current) {
        return switch (current.trust()) {
            case VERIFIED -> null;
            case UNVERIFIED -> new Refused("artifact_unverified", "The artifact is not verified. Verify it first.");
            case FAILED_VERIFICATION ->
                new Refused(
                        "artifact_verification_failed",
                        "The artifact failed verification (" + current.trustReason()
                                + "). Fix the cause and verify it again.");
            case REVOKED -> revokedRefusal();
        };
    }

    private static ArtifactDecision applyVerification(Artifact current, Verification verification, Instant now) {
        var failure = verification.failure();
        return failure == null
                ? new Accepted(
                        current.withTrust(Trust.VERIFIED, null, verification, now),
                        new ArtifactEvent.Verified(current.trust()))
                : new Accepted(
                        current.withTrust(Trust.FAILED_VERIFICATION, failure, verification, now),
                        new ArtifactEvent.VerificationFailed(current.trust(), failure));
    }

    private static ArtifactDecision applyPromotion(
            Artifact current, @Nullable ArtifactType type, Channel channel, @Nullable String reason, Instant now) {
        if (type == null) {
            return new Refused(
                    "artifact_type_inactive", "The artifact type " + current.artifactType() + " is not active.");
        }
        if (channel == current.channel()) {
            return unchanged(current);
        }
        var from = current.channel() == null ? -1 : type.channels().indexOf(current.channel());
        var next = from + 1 < type.channels().size() ? type.channels().get(from + 1) : null;
        if (channel != next) {
            return new Refused(
                    "channel_out_of_order",
                    next == null
                            ? "The artifact is in the last channel of its type."
                            : "The next channel is " + next.text() + ", not " + channel.text() + ".");
        }
        return new Accepted(
                current.withLifecycle(Lifecycle.PROMOTED, channel, now),
                new ArtifactEvent.Promoted(current.channel(), reason));
    }

    private static ArtifactDecision unchanged(Artifact current) {
        return new Accepted(current, null);
    }

    private static Refused retiredRefusal() {
        return new Refused(CONFLICT, "The artifact is retired. Use another artifact.");
    }

    private static Refused revokedRefusal() {
        return new Refused("artifact_revoked", "This digest is revoked. Publish another artifact.");
    }
}

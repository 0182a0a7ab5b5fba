package dev.slipway.catalog.artifact.domain;

import dev.slipway.catalog.artifact.domain.Artifact.Channel;
import dev.slipway.catalog.artifact.domain.Artifact.Lifecycle;
import dev.slipway.catalog.artifact.domain.Artifact.Trust;
import dev.slipway.catalog.artifact.domain.Decision.Accepted;
import dev.slipway.catalog.artifact.domain.Decision.Refused;
import org.jspecify.annotations.Nullable;

import java.time.Instant;

/** The life of an artifact: published → promoted, channel by channel → deprecated → retired; beside it, the trust in it. */
public final class ArtifactLifecycle {
    private static final String CONFLICT = "state_conflict";

    private ArtifactLifecycle() {}

    /** What a verification makes of it. Trust that was withdrawn does not come back. */
    public static Decision verify(Artifact current, Verification found, Instant now) {
        if (current.lifecycle() == Lifecycle.RETIRED) {
            return retired();
        }
        return switch (current.trust()) {
            case UNVERIFIED, VERIFIED, FAILED_VERIFICATION -> judged(current, found, now);
            case REVOKED -> revoked();
        };
    }

    /** To the channel after the one it is in, of those that its type goes through. */
    public static Decision promote(
            Artifact current, @Nullable ArtifactType type, Channel channel, @Nullable String reason, Instant now) {
        var untrusted = untrusted(current);
        if (untrusted != null) {
            return untrusted;
        }
        return switch (current.lifecycle()) {
            case PUBLISHED, PROMOTED -> moved(current, type, channel, reason, now);
            case DEPRECATED ->
                new Refused(CONFLICT, "The artifact is deprecated, so it goes no further. Publish another.");
            case RETIRED -> retired();
        };
    }

    public static Decision deprecate(Artifact current, String reason, Instant now) {
        return switch (current.lifecycle()) {
            case PUBLISHED, PROMOTED ->
                new Accepted(
                        current.in(Lifecycle.DEPRECATED, current.channel(), now),
                        new ArtifactEvent.Discouraged(reason));
            case DEPRECATED -> unchanged(current);
            case RETIRED -> retired();
        };
    }

    public static Decision retire(Artifact current, String reason, Instant now) {
        return switch (current.lifecycle()) {
            case PUBLISHED, DEPRECATED ->
                new Accepted(current.in(Lifecycle.RETIRED, current.channel(), now), new ArtifactEvent.Retired(reason));
            case PROMOTED -> new Refused(CONFLICT, "The artifact is promoted. Deprecate it first.");
            case RETIRED -> unchanged(current);
        };
    }

    /** Wherever it is in its life: what was retired may still run somewhere. */
    public static Decision revoke(Artifact current, String reason, Instant now) {
        return switch (current.trust()) {
            case UNVERIFIED, VERIFIED, FAILED_VERIFICATION ->
                new Accepted(
                        current.with(Trust.REVOKED, reason, current.verification(), now),
                        new ArtifactEvent.Revoked(current.trust(), reason));
            case REVOKED -> unchanged(current);
        };
    }

    /** Why an artifact must not be used; null if it may. */
    public static @Nullable Refused untrusted(Artifact current) {
        return switch (current.trust()) {
            case VERIFIED -> null;
            case UNVERIFIED -> new Refused("artifact_unverified", "The artifact is not verified. Verify it first.");
            case FAILED_VERIFICATION ->
                new Refused(
                        "artifact_verification_failed",
                        "The artifact failed its verification (" + current.trustReason()
                                + "). Mend that and verify it again.");
            case REVOKED -> revoked();
        };
    }

    private static Decision judged(Artifact current, Verification found, Instant now) {
        var failure = found.failure();
        return failure == null
                ? new Accepted(
                        current.with(Trust.VERIFIED, null, found, now), new ArtifactEvent.Verified(current.trust()))
                : new Accepted(
                        current.with(Trust.FAILED_VERIFICATION, failure, found, now),
                        new ArtifactEvent.VerificationFailed(current.trust(), failure));
    }

    private static Decision moved(
            Artifact current, @Nullable ArtifactType type, Channel channel, @Nullable String reason, Instant now) {
        if (type == null) {
            return new Refused(
                    "artifact_type_inactive",
                    "The artifact type " + current.artifactType() + " is not active, so nothing of it is promoted.");
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
                            ? "The artifact has been through all channels of its type."
                            : "The next channel is " + next.text() + ", not " + channel.text() + ".");
        }
        return new Accepted(
                current.in(Lifecycle.PROMOTED, channel, now), new ArtifactEvent.Promoted(current.channel(), reason));
    }

    private static Decision unchanged(Artifact current) {
        return new Accepted(current, null);
    }

    private static Refused retired() {
        return new Refused(CONFLICT, "The artifact is retired.");
    }

    private static Refused revoked() {
        return new Refused("artifact_revoked", "The trust in this digest was withdrawn. Publish another artifact.");
    }
}

package dev.slipway.catalog.artifact.domain;

import dev.slipway.catalog.artifact.source.domain.Digest;
import dev.slipway.contract.domain.TextEnum;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.UUID;

/**
 * An artifact, identified by its digest. Lifecycle and trust are independent of each other.
 *
 * @param artifactTypeVersion the version of the type's registry entry at registration
 * @param repository host and path in its source, without the digest
 * @param tag a label; artifacts are not looked up by tag
 * @param trustReason why verification failed or the artifact was revoked
 * @param channel the last channel it was promoted to
 * @param sequence incremented by every change, without gaps
 * @param releaseVerdictId the verdict of the release gates under which it was promoted to production, if any
 */
public record Artifact(
        UUID id,
        String resourceName,
        UUID orgId,
        UUID projectId,
        @Nullable String appSlug,
        String artifactType,
        int artifactTypeVersion,
        Kind kind,
        Source source,
        String repository,
        @Nullable String tag,
        Digest digest,
        @Nullable String mediaType,
        long sizeBytes,
        Visibility visibility,
        Lifecycle lifecycle,
        Trust trust,
        @Nullable String trustReason,
        @Nullable Channel channel,
        @Nullable Verification verification,
        UUID createdByPrincipalId,
        UUID createdByUserId,
        long sequence,
        Instant createdAt,
        Instant updatedAt,
        @Nullable UUID releaseVerdictId) {

    /** An OCI manifest or index, or a single file. */
    public enum Kind implements TextEnum {
        OCI,
        BLOB
    }

    /** The projects that can see the artifact besides its own. */
    public enum Visibility implements TextEnum {
        PROJECT,
        TENANT,
        PLATFORM
    }

    public enum Lifecycle implements TextEnum {
        PUBLISHED,
        PROMOTED,
        DEPRECATED,
        RETIRED
    }

    public enum Trust implements TextEnum {
        UNVERIFIED,
        VERIFIED,
        FAILED_VERIFICATION,
        REVOKED
    }

    /** In promotion order. */
    public enum Channel implements TextEnum {
        DEV,
        TEST,
        STAGING,
        PROD
    }

    /** The source of the artifact, as described by its publisher. */
    public record Source(
            String sourceType,
            String uri,
            @Nullable String sourceRef,
            @Nullable Long sizeBytes,
            @Nullable String contentEncoding) {}

    /** Returns a copy of the same state. */
    public Artifact withReleaseVerdict(@Nullable UUID verdictId) {
        return new Artifact(
                id,
                resourceName,
                orgId,
                projectId,
                appSlug,
                artifactType,
                artifactTypeVersion,
                kind,
                source,
                repository,
                tag,
                digest,
                mediaType,
                sizeBytes,
                visibility,
                lifecycle,
                trust,
                trustReason,
                channel,
                verification,
                createdByPrincipalId,
                createdByUserId,
                sequence,
                createdAt,
                updatedAt,
                verdictId);
    }

    /** Returns a copy of the same state whose digest is revoked, which overrides the outcome of the verification. */
    public Artifact withRevokedDigest(@Nullable String reason) {
        return new Artifact(
                id,
                resourceName,
                orgId,
                projectId,
                appSlug,
                artifactType,
                artifactTypeVersion,
                kind,
                source,
                repository,
                tag,
                digest,
                mediaType,
                sizeBytes,
                visibility,
                lifecycle,
                Trust.REVOKED,
                reason,
                channel,
                verification,
                createdByPrincipalId,
                createdByUserId,
                sequence,
                createdAt,
                updatedAt,
                releaseVerdictId);
    }

    Artifact withTrust(Trust nextTrust, @Nullable String reason, @Nullable Verification nextVerification, Instant now) {
        return copy(lifecycle, nextTrust, reason, channel, nextVerification, now);
    }

    Artifact withLifecycle(Lifecycle nextLifecycle, @Nullable Channel nextChannel, Instant now) {
        return copy(nextLifecycle, trust, trustReason, nextChannel, verification, now);
    }

    private Artifact copy(
            Lifecycle nextLifecycle,
            Trust nextTrust,
            @Nullable String reason,
            @Nullable Channel nextChannel,
            @Nullable Verification nextVerification,
            Instant now) {
        return new Artifact(
                id,
                resourceName,
                orgId,
                projectId,
                appSlug,
                artifactType,
                artifactTypeVersion,
                kind,
                source,
                repository,
                tag,
                digest,
                mediaType,
                sizeBytes,
                visibility,
                nextLifecycle,
                nextTrust,
                reason,
                nextChannel,
                nextVerification,
                createdByPrincipalId,
                createdByUserId,
                sequence + 1,
                createdAt,
                now,
                releaseVerdictId);
    }
}

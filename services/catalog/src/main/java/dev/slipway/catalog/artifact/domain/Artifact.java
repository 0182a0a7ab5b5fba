package dev.slipway.catalog.artifact.domain;

import dev.slipway.catalog.source.domain.Digest;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.Locale;
import java.util.UUID;

/**
 * Something that can be deployed, known by its digest. Its lifecycle and the trust in it are independent of each other.
 *
 * @param artifactTypeVersion the version that the type's registry entry had at registration
 * @param repository host and path in its source, without the digest
 * @param tag a label; nothing is found by it
 * @param trustReason why it failed its verification or was revoked
 * @param channel the furthest it was promoted to
 * @param sequence counts what was done to it, without gaps
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
        Instant updatedAt) {

    /** A manifest or an index of a registry, or plain bytes. */
    public enum Kind {
        OCI,
        BLOB;

        public String text() {
            return lower(this);
        }
    }

    /** Who may see it beside its project. */
    public enum Visibility {
        PROJECT,
        TENANT,
        PLATFORM;

        public String text() {
            return lower(this);
        }
    }

    public enum Lifecycle {
        PUBLISHED,
        PROMOTED,
        DEPRECATED,
        RETIRED;

        public String text() {
            return lower(this);
        }
    }

    public enum Trust {
        UNVERIFIED,
        VERIFIED,
        FAILED_VERIFICATION,
        REVOKED;

        public String text() {
            return lower(this);
        }
    }

    /** In the order that artifacts go through them. */
    public enum Channel {
        DEV,
        TEST,
        STAGING,
        PROD;

        public String text() {
            return lower(this);
        }
    }

    /** Where it is kept, as its publisher described it. */
    public record Source(
            String sourceType,
            String uri,
            @Nullable String sourceRef,
            @Nullable Long sizeBytes,
            @Nullable String contentEncoding) {}

    Artifact with(Trust nextTrust, @Nullable String reason, @Nullable Verification found, Instant now) {
        return next(lifecycle, nextTrust, reason, channel, found, now);
    }

    Artifact in(Lifecycle nextLifecycle, @Nullable Channel nextChannel, Instant now) {
        return next(nextLifecycle, trust, trustReason, nextChannel, verification, now);
    }

    private Artifact next(
            Lifecycle nextLifecycle,
            Trust nextTrust,
            @Nullable String reason,
            @Nullable Channel nextChannel,
            @Nullable Verification found,
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
                found,
                createdByPrincipalId,
                createdByUserId,
                sequence + 1,
                createdAt,
                now);
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}

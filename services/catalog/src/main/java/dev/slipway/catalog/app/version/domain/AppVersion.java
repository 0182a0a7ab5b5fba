package dev.slipway.catalog.app.version.domain;

import dev.slipway.contract.domain.TextEnum;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.LocalDate;
import java.util.UUID;

/**
 * A version of an app. {@code manifest} and {@code registryVersions} are JSON text.
 *
 * @param registryVersions the version of every registry entry it was published under, by kind and id
 * @param revision incremented by every change
 * @param releaseVerdictId the verdict of the release gates under which it was published, if any
 */
public record AppVersion(
        UUID id,
        UUID appId,
        String appSlug,
        String version,
        String runtimeBackend,
        Status status,
        String manifest,
        String manifestDigest,
        @Nullable LocalDate deprecationDate,
        @Nullable String successor,
        String registryVersions,
        long revision,
        Instant createdAt,
        Instant updatedAt,
        @Nullable Instant publishedAt,
        @Nullable UUID releaseVerdictId) {

    /** In the order of the lifecycle; a version never returns to an earlier status. */
    public enum Status implements TextEnum {
        DRAFT,
        ACTIVE,
        DEPRECATED,
        DISABLED,
        RETIRED
    }

    /** Returns a copy of the same state. */
    public AppVersion withReleaseVerdict(@Nullable UUID verdictId) {
        return new AppVersion(
                id,
                appId,
                appSlug,
                version,
                runtimeBackend,
                status,
                manifest,
                manifestDigest,
                deprecationDate,
                successor,
                registryVersions,
                revision,
                createdAt,
                updatedAt,
                publishedAt,
                verdictId);
    }

    AppVersion withContent(ManifestContent manifestContent, Instant now) {
        return new AppVersion(
                id,
                appId,
                appSlug,
                version,
                manifestContent.runtimeBackend(),
                status,
                manifestContent.manifest(),
                manifestContent.digest(),
                deprecationDate,
                successor,
                registryVersions,
                revision + 1,
                createdAt,
                now,
                publishedAt,
                releaseVerdictId);
    }

    AppVersion asPublished(String usedRegistryVersions, Instant now) {
        return withStatus(Status.ACTIVE, deprecationDate, successor, usedRegistryVersions, now, now);
    }

    AppVersion asDeprecated(@Nullable LocalDate until, @Nullable String next, Instant now) {
        return withStatus(Status.DEPRECATED, until, next, registryVersions, now, publishedAt);
    }

    AppVersion withStatus(Status next, Instant now) {
        return withStatus(next, deprecationDate, successor, registryVersions, now, publishedAt);
    }

    private AppVersion withStatus(
            Status next,
            @Nullable LocalDate until,
            @Nullable String after,
            String usedRegistryVersions,
            Instant now,
            @Nullable Instant published) {
        return new AppVersion(
                id,
                appId,
                appSlug,
                version,
                runtimeBackend,
                next,
                manifest,
                manifestDigest,
                until,
                after,
                usedRegistryVersions,
                revision + 1,
                createdAt,
                now,
                published,
                releaseVerdictId);
    }

    /** A manifest as JSON text, with its digest. */
    public record ManifestContent(String runtimeBackend, String manifest, String digest) {}
}

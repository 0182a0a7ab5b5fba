package dev.slipway.catalog.version.domain;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.LocalDate;
import java.util.Locale;
import java.util.UUID;

/**
 * A version of an app. {@code manifest} and {@code registryVersions} are JSON text.
 *
 * @param registryVersions the version of every registry entry that it was published under, by kind and id
 * @param revision counts its changes
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
        @Nullable Instant publishedAt) {

    /** Draft, active, deprecated, disabled, retired: in this order, and never back. */
    public enum Status {
        DRAFT,
        ACTIVE,
        DEPRECATED,
        DISABLED,
        RETIRED;

        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        public static Status of(String text) {
            return valueOf(text.toUpperCase(Locale.ROOT));
        }
    }

    AppVersion saying(Content content, Instant now) {
        return new AppVersion(
                id,
                appId,
                appSlug,
                version,
                content.runtimeBackend(),
                status,
                content.manifest(),
                content.digest(),
                deprecationDate,
                successor,
                registryVersions,
                revision + 1,
                createdAt,
                now,
                publishedAt);
    }

    AppVersion published(String underVersions, Instant now) {
        return in(Status.ACTIVE, deprecationDate, successor, underVersions, now, now);
    }

    AppVersion deprecated(@Nullable LocalDate until, @Nullable String next, Instant now) {
        return in(Status.DEPRECATED, until, next, registryVersions, now, publishedAt);
    }

    AppVersion in(Status next, Instant now) {
        return in(next, deprecationDate, successor, registryVersions, now, publishedAt);
    }

    private AppVersion in(
            Status next,
            @Nullable LocalDate until,
            @Nullable String after,
            String underVersions,
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
                underVersions,
                revision + 1,
                createdAt,
                now,
                published);
    }

    /** What a manifest says, and its digest. */
    public record Content(String runtimeBackend, String manifest, String digest) {}
}

package dev.slipway.catalog.version.domain;

import dev.slipway.catalog.version.domain.AppVersion.Content;
import dev.slipway.catalog.version.domain.AppVersion.Status;
import dev.slipway.catalog.version.domain.Decision.Accepted;
import dev.slipway.catalog.version.domain.Decision.Refused;
import dev.slipway.catalog.version.domain.Decision.Unchanged;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.LocalDate;
import java.util.Objects;
import java.util.UUID;

/** The life of a version: draft → active → deprecated → disabled → retired. What was published never changes what it says. */
public final class VersionLifecycle {
    private VersionLifecycle() {}

    public static AppVersion register(
            UUID id, UUID appId, String appSlug, String version, Content content, Instant now) {
        return new AppVersion(
                id,
                appId,
                appSlug,
                version,
                content.runtimeBackend(),
                Status.DRAFT,
                content.manifest(),
                content.digest(),
                null,
                null,
                "{}",
                1,
                now,
                now,
                null);
    }

    /** {@code expectedDigest}: of the manifest that the new one was made from; null replaces whatever is there. */
    public static Decision replace(AppVersion current, Content content, @Nullable String expectedDigest, Instant now) {
        return switch (current.status()) {
            case DRAFT -> {
                if (expectedDigest != null && !expectedDigest.equals(current.manifestDigest())) {
                    yield new Refused(
                            "precondition_failed",
                            "Somebody has replaced the manifest since: its digest is " + current.manifestDigest()
                                    + ". Read it, and try again.");
                }
                yield content.digest().equals(current.manifestDigest())
                        ? new Unchanged(current)
                        : new Accepted(current.saying(content, now), new VersionEvent.Replaced());
            }
            case ACTIVE, DEPRECATED, DISABLED, RETIRED ->
                new Refused(
                        "version_immutable",
                        "Version " + current.version() + " is "
                                + current.status().text() + " and never changes. Register another version.");
        };
    }

    public static Decision publish(AppVersion current, String registryVersions, Instant now) {
        return switch (current.status()) {
            case DRAFT -> new Accepted(current.published(registryVersions, now), new VersionEvent.Published());
            case ACTIVE -> new Unchanged(current);
            case DEPRECATED, DISABLED, RETIRED -> refused(current, "published again; register another version");
        };
    }

    /** Again, to change the date or the successor. */
    public static Decision deprecate(
            AppVersion current, @Nullable LocalDate until, @Nullable String successor, Instant now) {
        return switch (current.status()) {
            case ACTIVE -> new Accepted(current.deprecated(until, successor, now), new VersionEvent.MarkedDeprecated());
            case DEPRECATED ->
                Objects.equals(until, current.deprecationDate()) && Objects.equals(successor, current.successor())
                        ? new Unchanged(current)
                        : new Accepted(current.deprecated(until, successor, now), new VersionEvent.MarkedDeprecated());
            case DRAFT -> refused(current, "deprecated; it was never published");
            case DISABLED, RETIRED -> refused(current, "deprecated; it starts no instance anyway");
        };
    }

    public static Decision disable(AppVersion current, Instant now) {
        return switch (current.status()) {
            case ACTIVE, DEPRECATED -> new Accepted(current.in(Status.DISABLED, now), new VersionEvent.Disabled());
            case DISABLED -> new Unchanged(current);
            case DRAFT -> refused(current, "disabled; discard it by retiring it");
            case RETIRED -> refused(current, "disabled; it is gone for good");
        };
    }

    /** {@code instances}: how many of it live. */
    public static Decision retire(AppVersion current, long instances, Instant now) {
        return switch (current.status()) {
            case DRAFT -> new Accepted(current.in(Status.RETIRED, now), new VersionEvent.Discarded());
            case DISABLED ->
                instances > 0
                        ? new Refused(
                                "not_empty",
                                instances + " instances of version " + current.version()
                                        + " live. Upgrade or delete them first.")
                        : new Accepted(current.in(Status.RETIRED, now), new VersionEvent.Retired());
            case RETIRED -> new Unchanged(current);
            case ACTIVE, DEPRECATED -> refused(current, "retired; disable it first");
        };
    }

    private static Refused refused(AppVersion current, String what) {
        return new Refused(
                "state_conflict",
                "Version " + current.version() + " is " + current.status().text() + " and cannot be " + what + ".");
    }
}

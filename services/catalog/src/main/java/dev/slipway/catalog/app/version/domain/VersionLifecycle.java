package dev.slipway.catalog.app.version.domain;

import dev.slipway.catalog.app.version.domain.AppVersion.ManifestContent;
import dev.slipway.catalog.app.version.domain.AppVersion.Status;
import dev.slipway.catalog.app.version.domain.VersionDecision.Accepted;
import dev.slipway.catalog.app.version.domain.VersionDecision.Refused;
import dev.slipway.catalog.app.version.domain.VersionDecision.Unchanged;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.LocalDate;
import java.util.Objects;
import java.util.UUID;

/** The lifecycle of a version: draft → active → deprecated → disabled → retired. The manifest of a published version never changes. */
public final class VersionLifecycle {
    private VersionLifecycle() {}

    public static AppVersion register(
            UUID id, UUID appId, String appSlug, String version, ManifestContent manifestContent, Instant now) {
        return new AppVersion(
                id,
                appId,
                appSlug,
                version,
                manifestContent.runtimeBackend(),
                Status.DRAFT,
                manifestContent.manifest(),
                manifestContent.digest(),
                null,
                null,
                "{}",
                1,
                now,
                now,
                null,
                null);
    }

    /** Replaces the manifest of a draft, if its digest is the expected one; null accepts any. */
    public static VersionDecision replace(
            AppVersion current, ManifestContent manifestContent, @Nullable String expectedDigest, Instant now) {
        return switch (current.status()) {
            case DRAFT -> {
                if (expectedDigest != null && !expectedDigest.equals(current.manifestDigest())) {
                    yield new Refused(
                            "precondition_failed",
                            "The manifest has been replaced; its digest is now " + current.manifestDigest()
                                    + ". Read it and retry.");
                }
                yield manifestContent.digest().equals(current.manifestDigest())
                        ? new Unchanged(current)
                        : new Accepted(current.withContent(manifestContent, now), new VersionEvent.Replaced());
            }
            case ACTIVE, DEPRECATED, DISABLED, RETIRED ->
                new Refused(
                        "version_immutable",
                        "Version " + current.version() + " is "
                                + current.status().text() + " and cannot be changed. Register another version.");
        };
    }

    public static VersionDecision publish(AppVersion current, String registryVersions, Instant now) {
        return switch (current.status()) {
            case DRAFT -> new Accepted(current.asPublished(registryVersions, now), new VersionEvent.Published());
            case ACTIVE -> new Unchanged(current);
            case DEPRECATED, DISABLED, RETIRED -> stateConflict(current, "published again. Register another version");
        };
    }

    /** Can be repeated to change the date or the successor. */
    public static VersionDecision deprecate(
            AppVersion current, @Nullable LocalDate until, @Nullable String successor, Instant now) {
        return switch (current.status()) {
            case ACTIVE ->
                new Accepted(current.asDeprecated(until, successor, now), new VersionEvent.MarkedDeprecated());
            case DEPRECATED ->
                Objects.equals(until, current.deprecationDate()) && Objects.equals(successor, current.successor())
                        ? new Unchanged(current)
                        : new Accepted(
                                current.asDeprecated(until, successor, now), new VersionEvent.MarkedDeprecated());
            case DRAFT -> stateConflict(current, "deprecated, because it was never published");
            case DISABLED, RETIRED -> stateConflict(current, "deprecated, because it can no longer be launched");
        };
    }

    public static VersionDecision disable(AppVersion current, Instant now) {
        return switch (current.status()) {
            case ACTIVE, DEPRECATED ->
                new Accepted(current.withStatus(Status.DISABLED, now), new VersionEvent.Disabled());
            case DISABLED -> new Unchanged(current);
            case DRAFT -> stateConflict(current, "disabled. Retire it to discard it");
            case RETIRED -> stateConflict(current, "disabled");
        };
    }

    /** {@code instances} is the number of live instances of the version. */
    public static VersionDecision retire(AppVersion current, long instances, Instant now) {
        return switch (current.status()) {
            case DRAFT -> new Accepted(current.withStatus(Status.RETIRED, now), new VersionEvent.Discarded());
            case DISABLED ->
                instances > 0
                        ? new Refused(
                                "not_empty",
                                "Version " + current.version() + " has " + instances
                                        + " instances. Upgrade or delete them first.")
                        : new Accepted(current.withStatus(Status.RETIRED, now), new VersionEvent.Retired());
            case RETIRED -> new Unchanged(current);
            case ACTIVE, DEPRECATED -> stateConflict(current, "retired. Disable it first");
        };
    }

    private static Refused stateConflict(AppVersion current, String what) {
        return new Refused(
                "state_conflict",
                "Version " + current.version() + " is " + current.status().text() + " and cannot be " + what + ".");
    }
}

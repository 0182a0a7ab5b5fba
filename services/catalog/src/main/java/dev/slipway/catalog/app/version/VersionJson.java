package dev.slipway.catalog.app.version;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.catalog.app.LaunchFields;
import dev.slipway.catalog.app.manifest.ManifestProblem;
import dev.slipway.catalog.app.version.domain.AppVersion;
import dev.slipway.catalog.app.version.domain.AppVersion.Status;
import dev.slipway.catalog.app.version.domain.VersionEvent;
import dev.slipway.contract.Json;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** JSON records of app versions: requests, responses, events and snapshots. */
final class VersionJson {
    private VersionJson() {}

    record ManifestRequest(JsonNode manifest, @Nullable String expectedDigest) {}

    record DeprecateRequest(@Nullable String date, @Nullable String successor) {}

    record DeprecationFields(
            @Nullable String deprecationDate, @Nullable String successor) {
        static DeprecationFields of(AppVersion version) {
            var date = version.deprecationDate();
            return new DeprecationFields(date == null ? null : date.toString(), version.successor());
        }
    }

    record VersionFields(
            UUID id,
            String appSlug,
            String version,
            String runtimeBackend,
            Status status,
            ObjectNode manifest,
            String manifestDigest,
            @JsonUnwrapped DeprecationFields deprecation,
            Instant createdAt,
            @Nullable Instant publishedAt) {
        static VersionFields of(AppVersion version) {
            return new VersionFields(
                    version.id(),
                    version.appSlug(),
                    version.version(),
                    version.runtimeBackend(),
                    version.status(),
                    Json.parseStoredObject(version.manifest()),
                    version.manifestDigest(),
                    DeprecationFields.of(version),
                    version.createdAt(),
                    version.publishedAt());
        }
    }

    /** For tenants. {@code launch} is null if the request names no project. */
    record VersionResponse(
            @JsonUnwrapped VersionFields version,
            @JsonUnwrapped @Nullable LaunchFields launch) {}

    /** For administrators. */
    record AdminVersionResponse(
            @JsonUnwrapped VersionFields version,
            ObjectNode registryVersions,
            long instances,
            List<ManifestProblem> problems,
            Instant updatedAt,
            @Nullable UUID releaseVerdictId) {
        static AdminVersionResponse of(AppVersion version, long instances, List<ManifestProblem> problems) {
            return new AdminVersionResponse(
                    VersionFields.of(version),
                    Json.parseStoredObject(version.registryVersions()),
                    instances,
                    problems,
                    version.updatedAt(),
                    version.releaseVerdictId());
        }
    }

    record ManifestReport(boolean publishable, @Nullable String manifestDigest, List<ManifestProblem> problems) {}

    /** The audited state of a version; the digest represents the manifest. */
    record AuditedVersion(
            String appSlug,
            String version,
            Status status,
            String manifestDigest,
            @JsonUnwrapped DeprecationFields deprecation) {
        static AuditedVersion of(AppVersion version) {
            return new AuditedVersion(
                    version.appSlug(),
                    version.version(),
                    version.status(),
                    version.manifestDigest(),
                    DeprecationFields.of(version));
        }
    }

    record AuditMetadata(@Nullable AuditedVersion before, AuditedVersion after) {}

    /** The launch parameters of a version, with the defaults of their properties. */
    record LaunchSchemaResponse(
            String appSlug,
            String version,
            String manifestDigest,
            JsonNode schema,
            ObjectNode defaults,
            JsonNode locked) {
        static LaunchSchemaResponse of(AppVersion version) {
            var launch = Json.parseStoredObject(version.manifest()).path("launch");
            var defaults = Json.object();
            launch.path("schema").path("properties").properties().forEach(property -> {
                if (property.getValue().has("default")) {
                    defaults.set(property.getKey(), property.getValue().get("default"));
                }
            });
            return new LaunchSchemaResponse(
                    version.appSlug(),
                    version.version(),
                    version.manifestDigest(),
                    launch.has("schema") ? launch.get("schema") : openSchema(),
                    defaults,
                    launch.has("locked") ? launch.get("locked") : Json.array());
        }

        /** A manifest without launch parameters accepts any config. */
        private static ObjectNode openSchema() {
            return Json.object().put("type", "object");
        }
    }

    record EventFields(
            UUID appId,
            String appSlug,
            UUID appVersionId,
            String appVersion,
            String runtimeBackend,
            String manifestDigest) {
        static EventFields of(AppVersion version) {
            return new EventFields(
                    version.appId(),
                    version.appSlug(),
                    version.id(),
                    version.version(),
                    version.runtimeBackend(),
                    version.manifestDigest());
        }
    }

    record VersionChanged(
            @JsonUnwrapped EventFields version,
            @JsonUnwrapped @Nullable DeprecationFields deprecation) {
        static VersionChanged of(AppVersion version, VersionEvent event) {
            return new VersionChanged(
                    EventFields.of(version),
                    event instanceof VersionEvent.MarkedDeprecated ? DeprecationFields.of(version) : null);
        }
    }

    record Snapshot(
            @JsonUnwrapped EventFields version,
            Status status,
            ObjectNode manifest,
            ObjectNode registryVersions,
            @JsonUnwrapped DeprecationFields deprecation,
            long revision) {
        static Snapshot of(AppVersion version) {
            return new Snapshot(
                    EventFields.of(version),
                    version.status(),
                    Json.parseStoredObject(version.manifest()),
                    Json.parseStoredObject(version.registryVersions()),
                    DeprecationFields.of(version),
                    version.revision());
        }
    }

    /** Returns null for changes of drafts, which are not published. */
    static @Nullable String eventType(VersionEvent event) {
        if (event instanceof VersionEvent.Published) {
            return "apps.version.published";
        }
        if (event instanceof VersionEvent.MarkedDeprecated) {
            return "apps.version.deprecated";
        }
        if (event instanceof VersionEvent.Disabled) {
            return "apps.version.disabled";
        }
        return event instanceof VersionEvent.Retired ? "apps.version.retired" : null;
    }
}

package dev.slipway.catalog.version;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.catalog.manifest.ManifestProblem;
import dev.slipway.catalog.version.domain.AppVersion;
import dev.slipway.catalog.version.domain.VersionEvent;
import dev.slipway.contract.Json;
import org.jspecify.annotations.Nullable;

import java.util.List;

/** How versions are written: in answers, events and snapshots. */
final class VersionJson {
    private VersionJson() {}

    /** As tenants read it. */
    static ObjectNode told(AppVersion version) {
        var node = Json.object()
                .put("id", version.id().toString())
                .put("app_slug", version.appSlug())
                .put("version", version.version())
                .put("runtime_backend", version.runtimeBackend())
                .put("status", version.status().text());
        node.set("manifest", Json.trusted(version.manifest()));
        node.put("manifest_digest", version.manifestDigest());
        deprecation(node, version);
        return node.put("created_at", version.createdAt().toString()).put("published_at", time(version));
    }

    /** As administrators read it. */
    static ObjectNode full(AppVersion version, long instances, List<ManifestProblem> problems) {
        var node = told(version);
        node.set("registry_versions", Json.trusted(version.registryVersions()));
        var array = node.put("instances", instances).putArray("problems");
        problems.forEach(problem -> array.add(problem.json()));
        return node.put("updated_at", version.updatedAt().toString());
    }

    /** What an administrator did, for the audit trail: the digest stands for the manifest. */
    static ObjectNode audited(AppVersion version) {
        var node = Json.object()
                .put("app_slug", version.appSlug())
                .put("version", version.version())
                .put("status", version.status().text())
                .put("manifest_digest", version.manifestDigest());
        deprecation(node, version);
        return node;
    }

    /** What can be set at a launch, with the defaults of the properties. */
    static ObjectNode launchSchema(AppVersion version) {
        var launch = Json.trusted(version.manifest()).path("launch");
        var node = Json.object()
                .put("app_slug", version.appSlug())
                .put("version", version.version())
                .put("manifest_digest", version.manifestDigest());
        node.set("schema", launch.has("schema") ? launch.get("schema") : nothingToSet());
        var defaults = node.putObject("defaults");
        launch.path("schema").path("properties").properties().forEach(property -> {
            if (property.getValue().has("default")) {
                defaults.set(property.getKey(), property.getValue().get("default"));
            }
        });
        node.set("locked", launch.has("locked") ? launch.get("locked") : Json.array());
        return node;
    }

    static ObjectNode snapshot(AppVersion version) {
        var node = fact(version).put("status", version.status().text());
        node.set("manifest", Json.trusted(version.manifest()));
        node.set("registry_versions", Json.trusted(version.registryVersions()));
        deprecation(node, version);
        return node.put("revision", version.revision());
    }

    static ObjectNode event(AppVersion version, VersionEvent event) {
        var node = fact(version);
        if (event instanceof VersionEvent.MarkedDeprecated) {
            deprecation(node, version);
        }
        return node;
    }

    /** Null where nobody but administrators is told. */
    static @Nullable String type(VersionEvent event) {
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

    /** An app whose manifest says nothing of a launch takes what it is given, as ever. */
    private static ObjectNode nothingToSet() {
        return Json.object().put("type", "object");
    }

    private static ObjectNode fact(AppVersion version) {
        return Json.object()
                .put("app_id", version.appId().toString())
                .put("app_slug", version.appSlug())
                .put("app_version_id", version.id().toString())
                .put("app_version", version.version())
                .put("runtime_backend", version.runtimeBackend())
                .put("manifest_digest", version.manifestDigest());
    }

    private static void deprecation(ObjectNode node, AppVersion version) {
        var until = version.deprecationDate();
        node.put("deprecation_date", until == null ? null : until.toString()).put("successor", version.successor());
    }

    private static @Nullable String time(AppVersion version) {
        var published = version.publishedAt();
        return published == null ? null : published.toString();
    }
}

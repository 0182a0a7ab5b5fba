package dev.slipway.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.contract.ManifestSchema;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * What the adapter's team tells the kit: an app to deploy, what it is like when it is slow or fails, and which parts of the protocol
 * the adapter claims.
 *
 * @param slow takes a few seconds to come up; null where there is no such
 * @param failing never comes up; null where there is no such
 * @param upgraded the next version; null where there is none
 * @param component of the members that are added; null where there is none
 */
record Profile(
        String backend,
        String appSlug,
        App plain,
        @Nullable App slow,
        @Nullable App failing,
        @Nullable App upgraded,
        @Nullable App failingUpgrade,
        @Nullable Operation operation,
        @Nullable String component,
        int members,
        Set<String> claims,
        Probe probe) {
    static final Set<String> CLAIMS = Set.of("upgrade", "rollback", "members", "operations", "usage");

    /** A version of the app as commands carry it. */
    record App(String version, ObjectNode manifest, ObjectNode config) {
        private App with(JsonNode variant) {
            return new App(
                    variant.path("app_version").asText(version),
                    merged(manifest, variant.path("manifest")),
                    merged(config, variant.path("config")));
        }

        private static ObjectNode merged(ObjectNode base, JsonNode over) {
            var merged = base.deepCopy();
            over.properties().forEach(field -> merged.set(field.getKey(), field.getValue()));
            return merged;
        }

        @Nullable
        JsonNode outputSchema(String operation) {
            for (var declared : manifest.path("operations")) {
                if (declared.path("name").asText().equals(operation)) {
                    return declared.get("output_schema");
                }
            }
            return null;
        }
    }

    /** A declared operation; with {@code longInput} it would not end by itself while the kit waits. */
    record Operation(
            String name, ObjectNode input, @Nullable ObjectNode longInput) {}

    /** How an endpoint is asked: for its health, and for what tells one launch from another. */
    record Probe(
            String health,
            @Nullable String launchPath,
            @Nullable String launchPointer) {}

    static final class ProfileException extends RuntimeException {
        ProfileException(String message) {
            super(message);
        }
    }

    /** The one that fits the process adapter's example app. */
    static Profile example() throws IOException {
        try (var in = Profile.class.getResourceAsStream("echo.json")) {
            return of(java.util.Objects.requireNonNull(in).readAllBytes(), "the example profile");
        }
    }

    static Profile read(Path file) throws IOException {
        return of(Files.readAllBytes(file), file.toString());
    }

    /** Throws one message that names everything wrong. */
    private static Profile of(byte[] bytes, String where) throws IOException {
        var json = Json.parse(bytes);
        var faults = new ArrayList<String>();
        var manifest = object(json, "manifest", faults);
        var plain = new App(manifest.path("version").asText(), manifest, optional(json, "config"));
        var operation = json.path("operation");
        var probe = json.path("probe");
        var upgraded = json.has("upgrade") ? plain.with(json.path("upgrade")) : null;
        var profile = new Profile(
                manifest.path("runtime_backend").asText(),
                manifest.path("app").asText(),
                plain,
                json.has("slow") ? plain.with(json.path("slow")) : null,
                json.has("failing") ? plain.with(json.path("failing")) : null,
                upgraded,
                upgraded != null && json.has("failing") ? upgraded.with(json.path("failing")) : null,
                operation.isObject() ? operation(operation, faults) : null,
                json.path("component").isTextual() ? json.path("component").asText() : null,
                json.path("members").asInt(0),
                claims(json, faults),
                new Probe(
                        probe.path("health").asText("/"),
                        probe.path("launch").isTextual() ? probe.path("launch").asText() : null,
                        probe.path("launch_pointer").isTextual()
                                ? probe.path("launch_pointer").asText()
                                : null));
        faults.addAll(profile.faults());
        if (!faults.isEmpty()) {
            throw new ProfileException(where + ": " + String.join("; ", faults));
        }
        return profile;
    }

    private List<String> faults() {
        var faults = new ArrayList<String>();
        var schema = ManifestSchema.load();
        for (var app : new @Nullable App[] {plain, slow, failing, upgraded}) {
            if (app != null) {
                schema.faults(app.manifest)
                        .forEach(fault -> faults.add("manifest" + fault.field() + " " + fault.problem()));
            }
        }
        if (claims.contains("upgrade") && upgraded == null) {
            faults.add("upgrade is claimed, but there is no \"upgrade\" to go to");
        }
        if (claims.contains("rollback") && !claims.contains("upgrade")) {
            faults.add("rollback is claimed without upgrade, which it goes back from");
        }
        if (claims.contains("operations") && operation == null) {
            faults.add("operations are claimed, but there is no \"operation\" to call");
        }
        if (claims.contains("members") && (component == null || members < 1)) {
            faults.add("members are claimed, but there is no \"component\" and number of \"members\"");
        }
        if (claims.contains("usage") && plain.manifest.path("usage_units").isEmpty()) {
            faults.add("usage is claimed, but the manifest has no usage_units");
        }
        return faults;
    }

    private static Set<String> claims(JsonNode json, List<String> faults) {
        var claims = new TreeSet<String>();
        json.path("claims").forEach(claim -> claims.add(claim.asText()));
        claims.stream()
                .filter(claim -> !CLAIMS.contains(claim))
                .forEach(claim -> faults.add("\"" + claim + "\" is not one of the claims " + new TreeSet<>(CLAIMS)));
        return claims;
    }

    private static Operation operation(JsonNode json, List<String> faults) {
        return new Operation(
                json.path("name").asText(),
                object(json, "input", faults),
                json.get("long_input") instanceof ObjectNode input ? input : null);
    }

    private static ObjectNode object(JsonNode json, String field, List<String> faults) {
        if (json.get(field) instanceof ObjectNode object) {
            return object;
        }
        faults.add(field + " is not an object");
        return Json.object();
    }

    private static ObjectNode optional(JsonNode json, String field) {
        return json.get(field) instanceof ObjectNode object ? object : Json.object();
    }
}

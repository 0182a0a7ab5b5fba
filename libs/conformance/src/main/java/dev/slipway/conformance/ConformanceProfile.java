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
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The description of an adapter for the kit: an app to deploy, its slow and failing variants, and the claimed parts of the protocol.
 *
 * @param slow variant that needs a few seconds to start, if any
 * @param failing variant that never starts, if any
 * @param upgraded the next version, if any
 * @param component component key of added members, if any
 * @param sharedRuntime the app as a shared runtime, if any
 * @param reportsUsagePeriodically whether usage is reported while an instance runs, within the kit's patience
 */
record ConformanceProfile(
        String backend,
        String appSlug,
        App base,
        @Nullable App slow,
        @Nullable App failing,
        @Nullable App upgraded,
        @Nullable App failingUpgrade,
        @Nullable Operation operation,
        @Nullable String component,
        int members,
        Set<String> claims,
        boolean reportsUsagePeriodically,
        @Nullable SharedRuntime sharedRuntime,
        EndpointProbe probe) {
    static final Set<String> CLAIMS =
            Set.of("upgrade", "rollback", "members", "operations", "usage", "shared_runtimes");

    private static final Set<String> VARIANT_FIELDS = Set.of("app_version", "manifest", "config");

    /** The fields of the profile; a field with an empty set has no fixed fields of its own. */
    private static final Map<String, Set<String>> FIELDS = Map.ofEntries(
            Map.entry("manifest", Set.of()),
            Map.entry("config", Set.of()),
            Map.entry("slow", VARIANT_FIELDS),
            Map.entry("failing", VARIANT_FIELDS),
            Map.entry("upgrade", VARIANT_FIELDS),
            Map.entry("operation", Set.of("name", "input", "long_input")),
            Map.entry("component", Set.of()),
            Map.entry("members", Set.of()),
            Map.entry("claims", Set.of()),
            Map.entry("periodic_usage", Set.of()),
            Map.entry(
                    "shared_runtime", Set.of("manifest", "config", "app_version", "controller", "worker", "operation")),
            Map.entry("probe", Set.of("health", "launch", "launch_pointer")));

    /** A version of the app. */
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

    /** A declared operation; with {@code longInput} it runs longer than the kit waits. */
    record Operation(
            String name, ObjectNode input, @Nullable ObjectNode longInput) {}

    /** An app as a shared runtime: its components, and an operation that attached projects submit. */
    record SharedRuntime(App app, String controller, String worker, Operation operation) {}

    /** The paths to check the health of an endpoint and to identify a launch. */
    record EndpointProbe(
            String health,
            @Nullable String launchPath,
            @Nullable String launchPointer) {}

    static final class ProfileException extends RuntimeException {
        ProfileException(String message) {
            super(message);
        }
    }

    /** Returns the profile of the process adapter's echo app. */
    static ConformanceProfile example() throws IOException {
        try (var in = ConformanceProfile.class.getResourceAsStream("echo.json")) {
            return of(java.util.Objects.requireNonNull(in).readAllBytes(), "the example profile");
        }
    }

    static ConformanceProfile read(Path file) throws IOException {
        return of(Files.readAllBytes(file), file.toString());
    }

    /** Throws one exception that lists all faults. */
    private static ConformanceProfile of(byte[] bytes, String where) throws IOException {
        var json = Json.parse(bytes);
        var faults = findUnknownFields(json);
        var manifest = object(json, "manifest", faults);
        var plain = new App(manifest.path("version").asText(), manifest, optional(json, "config"));
        var operation = json.path("operation");
        var probe = json.path("probe");
        var upgraded = json.has("upgrade") ? plain.with(json.path("upgrade")) : null;
        var profile = new ConformanceProfile(
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
                json.path("periodic_usage").asBoolean(),
                json.has("shared_runtime") ? sharedRuntime(plain, json.path("shared_runtime"), faults) : null,
                new EndpointProbe(
                        probe.path("health").asText("/"),
                        probe.path("launch").isTextual() ? probe.path("launch").asText() : null,
                        probe.path("launch_pointer").isTextual()
                                ? probe.path("launch_pointer").asText()
                                : null));
        faults.addAll(profile.findFaults());
        if (!faults.isEmpty()) {
            throw new ProfileException(where + ": " + String.join("; ", faults));
        }
        return profile;
    }

    private static List<String> findUnknownFields(JsonNode json) {
        var faults = new ArrayList<String>();
        json.properties().forEach(field -> {
            var known = FIELDS.get(field.getKey());
            if (known == null) {
                faults.add("\"" + field.getKey() + "\" is not a field of a profile");
            } else if (!known.isEmpty()) {
                field.getValue().properties().stream()
                        .filter(inner -> !known.contains(inner.getKey()))
                        .forEach(inner ->
                                faults.add("\"" + inner.getKey() + "\" is not a field of \"" + field.getKey() + "\""));
            }
        });
        return faults;
    }

    private List<String> findFaults() {
        var faults = new ArrayList<String>();
        var schema = ManifestSchema.load();
        for (var app :
                new @Nullable App[] {base, slow, failing, upgraded, sharedRuntime == null ? null : sharedRuntime.app}) {
            if (app != null) {
                schema.validate(app.manifest)
                        .forEach(fault -> faults.add("manifest" + fault.field() + " " + fault.problem()));
            }
        }
        if (claims.contains("upgrade") && upgraded == null) {
            faults.add("upgrade is claimed, but \"upgrade\" is missing");
        }
        if (claims.contains("rollback") && !claims.contains("upgrade")) {
            faults.add("rollback is claimed without upgrade");
        }
        if (claims.contains("operations") && operation == null) {
            faults.add("operations are claimed, but \"operation\" is missing");
        }
        if (claims.contains("members") && (component == null || members < 1)) {
            faults.add("members are claimed, but \"component\" or \"members\" is missing");
        }
        if (claims.contains("shared_runtimes") && sharedRuntime == null) {
            faults.add("shared_runtimes are claimed, but \"shared_runtime\" is missing");
        }
        if (claims.contains("usage") && base.manifest.path("usage_units").isEmpty()) {
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

    private static SharedRuntime sharedRuntime(App plain, JsonNode json, List<String> faults) {
        return new SharedRuntime(
                plain.with(json),
                json.path("controller").asText("controller"),
                json.path("worker").asText("worker"),
                operation(json.path("operation"), faults));
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

package dev.slipway.catalog.app.manifest;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.catalog.app.manifest.ManifestProblem.Code;
import dev.slipway.contract.CanonicalJson;
import dev.slipway.contract.ManifestSchema;
import dev.slipway.contract.UntrustedSchema;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Validates a manifest on its own: its schema, and rules that a schema cannot express. */
public final class ManifestRules {
    /** Fields that a draft may omit, but a published version needs. */
    private static final List<String> REQUIRED_TO_PUBLISH = List.of(
            "/lifecycle/upgrade",
            "/lifecycle/rollback",
            "/lifecycle/delete",
            "/deadlines/deploy_seconds",
            "/deadlines/delete_seconds",
            "/failure_policy",
            "/runbook");

    private final ManifestSchema schema;

    public ManifestRules(ManifestSchema schema) {
        this.schema = schema;
    }

    public JsonNode schemaDocument() {
        return schema.document();
    }

    /** Returns all problems. {@code slug} and {@code version} are the expected identity; null accepts any. */
    public List<ManifestProblem> validate(JsonNode manifest, @Nullable String slug, @Nullable String version) {
        var problems = new ArrayList<ManifestProblem>();
        for (var problem : schema.validate(manifest)) {
            problems.add(new ManifestProblem(
                    problem.field().equals("body") ? "" : problem.field(), Code.SHAPE, problem.problem()));
        }
        checkNumbers("", manifest, problems);
        if (!problems.isEmpty()) {
            return problems; // the other checks rely on a valid structure
        }
        checkIdentity(manifest, "app", slug, problems);
        checkIdentity(manifest, "version", version, problems);
        checkRequired(manifest, problems);
        checkLaunch(manifest.path("launch"), problems);
        checkComponents(manifest, problems);
        checkOperations(manifest.path("operations"), problems);
        checkSharedRuntime(manifest, problems);
        checkRollback(manifest.path("lifecycle"), manifest.path("version").asText(), problems);
        return problems;
    }

    private static void checkNumbers(String at, JsonNode node, List<ManifestProblem> problems) {
        if (node.isNumber() && !CanonicalJson.hasCanonicalForm(node)) {
            problems.add(new ManifestProblem(at, Code.SHAPE, "is outside the range of a double"));
        }
        node.properties()
                .forEach(field -> checkNumbers(at + "/" + escapePointer(field.getKey()), field.getValue(), problems));
        if (node.isArray()) {
            for (var i = 0; i < node.size(); i++) {
                checkNumbers(at + "/" + i, node.get(i), problems);
            }
        }
    }

    private static void checkIdentity(
            JsonNode manifest, String field, @Nullable String wanted, List<ManifestProblem> problems) {
        if (wanted != null && !manifest.path(field).asText().equals(wanted)) {
            problems.add(new ManifestProblem("/" + field, Code.IDENTITY, "is not " + wanted));
        }
    }

    private static void checkRequired(JsonNode manifest, List<ManifestProblem> problems) {
        for (var pointer : REQUIRED_TO_PUBLISH) {
            if (manifest.at(pointer).isMissingNode()) {
                problems.add(new ManifestProblem(pointer, Code.MISSING, "is required for publication"));
            }
        }
    }

    private static void checkLaunch(JsonNode launch, List<ManifestProblem> problems) {
        if (launch.isMissingNode()) {
            return;
        }
        var before = problems.size();
        checkSchema("/launch/schema", launch.path("schema"), problems);
        if (problems.size() > before) {
            return;
        }
        var properties = launch.path("schema").path("properties");
        for (var i = 0; i < launch.path("locked").size(); i++) {
            var name = launch.path("locked").get(i).asText();
            if (!properties.has(name)) {
                problems.add(new ManifestProblem(
                        "/launch/locked/" + i, Code.UNKNOWN_PROPERTY, "is not a property of launch.schema"));
            } else if (!properties.path(name).has("default")) {
                problems.add(new ManifestProblem(
                        "/launch/locked/" + i, Code.UNKNOWN_PROPERTY, "has no default, which a locked property needs"));
            }
        }
    }

    private static void checkSchema(String at, JsonNode foreign, List<ManifestProblem> problems) {
        for (var problem : UntrustedSchema.validate(at, foreign)) {
            problems.add(new ManifestProblem(problem.field(), Code.INVALID_SCHEMA, problem.problem()));
        }
    }

    private static void checkComponents(JsonNode manifest, List<ManifestProblem> problems) {
        var components = manifest.path("components");
        checkUnique("/components", components, "key", problems);
        var keys = new HashSet<String>();
        components.forEach(component -> keys.add(component.path("key").asText()));
        for (var i = 0; i < components.size(); i++) {
            var min = components.get(i).path("min").asInt();
            var max = components.get(i).path("max").asInt();
            if (min > max) {
                problems.add(
                        new ManifestProblem("/components/" + i + "/min", Code.BOUNDS, "is greater than max, " + max));
            }
            var start = components.get(i).path("default").asInt(min);
            if (min <= max && (start < min || start > max)) {
                problems.add(new ManifestProblem(
                        "/components/" + i + "/default", Code.BOUNDS, "is not between " + min + " and " + max));
            }
        }
        for (var list : List.of("endpoints", "artifacts")) {
            var items = manifest.path(list);
            checkUnique("/" + list, items, "name", problems);
            for (var i = 0; i < items.size(); i++) {
                if (items.get(i).has("component")
                        && !keys.contains(items.get(i).path("component").asText())) {
                    problems.add(new ManifestProblem(
                            "/" + list + "/" + i + "/component",
                            Code.UNKNOWN_COMPONENT,
                            "is not the key of a component"));
                }
            }
        }
    }

    private static void checkOperations(JsonNode operations, List<ManifestProblem> problems) {
        checkUnique("/operations", operations, "name", problems);
        for (var i = 0; i < operations.size(); i++) {
            for (var field : List.of("input_schema", "output_schema")) {
                if (operations.get(i).has(field)) {
                    checkSchema(
                            "/operations/" + i + "/" + field, operations.get(i).path(field), problems);
                }
            }
        }
    }

    private static void checkSharedRuntime(JsonNode manifest, List<ManifestProblem> problems) {
        var shared = manifest.path("shared_runtime");
        checkNames(
                "/shared_runtime/worker_components",
                shared.path("worker_components"),
                manifest.path("components").findValuesAsText("key"),
                new ManifestProblem("", Code.UNKNOWN_COMPONENT, "is not the key of a component"),
                problems);
        checkNames(
                "/shared_runtime/project_operations",
                shared.path("project_operations"),
                manifest.path("operations").findValuesAsText("name"),
                new ManifestProblem("", Code.UNKNOWN_PROPERTY, "is not the name of an operation"),
                problems);
        if (shared.has("app_policy_schema")) {
            checkSchema("/shared_runtime/app_policy_schema", shared.path("app_policy_schema"), problems);
        }
    }

    private static void checkNames(
            String at, JsonNode names, List<String> known, ManifestProblem unknown, List<ManifestProblem> problems) {
        for (var i = 0; i < names.size(); i++) {
            if (!known.contains(names.get(i).asText())) {
                problems.add(new ManifestProblem(at + "/" + i, unknown.code(), unknown.message()));
            }
        }
    }

    /** A rollback returns to the version before an upgrade, so the upgrade must accept that version. */
    private static void checkRollback(JsonNode lifecycle, String version, List<ManifestProblem> problems) {
        var rollback = lifecycle.path("rollback");
        if (rollback.isMissingNode() || rollback.path("strategy").asText().equals("unsupported")) {
            return;
        }
        if (lifecycle.path("upgrade").path("strategy").asText("unsupported").equals("unsupported")) {
            problems.add(new ManifestProblem(
                    "/lifecycle/rollback/strategy", Code.UNREACHABLE_ROLLBACK, "needs a supported upgrade strategy"));
            return;
        }
        var from = texts(lifecycle.path("upgrade").path("from"));
        var to = rollback.path("to");
        for (var i = 0; i < to.size(); i++) {
            var target = to.get(i).asText();
            if (target.equals(version) || (!from.isEmpty() && !from.contains(target))) {
                problems.add(new ManifestProblem(
                        "/lifecycle/rollback/to/" + i,
                        Code.UNREACHABLE_ROLLBACK,
                        "is not accepted by lifecycle.upgrade.from"));
            }
        }
    }

    private static void checkUnique(String at, JsonNode items, String field, List<ManifestProblem> problems) {
        var seen = new HashSet<String>();
        for (var i = 0; i < items.size(); i++) {
            if (!seen.add(items.get(i).path(field).asText())) {
                problems.add(new ManifestProblem(at + "/" + i + "/" + field, Code.DUPLICATE, "is a duplicate"));
            }
        }
    }

    private static Set<String> texts(JsonNode array) {
        var found = new HashSet<String>();
        array.forEach(each -> found.add(each.asText()));
        return found;
    }

    private static String escapePointer(String name) {
        return name.replace("~", "~0").replace("/", "~1");
    }
}

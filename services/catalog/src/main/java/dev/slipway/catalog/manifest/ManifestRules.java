package dev.slipway.catalog.manifest;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.catalog.manifest.ManifestProblem.Code;
import dev.slipway.contract.CanonicalJson;
import dev.slipway.contract.ForeignSchema;
import dev.slipway.contract.ManifestSchema;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What can be said of a manifest by itself: its shape, and what a schema cannot say. Knows no registry and no other version. */
public final class ManifestRules {
    /** Without these nobody could run it: publication is refused. */
    private static final List<String> NEEDED = List.of(
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

    public JsonNode document() {
        return schema.document();
    }

    /** {@code slug} and {@code version}: what it has to be of; null where anything will do. */
    public List<ManifestProblem> problems(JsonNode manifest, @Nullable String slug, @Nullable String version) {
        var problems = new ArrayList<ManifestProblem>();
        for (var fault : schema.faults(manifest)) {
            problems.add(new ManifestProblem(
                    fault.field().equals("body") ? "" : fault.field(), Code.SHAPE, fault.problem()));
        }
        checkNumbers("", manifest, problems);
        if (!problems.isEmpty()) {
            return problems; // the rest reads what may not be there
        }
        checkIdentity(manifest, "app", slug, problems);
        checkIdentity(manifest, "version", version, problems);
        checkNeeded(manifest, problems);
        checkLaunch(manifest.path("launch"), problems);
        checkComponents(manifest, problems);
        checkOperations(manifest.path("operations"), problems);
        checkRollback(manifest.path("lifecycle"), manifest.path("version").asText(), problems);
        return problems;
    }

    private static void checkNumbers(String at, JsonNode node, List<ManifestProblem> problems) {
        if (node.isNumber() && !CanonicalJson.isWritable(node)) {
            problems.add(new ManifestProblem(at, Code.SHAPE, "is beyond the range of a double"));
        }
        node.properties()
                .forEach(field -> checkNumbers(at + "/" + escaped(field.getKey()), field.getValue(), problems));
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

    private static void checkNeeded(JsonNode manifest, List<ManifestProblem> problems) {
        for (var pointer : NEEDED) {
            if (manifest.at(pointer).isMissingNode()) {
                problems.add(new ManifestProblem(pointer, Code.MISSING, "is needed before it can be published"));
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
                        "/launch/locked/" + i,
                        Code.UNKNOWN_PROPERTY,
                        "has no default, so it would never have a value"));
            }
        }
    }

    private static void checkSchema(String at, JsonNode foreign, List<ManifestProblem> problems) {
        for (var fault : ForeignSchema.faults(at, foreign)) {
            problems.add(new ManifestProblem(fault.field(), Code.INVALID_SCHEMA, fault.problem()));
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
                problems.add(new ManifestProblem("/components/" + i + "/min", Code.BOUNDS, "is more than max, " + max));
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

    /** An instance goes back to where it came from: there has to be a way that it came. */
    private static void checkRollback(JsonNode lifecycle, String version, List<ManifestProblem> problems) {
        var rollback = lifecycle.path("rollback");
        if (rollback.isMissingNode() || rollback.path("strategy").asText().equals("unsupported")) {
            return;
        }
        if (lifecycle.path("upgrade").path("strategy").asText("unsupported").equals("unsupported")) {
            problems.add(new ManifestProblem(
                    "/lifecycle/rollback/strategy",
                    Code.UNREACHABLE_ROLLBACK,
                    "has nothing to go back to, since no upgrade leads here"));
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
                        "is not a version that lifecycle.upgrade.from lets an instance come from"));
            }
        }
    }

    private static void checkUnique(String at, JsonNode items, String field, List<ManifestProblem> problems) {
        var seen = new HashSet<String>();
        for (var i = 0; i < items.size(); i++) {
            if (!seen.add(items.get(i).path(field).asText())) {
                problems.add(new ManifestProblem(at + "/" + i + "/" + field, Code.DUPLICATE, "is there already"));
            }
        }
    }

    private static Set<String> texts(JsonNode array) {
        var found = new HashSet<String>();
        array.forEach(each -> found.add(each.asText()));
        return found;
    }

    private static String escaped(String name) {
        return name.replace("~", "~0").replace("/", "~1");
    }
}

package dev.slipway.instances.appinstance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem.FieldProblem;
import dev.slipway.contract.UntrustedSchema;
import dev.slipway.instances.appinstance.domain.AppInstance.LifecycleSettings;
import dev.slipway.instances.appinstance.domain.Component;
import dev.slipway.instances.appinstance.domain.ManifestSpec;
import dev.slipway.instances.appinstance.domain.ManifestSpec.Deadlines;
import dev.slipway.instances.appinstance.domain.ManifestSpec.SharedRuntimeSupport;
import dev.slipway.instances.appinstance.domain.MemberOperation;
import dev.slipway.instances.appinstance.domain.ResolvedConfig;
import dev.slipway.instances.appinstance.domain.UpgradeRule;
import dev.slipway.operations.domain.Refusal.InvalidField;
import dev.slipway.operations.domain.TextEnum;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A published manifest, parsed and with its launch schema compiled.
 *
 * @param revision of the version that it was read with
 * @param launchSchema the schema of the launch parameters; null if every object is accepted
 * @param hasPatterns whether validation may be slow, because the schema contains regular expressions
 */
public record CompiledManifest(
        JsonNode manifest,
        ManifestSpec spec,
        long revision,
        @Nullable UntrustedSchema launchSchema,
        boolean hasPatterns) {
    private static final String CONFIG = "/config";
    private static final int DEFAULT_DEADLINE_SECONDS = 1_800;

    static CompiledManifest compile(String text, @Nullable String registryVersions, long revision) {
        var manifest = Json.parseStoredObject(text);
        var schema = manifest.path("launch").path("schema");
        var spec = new ManifestSpec(
                text,
                new LifecycleSettings(
                        (int) deadline(manifest, "delete_seconds").toSeconds(),
                        manifest.path("failure_policy").asText().equals("reap"),
                        registryVersions),
                new Deadlines(
                        deadline(manifest, "deploy_seconds"),
                        deadline(manifest, "upgrade_seconds"),
                        deadline(manifest, "rollback_seconds"),
                        deadline(manifest, "member_seconds")),
                upgradeRule(manifest, "upgrade", "from"),
                upgradeRule(manifest, "rollback", "to"),
                components(manifest),
                texts(manifest.path("usage_units")),
                new SharedRuntimeSupport(
                        manifest.path("shared_runtime").path("supported").asBoolean(),
                        texts(manifest.path("shared_runtime").path("worker_components")),
                        texts(manifest.path("shared_runtime").path("project_operations"))));
        return new CompiledManifest(
                manifest,
                spec,
                revision,
                schema.isMissingNode() ? null : UntrustedSchema.of("launch.schema", schema),
                schema.toString().contains("\"pattern"));
    }

    /** Returns the declared operation of that name; null if there is none. */
    public @Nullable DeclaredOperation findOperation(String name) {
        for (var operation : manifest.path("operations")) {
            if (operation.path("name").asText().equals(name)) {
                return new DeclaredOperation(operation);
            }
        }
        return null;
    }

    /** Validates the policy of an attachment that the app defines. Slow: the schema is compiled, and is untrusted. */
    public List<FieldProblem> validateAppPolicy(JsonNode policy) {
        var problems = new ArrayList<FieldProblem>();
        var schema = manifest.path("shared_runtime").path("app_policy_schema");
        if (schema.isObject()) {
            UntrustedSchema.of("shared_runtime.app_policy_schema", schema)
                    .validateValue("/app_policy", policy, problems);
        } else if (!policy.isEmpty()) {
            problems.add(new FieldProblem("/app_policy", "is not supported by this version of the app"));
        }
        return problems;
    }

    JsonNode artifacts() {
        return manifest.path("artifacts").isArray() ? manifest.path("artifacts") : Json.array();
    }

    /** Applies the version's defaults, checks its locks and validates its schema. */
    public ResolvedConfig resolve(String config) {
        if (launchSchema == null) {
            return new ResolvedConfig(config, List.of());
        }
        var launch = manifest.path("launch");
        var parameters = Json.parseStoredObject(config);
        var problems = new ArrayList<FieldProblem>();
        checkLocks(launch, parameters, problems);
        applyDefaults(launch.path("schema"), parameters);
        launchSchema.validateValue(CONFIG, parameters, problems);
        return new ResolvedConfig(
                Json.text(parameters),
                problems.stream()
                        .map(each -> new InvalidField(each.field(), each.problem()))
                        .toList());
    }

    /** Returns the parameters of another version without those that this version locks. */
    public String carryOver(String config) {
        var parameters = Json.parseStoredObject(config);
        manifest.path("launch").path("locked").forEach(name -> parameters.remove(name.asText()));
        return Json.text(parameters);
    }

    private static void checkLocks(JsonNode launch, ObjectNode parameters, List<FieldProblem> problems) {
        for (var locked : launch.path("locked")) {
            var name = locked.asText();
            var value = parameters.path(name);
            if (!value.isMissingNode()
                    && !value.equals(
                            launch.path("schema").path("properties").path(name).path("default"))) {
                problems.add(new FieldProblem(
                        CONFIG + "/" + name.replace("~", "~0").replace("/", "~1"), "is locked: leave it out"));
            }
        }
    }

    private static void applyDefaults(JsonNode schema, ObjectNode parameters) {
        for (var property : schema.path("properties").properties()) {
            var name = property.getKey();
            var of = property.getValue();
            if (!parameters.has(name) && of.has("default")) {
                parameters.set(name, of.get("default").deepCopy());
            }
            if (parameters.get(name) instanceof ObjectNode inner) {
                applyDefaults(of, inner);
            }
        }
    }

    private static Duration deadline(JsonNode manifest, String name) {
        return Duration.ofSeconds(manifest.path("deadlines").path(name).asInt(DEFAULT_DEADLINE_SECONDS));
    }

    private static UpgradeRule upgradeRule(JsonNode manifest, String name, String versionsField) {
        var rule = manifest.path("lifecycle").path(name);
        var versions = new ArrayList<String>();
        rule.path(versionsField).forEach(version -> versions.add(version.asText()));
        return new UpgradeRule(rule.path("strategy").asText("unsupported"), versions);
    }

    private static List<Component> components(JsonNode manifest) {
        var components = new ArrayList<Component>();
        for (var component : manifest.path("components")) {
            var allowed = EnumSet.noneOf(MemberOperation.class);
            component
                    .path("operations")
                    .forEach(name -> allowed.add(TextEnum.parse(MemberOperation.class, name.asText())));
            var min = component.path("min").asInt();
            components.add(new Component(
                    component.path("key").asText(),
                    min,
                    component.path("max").asInt(),
                    component.path("default").asInt(min),
                    allowed));
        }
        return components;
    }

    private static Set<String> texts(JsonNode array) {
        var texts = new HashSet<String>();
        array.forEach(each -> texts.add(each.asText()));
        return texts;
    }
}

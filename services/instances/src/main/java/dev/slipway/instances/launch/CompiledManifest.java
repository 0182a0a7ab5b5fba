package dev.slipway.instances.launch;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.Problem.FieldProblem;
import dev.slipway.contract.UntrustedSchema;
import dev.slipway.instances.launch.domain.AppVersionRef;
import dev.slipway.instances.launch.domain.LifecycleSettings;
import dev.slipway.instances.launch.domain.ManifestSpec;
import dev.slipway.instances.launch.domain.ManifestSpec.Deadlines;
import dev.slipway.instances.launch.domain.ManifestSpec.SharedRuntimeSupport;
import dev.slipway.instances.launch.domain.ResolvedConfig;
import dev.slipway.instances.launch.domain.UpgradeRule;
import dev.slipway.instances.member.domain.Component;
import dev.slipway.instances.member.domain.MemberOperation;
import dev.slipway.operations.domain.Refusal.InvalidField;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
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

    /** The fields of a manifest that decisions on instances depend on. */
    private record ManifestFields(
            @Nullable DeadlineFields deadlines,
            @Nullable String failurePolicy,
            @Nullable LifecycleFields lifecycle,
            @Nullable List<ComponentFields> components,
            @Nullable Set<String> usageUnits,
            @Nullable SharedRuntimeFields sharedRuntime) {}

    private record DeadlineFields(
            @Nullable Integer deploySeconds,
            @Nullable Integer upgradeSeconds,
            @Nullable Integer rollbackSeconds,
            @Nullable Integer memberSeconds,
            @Nullable Integer deleteSeconds) {
        private static final DeadlineFields DEFAULT = new DeadlineFields(null, null, null, null, null);
    }

    private record LifecycleFields(
            @Nullable RuleFields upgrade, @Nullable RuleFields rollback) {}

    private record RuleFields(
            @Nullable String strategy,
            @Nullable List<String> from,
            @Nullable List<String> to) {
        private static final UpgradeRule UNSUPPORTED = new UpgradeRule("unsupported", List.of());

        UpgradeRule toRule(@Nullable List<String> versions) {
            return new UpgradeRule(
                    strategy == null ? UNSUPPORTED.strategy() : strategy, versions == null ? List.of() : versions);
        }
    }

    private record ComponentFields(
            String key,
            int min,
            int max,
            @JsonProperty("default") @Nullable Integer initial,
            @Nullable Set<MemberOperation> operations) {
        Component toComponent() {
            var allowed = EnumSet.noneOf(MemberOperation.class);
            if (operations != null) {
                allowed.addAll(operations);
            }
            return new Component(key, min, max, initial == null ? min : initial, allowed);
        }
    }

    private record SharedRuntimeFields(
            boolean supported,
            @Nullable Set<String> workerComponents,
            @Nullable Set<String> projectOperations) {
        SharedRuntimeSupport toSupport() {
            return new SharedRuntimeSupport(
                    supported,
                    workerComponents == null ? Set.of() : workerComponents,
                    projectOperations == null ? Set.of() : projectOperations);
        }
    }

    public static CompiledManifest compile(String text, @Nullable String registryVersions, long revision) {
        var manifest = Json.parseStoredObject(text);
        var schema = manifest.path("launch").path("schema");
        var fields = Json.toRecord(manifest, ManifestFields.class);
        var deadlines = fields.deadlines == null ? DeadlineFields.DEFAULT : fields.deadlines;
        var lifecycle = fields.lifecycle == null ? new LifecycleFields(null, null) : fields.lifecycle;
        var spec = new ManifestSpec(
                text,
                new LifecycleSettings(
                        (int) deadline(deadlines.deleteSeconds).toSeconds(),
                        "reap".equals(fields.failurePolicy),
                        registryVersions),
                new Deadlines(
                        deadline(deadlines.deploySeconds),
                        deadline(deadlines.upgradeSeconds),
                        deadline(deadlines.rollbackSeconds),
                        deadline(deadlines.memberSeconds)),
                lifecycle.upgrade == null ? RuleFields.UNSUPPORTED : lifecycle.upgrade.toRule(lifecycle.upgrade.from),
                lifecycle.rollback == null ? RuleFields.UNSUPPORTED : lifecycle.rollback.toRule(lifecycle.rollback.to),
                fields.components == null
                        ? List.of()
                        : fields.components.stream()
                                .map(ComponentFields::toComponent)
                                .toList(),
                fields.usageUnits == null ? Set.of() : fields.usageUnits,
                fields.sharedRuntime == null
                        ? new SharedRuntimeSupport(false, Set.of(), Set.of())
                        : fields.sharedRuntime.toSupport());
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

    /** Returns an operation of the version; rejects a name that it does not declare. */
    public DeclaredOperation requireOperation(AppVersionRef app, String name) {
        var declared = findOperation(name);
        if (declared == null) {
            throw Problem.of(
                            ErrorCode.OPERATION_UNKNOWN,
                            "Version " + app.version() + " of " + app.slug() + " declares no operation " + name + ".")
                    .asException();
        }
        return declared;
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

    public JsonNode artifacts() {
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

    private static Duration deadline(@Nullable Integer seconds) {
        return Duration.ofSeconds(seconds == null ? DEFAULT_DEADLINE_SECONDS : seconds);
    }
}

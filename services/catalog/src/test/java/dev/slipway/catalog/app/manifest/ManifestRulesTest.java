package dev.slipway.catalog.app.manifest;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.contract.ManifestSchema;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

import static org.assertj.core.api.Assertions.assertThat;

class ManifestRulesTest {
    private static final ManifestRules RULES = new ManifestRules(ManifestSchema.load());

    @Test
    void validate_isEmpty_whenManifestIsComplete() {
        assertThat(problems(manifest -> {})).isEmpty();
    }

    @Test
    void validate_reportsOnlyShape_whenManifestIsMalformed() {
        assertThat(problems(manifest -> {
                    manifest.put("surprise", 1);
                    manifest.put("runtime_backend", "Main frame");
                    manifest.remove("app");
                    manifest.withObject("/runtime").put("n", new java.math.BigDecimal("1e999"));
                    component(manifest).put("min", 9);
                }))
                .containsExactlyInAnyOrder(
                        "/surprise shape", "/runtime_backend shape", "/app shape", "/runtime/n shape");
    }

    @Test
    void validate_reportsIdentity_whenAppOrVersionDiffers() {
        var problems = RULES.validate(manifest(), "another", "2.0.0");

        assertThat(problems.stream().map(ManifestProblem::pointer)).containsExactly("/app", "/version");
        assertThat(problems).allMatch(problem -> problem.code().isStructural());
    }

    @Test
    @Proves({"2.70", "2.71"})
    void validate_reportsMissing_whenPublicationFieldsAreAbsent() {
        assertThat(problems(
                        manifest -> manifest.remove(List.of("lifecycle", "deadlines", "failure_policy", "runbook"))))
                .containsExactly(
                        "/lifecycle/upgrade missing",
                        "/lifecycle/rollback missing",
                        "/lifecycle/delete missing",
                        "/deadlines/deploy_seconds missing",
                        "/deadlines/delete_seconds missing",
                        "/failure_policy missing",
                        "/runbook missing");
        assertThat(problems(manifest ->
                        manifest.withObject("/runbook").putArray("triage").add("logs")))
                .containsExactly("/runbook/triage/0 shape");
    }

    @Test
    @Proves("1.93")
    void validate_reportsBoundsAndDuplicates_ofComponents() {
        assertThat(problems(manifest -> component(manifest).put("min", 4))).containsExactly("/components/0/min bounds");
        assertThat(problems(manifest -> component(manifest).put("default", 9)))
                .containsExactly("/components/0/default bounds");
        assertThat(problems(manifest ->
                        manifest.withArray("components").add(component(manifest).deepCopy())))
                .containsExactly("/components/1/key duplicate");
        assertThat(problems(manifest ->
                        ((ObjectNode) manifest.withArray("endpoints").get(0)).put("component", "nobody")))
                .containsExactly("/endpoints/0/component unknown_component");
    }

    @Test
    void validate_checksLaunchSchema_defaultsAndLockedProperties() {
        assertThat(problems(manifest -> property(manifest, "size").put("default", 99)))
                .containsExactly("/launch/schema/properties/size/default invalid_schema");
        assertThat(problems(manifest -> property(manifest, "size").put("type", "number-ish")))
                .containsOnly("/launch/schema/properties/size/type invalid_schema");
        assertThat(problems(manifest ->
                        operation(manifest).withObject("/input_schema").put("$ref", "https://elsewhere.example/")))
                .containsExactly("/operations/0/input_schema/$ref invalid_schema");
        assertThat(problems(manifest -> manifest.withObject("/launch")
                        .putArray("locked")
                        .add("size")
                        .add("nothing")
                        .add("note")))
                .containsExactly("/launch/locked/1 unknown_property", "/launch/locked/2 unknown_property");
    }

    @Test
    void validate_reportsUnreachableRollback_whenUpgradeDoesNotAcceptTarget() {
        assertThat(problems(manifest ->
                        manifest.withObject("/lifecycle").withObject("/upgrade").put("strategy", "unsupported")))
                .containsExactly("/lifecycle/rollback/strategy unreachable_rollback");
        assertThat(problems(manifest -> {
                    manifest.withObject("/lifecycle")
                            .withObject("/upgrade")
                            .putArray("from")
                            .add("0.9.0");
                    manifest.withObject("/lifecycle")
                            .withObject("/rollback")
                            .putArray("to")
                            .add("0.9.0")
                            .add("0.8.0")
                            .add("1.0.0");
                }))
                .containsExactly(
                        "/lifecycle/rollback/to/1 unreachable_rollback",
                        "/lifecycle/rollback/to/2 unreachable_rollback");
        assertThat(problems(manifest -> {
                    manifest.withObject("/lifecycle").withObject("/upgrade").put("strategy", "unsupported");
                    manifest.withObject("/lifecycle").withObject("/rollback").put("strategy", "unsupported");
                }))
                .isEmpty();
    }

    @Test
    void validate_reportsDuplicate_ofOperationNames() {
        assertThat(problems(manifest ->
                        manifest.withArray("operations").add(operation(manifest).deepCopy())))
                .containsExactly("/operations/1/name duplicate");
    }

    private static List<String> problems(Consumer<ObjectNode> change) {
        var manifest = manifest();
        change.accept(manifest);
        return RULES.validate(manifest, null, null).stream()
                .map(problem -> problem.pointer() + " " + problem.code().name().toLowerCase(Locale.ROOT))
                .toList();
    }

    private static ObjectNode component(ObjectNode manifest) {
        return (ObjectNode) manifest.withArray("components").get(0);
    }

    private static ObjectNode operation(ObjectNode manifest) {
        return (ObjectNode) manifest.withArray("operations").get(0);
    }

    private static ObjectNode property(ObjectNode manifest, String name) {
        return manifest.withObject("/launch")
                .withObject("/schema")
                .withObject("/properties")
                .withObject("/" + name);
    }

    private static ObjectNode manifest() {
        return Json.parseStoredObject("""
                {"app": "slurm", "version": "1.0.0", "runtime_backend": "slurm", "runtime": {"profile": "small"},
                 "launch": {"schema": {"type": "object", "properties": {"size": {"type": "integer", "maximum": 8, "default": 2},
                                                                        "note": {"type": "string"}}}, "locked": ["size"]},
                 "components": [{"key": "worker", "min": 1, "max": 3, "default": 2, "operations": ["cordon", "uncordon"]}],
                 "endpoints": [{"name": "ssh", "protocol": "ssh", "component": "worker", "connect": "copy"}],
                 "artifacts": [{"name": "image", "type": "runtime_image", "digest": "sha256:%s", "component": "worker"}],
                 "required_actions": ["apps.instance.report"],
                 "operations": [{"name": "queue.submit", "action": "scheduler.queue.submit", "deadline_seconds": 30,
                                 "input_schema": {"type": "object"}, "output_schema": {"type": "object"}}],
                 "lifecycle": {"upgrade": {"strategy": "rolling"}, "rollback": {"strategy": "in_place"}, "delete": {"data": "retained"}},
                 "deadlines": {"deploy_seconds": 600, "delete_seconds": 600}, "failure_policy": "reap", "usage_units": ["gpu_hour"],
                 "runbook": {"url": "https://example.com/slurm", "triage": ["correlation_id", "trace"]}}
                """.formatted("0".repeat(64)));
    }
}

package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient.ApiResponse;
import dev.slipway.testkit.ApiClient.Call;

import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.stream.LongStream;
import java.util.stream.StreamSupport;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** An app with a version for every lifecycle case, in the demo project. */
record InstanceFixture(PlatformUnderTest platform) {
    static final String APP = "harbor";
    private static final UUID APP_ID = UUID.fromString("01900000-0000-7000-8000-00000000b000");
    private static final String PARAMETERS = """
            {"schema": {"type": "object", "additionalProperties": false, "required": ["berths"], "properties": {
                "berths": {"type": "integer", "minimum": 1, "maximum": 8},
                "name": {"type": "string", "pattern": "^[a-z]+$", "default": "pier"},
                "crane": {"type": "object", "properties": {"load": {"type": "integer", "default": 7}}, "default": {}},
                "flag": {"type": "string", "default": "blue"}}},
             "locked": ["flag"]}""";

    /** Inserts the app into the instances service's read model. */
    void insertApp() {
        platform.database().execute("""
                INSERT INTO instances.app_catalog (id, slug, status, revision) VALUES ('%s', 'harbor', 'active', 1);
                INSERT INTO instances.project_app_entitlements (id, org_id, project_id, app_id, enabled, policy_overrides, revision)
                SELECT gen_random_uuid(), org_id, id, '%s', true, '{}', 1 FROM instances.projects WHERE slug = 'playground'
                """.formatted(APP_ID, APP_ID));
        var ways = "'lifecycle': {'upgrade': {'strategy': 'rolling'}, 'rollback': {'strategy': 'redeploy'}}";
        version("1.0.0", "bare_metal", "active", "{}");
        version("1.1.0", "bare_metal", "active", "{" + ways + "}");
        version(
                "1.2.0",
                "bare_metal",
                "active",
                "{'lifecycle': {'upgrade': {'strategy': 'rolling', 'from': ['1.1.0']}}}");
        version("1.3.0", "k8s", "active", "{" + ways + "}");
        version("1.4.0", "bare_metal", "deprecated", "{" + ways + "}");
        version("1.5.0", "bare_metal", "active", "{" + ways + ", 'deadlines': {'upgrade_seconds': 1}}");
        version("2.0.0", "bare_metal", "active", "{'launch': " + PARAMETERS.replace('"', '\'') + ", " + ways + "}");
        version("brief", "k8s", "active", "{'deadlines': {'deploy_seconds': 1, 'delete_seconds': 1}}");
        version("reaped", "k8s", "active", "{'deadlines': {'deploy_seconds': 1}, 'failure_policy': 'reap'}");
        version("reaping", "bare_metal", "active", "{'failure_policy': 'reap'}");
        version("disabled", "bare_metal", "disabled", "{}");
    }

    /** Inserts a version; each has a later registry version of its product. */
    private void version(String name, String backend, String status, String manifest) {
        platform.database().execute("""
                INSERT INTO instances.app_versions (id, app_id, version, runtime_backend, status, manifest, revision, registry_versions)
                SELECT gen_random_uuid(), '%1$s', '%2$s', '%3$s', '%4$s', '%5$s', 1,
                    jsonb_build_object('product', jsonb_build_object('harbor', 1 + count(*)))
                FROM instances.app_versions WHERE app_id = '%1$s'
                """.formatted(
                APP_ID, name, backend, status, manifest.replace('\'', '"').replace("'", "''")));
    }

    ObjectNode body(String version) {
        return Json.object().put("app_slug", APP).put("version", version).put("display_name", "harbor " + version);
    }

    Call launch(String version) {
        return platform.launch("project_owner", "").body(body(version));
    }

    /** Launches an instance and waits until it runs. */
    String launchRunning(String version) {
        var id = launch(version).send().expect(202).text("id");
        awaitStatus(id, "running");
        return id;
    }

    Call call(String operation, String instance) {
        return platform.instance(operation, "project_owner", instance);
    }

    ApiResponse instance(String id) {
        return call("getAppInstance", id).send().expect(200);
    }

    /** Returns the registry version of the product that the instance was launched with. */
    int productVersion(String id) {
        return instance(id).body().at("/registry_versions/product/harbor").asInt();
    }

    void awaitStatus(String id, String status) {
        eventually(() -> assertThat(instance(id).text("status")).isEqualTo(status));
    }

    Call upgrade(String id, String version) {
        return call("upgradeAppInstance", id).body(Json.object().put("version", version));
    }

    Call rollback(String id) {
        return call("rollbackAppInstance", id).body(Json.object());
    }

    Call operation(String call, String instance, String operation) {
        return call(call, instance).path("operation_id", operation);
    }

    ApiResponse operation(String instance, String operation) {
        return operation("getInstanceOperation", instance, operation).send().expect(200);
    }

    void awaitOperation(String instance, String operation, String status) {
        eventually(
                () -> assertThat(operation(instance, operation).text("status")).isEqualTo(status));
    }

    /** Returns the operations of an instance, newest first. */
    List<JsonNode> operations(String instance) {
        var items = call("listInstanceOperations", instance).send().expect(200).body();
        return StreamSupport.stream(items.path("items").spliterator(), false).toList();
    }

    /** Returns the types of an instance's events, without their common prefix. */
    List<String> eventTypes(String instance) {
        return platform
                .events()
                .find(observedRecord -> observedRecord.topic().equals("instances.events")
                        && observedRecord.key().equals(instance))
                .stream()
                .map(observedRecord -> observedRecord.type().replaceFirst("^apps\\.instance[._]", ""))
                .toList();
    }

    static String statusAndCode(ApiResponse apiResponse) {
        return String.format(Locale.ROOT, "%d %s", apiResponse.status(), apiResponse.text("code"));
    }

    dev.slipway.testkit.ApiClient.ApiResponse forceDelete(String user, String id) {
        return platform.instance("adminForceDeleteAppInstance", user, id)
                .header("X-Break-Glass-Reason", "its cluster is gone for good")
                .body(Json.object().put("reason", "its cluster is gone"))
                .send();
    }

    void assertAudited(String action, String instance) {
        eventually(() -> assertThat(platform.events()
                        .find(observedRecord -> observedRecord.type().equals("audit.recorded")
                                && observedRecord
                                        .payload()
                                        .path("action")
                                        .asText()
                                        .equals(action)
                                && observedRecord
                                        .payload()
                                        .path("target_id")
                                        .asText()
                                        .equals(instance)
                                && observedRecord
                                        .payload()
                                        .path("result")
                                        .asText()
                                        .equals("success")))
                .isNotEmpty());
    }

    void assertNumberedWithoutGap(String id) {
        eventually(() -> {
            var numbers = platform
                    .events()
                    .find(observedRecord -> observedRecord.topic().equals("instances.events")
                            && observedRecord.key().equals(id))
                    .stream()
                    .map(observedRecord ->
                            observedRecord.payload().path("sequence").asLong())
                    .toList();
            assertThat(numbers)
                    .isEqualTo(LongStream.rangeClosed(1, numbers.size()).boxed().toList());
            assertThat(platform.database()
                            .query("SELECT sequence FROM instances.app_instances WHERE id = '" + id + "'"))
                    .isEqualTo(String.valueOf(numbers.size()));
        });
    }
}

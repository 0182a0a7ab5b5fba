package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient.ApiResponse;
import dev.slipway.testkit.ApiClient.Call;

import java.util.List;
import java.util.stream.StreamSupport;

import static dev.slipway.testkit.Eventually.eventually;
import static dev.slipway.testkit.Eventually.eventuallyGet;
import static org.assertj.core.api.Assertions.assertThat;

/** Calls of the member tests, on instances of one app version in the demo project. */
record MemberCalls(PlatformUnderTest platform, String version) {
    ObjectNode counts(String component, int count) {
        var body = PlatformUnderTest.launchBody("counted").put("version", version);
        body.putObject("components").put(component, count);
        return body;
    }

    ApiResponse launch(ObjectNode body) {
        platform.awaitReplication();
        return platform.as("project_owner")
                .call("createAppInstance")
                .path("project_id", DemoData.PROJECT)
                .body(body)
                .send();
    }

    ApiResponse canceled(String id, ApiResponse operation) {
        var accepted = operation.expect(202);
        platform.instance("cancelInstanceOperation", "project_owner", id)
                .path("operation_id", accepted.text("id"))
                .send()
                .expect(202);
        return ended(accepted);
    }

    JsonNode used(String id) {
        return eventuallyGet(() -> StreamSupport.stream(
                        platform.as("project_owner")
                                .call("getProjectUsage")
                                .path("project_id", DemoData.PROJECT)
                                .query("limit=500")
                                .send()
                                .expect(200)
                                .body()
                                .path("items")
                                .spliterator(),
                        false)
                .filter(item -> item.path("app_instance_id").asText().equals(id))
                .findFirst()
                .orElseThrow());
    }

    List<?> rejections(String id, String code) {
        return platform.events()
                .find(observedRecord -> observedRecord.type().equals("runtime.report.rejected")
                        && observedRecord
                                .payload()
                                .path("app_instance_id")
                                .asText()
                                .equals(id)
                        && observedRecord.payload().path("code").asText().equals(code));
    }

    String launch(String name) {
        return launch(PlatformUnderTest.launchBody(name).put("version", version))
                .expect(202)
                .text("id");
    }

    String running(String name) {
        var id = launch(name);
        eventually(() -> assertThat(platform.instance("getAppInstance", "project_viewer", id)
                        .send()
                        .text("status"))
                .isEqualTo("running"));
        return id;
    }

    List<JsonNode> members(String id) {
        return items(platform.instance("listInstanceMembers", "project_viewer", id));
    }

    List<JsonNode> timeline(String id) {
        return items(platform.instance("getInstanceTimeline", "project_viewer", id));
    }

    List<JsonNode> items(Call call) {
        return StreamSupport.stream(
                        call.query("limit=500")
                                .send()
                                .expect(200)
                                .body()
                                .path("items")
                                .spliterator(),
                        false)
                .toList();
    }

    /** Returns the ids of the component's ready members. */
    List<String> ready(String id, String component) {
        return members(id).stream()
                .filter(member -> member.path("component").asText().equals(component)
                        && member.path("observed_state").asText().equals("ready"))
                .map(member -> member.path("id").asText())
                .toList();
    }

    ApiResponse member(String operation, String id, String memberId) {
        return platform.instance(operation, "project_viewer", id)
                .path("member_id", memberId)
                .send();
    }

    JsonNode one(String id, String memberId) {
        return member("getInstanceMember", id, memberId).expect(200).body();
    }

    String state(String id, String memberId) {
        var member = one(id, memberId);
        return member.path("observed_state").asText() + "/"
                + member.path("desired_state").asText() + "/"
                + member.path("generation").asInt();
    }

    ObjectNode on(String operation, String memberId) {
        return Json.object().put("operation", operation).put("member_id", memberId);
    }

    Call call(String id, JsonNode body) {
        return call("project_owner", id, body);
    }

    Call call(String user, String id, JsonNode body) {
        return platform.instance("operateInstanceMember", user, id).body(body);
    }

    ApiResponse operate(String id, JsonNode body) {
        return call(id, body).send();
    }

    /** Waits until the operation has succeeded. */
    @CanIgnoreReturnValue
    JsonNode operated(String id, JsonNode body) {
        var ended = ended(operate(id, body).expect(202));
        assertThat(ended.text("status")).as("%s", ended.body()).isEqualTo("succeeded");
        return ended.body();
    }

    ApiResponse run(String user, String id, JsonNode body) {
        return platform.instance("runInstanceOperation", user, id).body(body).send();
    }

    ApiResponse ended(ApiResponse accepted) {
        return eventuallyGet(() -> {
            var now = platform.instance("getInstanceOperation", "project_viewer", accepted.text("app_instance_id"))
                    .path("operation_id", accepted.text("id"))
                    .send()
                    .expect(200);
            assertThat(now.text("status")).isIn("succeeded", "failed", "canceled");
            return now;
        });
    }

    /** Publishes the version of the demo app that the tests launch. */
    void publishVersion() {
        var admin = platform.as("platform_superadmin");
        var body = Json.object();
        body.set("manifest", manifest());
        admin.call("registerAppVersion")
                .path("app_slug", DemoData.APP)
                .body(body)
                .send()
                .expect(201);
        admin.call("publishAppVersion")
                .path("app_slug", DemoData.APP)
                .path("version", version)
                .send()
                .expect(200);
    }

    private ObjectNode manifest() {
        var manifest = Json.parseStoredObject(DemoData.manifest()).put("version", version);
        manifest.set("components", Json.parseStoredObject("""
                {"all": [{"key": "server", "min": 1, "max": 1},
                         {"key": "worker", "min": 1, "max": 3, "default": 2, "operations": ["cordon", "uncordon", "label"]}]}
                """).path("all"));
        manifest.set("operations", Json.parseStoredObject("""
                {"all": [{"name": "queue.submit", "action": "scheduler.queue.submit", "deadline_seconds": 60,
                          "input_schema": {"type": "object", "required": ["size"], "additionalProperties": false,
                                           "properties": {"size": {"type": "integer", "minimum": 1}}},
                          "output_schema": {"type": "object", "required": ["ticket"], "properties": {"ticket": {"type": "string"}}}},
                         {"name": "ping", "action": "apps.instance.read", "deadline_seconds": 60}]}
                """).path("all"));
        manifest.set("usage_units", Json.array().add("app_runtime_hour").add("token"));
        return manifest;
    }
}

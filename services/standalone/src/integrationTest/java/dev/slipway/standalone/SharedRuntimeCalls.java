package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient.ApiResponse;
import dev.slipway.testkit.ApiClient.Call;
import dev.slipway.testkit.EventTap.ObservedRecord;

import java.util.List;
import java.util.UUID;
import java.util.stream.LongStream;
import java.util.stream.StreamSupport;

import static dev.slipway.testkit.Eventually.eventually;
import static dev.slipway.testkit.Eventually.eventuallyGet;
import static org.assertj.core.api.Assertions.assertThat;

/** Calls of the shared-runtime tests, by the owner of the demo tenant and by its projects. */
record SharedRuntimeCalls(PlatformUnderTest platform) {
    static final String VERSION = "5.0.0";
    static final String NEXT_VERSION = "5.1.0";
    /** Its worker operations and detachments have short deadlines. */
    static final String HASTY_VERSION = "5.2.0";

    /** Publishes versions that support shared runtimes, and allows the control plane scope tenant. */
    void prepare() {
        new PolicyCalls(platform).global().replace("{'allowed_control_plane_scopes': ['project', 'tenant']}", "{}");
        publish(VERSION, 60);
        publish(NEXT_VERSION, 60);
        publish(HASTY_VERSION, 2);
        platform.awaitReplication();
    }

    private void publish(String version, int memberSeconds) {
        var admin = platform.as("platform_superadmin");
        var manifest = Json.parseStoredObject(DemoData.manifest()).put("version", version);
        manifest.setAll(Json.parseStoredObject("""
                {"components": [{"key": "server", "min": 1, "max": 1},
                                {"key": "worker", "min": 0, "max": 40, "default": 1, "operations": ["cordon", "uncordon", "label"]}],
                 "operations": [{"name": "work.submit", "action": "scheduler.queue.submit", "deadline_seconds": 60},
                                {"name": "work.purge", "action": "scheduler.queue.cancel", "deadline_seconds": 60}],
                 "shared_runtime": {"supported": true, "worker_components": ["worker"], "project_operations": ["work.submit"],
                     "app_policy_schema": {"type": "object", "additionalProperties": false,
                         "properties": {"share": {"type": "integer", "minimum": 1}}}}}
                """));
        ((ObjectNode) manifest.path("deadlines")).put("member_seconds", memberSeconds);
        var body = Json.object();
        body.set("manifest", manifest);
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

    static ObjectNode createBody(String environment) {
        return Json.object()
                .put("app_slug", DemoData.APP)
                .put("app_version", VERSION)
                .put("display_name", "Shared " + environment)
                .put("environment", environment);
    }

    Call create(ObjectNode body) {
        return platform.as("tenant_owner")
                .call("createSharedRuntime")
                .path("org_id", DemoData.ORG)
                .body(body);
    }

    /** Creates a runtime and waits until it runs. */
    String running(ObjectNode body) {
        var id = create(body).send().expect(202).text("id");
        awaitStatus(id, "running");
        return id;
    }

    /** Creates a runtime whose attached projects may contribute two workers and have two unfinished operations. */
    String runningWith(String environment, UUID... projects) {
        var body = createBody(environment);
        body.putObject("contribution_policy").put("allowed", true).put("max_workers", 2);
        body.putObject("submission_policy").put("allowed", true).put("max_concurrent", 2);
        var attached = body.putArray("attached_project_ids");
        for (var project : projects) {
            attached.add(project.toString());
        }
        return running(body);
    }

    Call owner(String operationId, String runtime) {
        return owner(operationId, "tenant_owner", runtime);
    }

    Call owner(String operationId, String user, String runtime) {
        return platform.as(user).call(operationId).path("org_id", DemoData.ORG).path("shared_runtime_id", runtime);
    }

    Call project(String operationId, UUID project, String runtime) {
        return project(operationId, "tenant_owner", project, runtime);
    }

    Call project(String operationId, String user, UUID project, String runtime) {
        return platform.as(user).call(operationId).path("project_id", project).path("shared_runtime_id", runtime);
    }

    void awaitStatus(String runtime, String status) {
        eventually(() -> assertThat(
                        owner("getSharedRuntime", runtime).send().expect(200).text("status"))
                .isEqualTo(status));
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

    List<JsonNode> attachments(String runtime) {
        return items(owner("listAttachments", runtime));
    }

    JsonNode attachmentOf(String runtime, UUID project) {
        return attachments(runtime).stream()
                .filter(each -> each.path("project_id").asText().equals(project.toString()))
                .findFirst()
                .orElseThrow();
    }

    Call attachment(String operationId, String runtime, String attachment) {
        return owner(operationId, runtime).path("attachment_id", attachment);
    }

    void awaitAttachment(String runtime, String attachment, String status) {
        eventually(() -> assertThat(attachment("getAttachment", runtime, attachment)
                        .send()
                        .expect(200)
                        .text("status"))
                .isEqualTo(status));
    }

    ObjectNode add(String component) {
        return Json.object().put("operation", "add").put("component", component);
    }

    ObjectNode on(String operation, String worker) {
        return Json.object().put("operation", operation).put("worker_id", worker);
    }

    Call submit(UUID project, String runtime, String operation) {
        return project("submitOperation", project, runtime).body(Json.object().put("operation", operation));
    }

    /** Waits until an operation has ended, and returns it. */
    ApiResponse ended(String runtime, ApiResponse accepted) {
        return eventuallyGet(() -> {
            var now = owner("getSharedRuntimeOperation", runtime)
                    .path("operation_id", accepted.text("id"))
                    .send()
                    .expect(200);
            assertThat(now.text("status")).isIn("succeeded", "failed", "canceled");
            return now;
        });
    }

    /** Contributes a worker of a project and returns its id. */
    @CanIgnoreReturnValue
    String contribute(UUID project, String runtime) {
        var accepted = project("operateContributedWorker", project, runtime)
                .body(add("worker").put("allocation_ref", "rack-7"))
                .send()
                .expect(202);
        assertThat(ended(runtime, accepted).text("status")).isEqualTo("succeeded");
        return accepted.text("member_id");
    }

    List<ObservedRecord> events(String runtime) {
        return platform.events()
                .find(observed -> observed.topic().equals("instances.events")
                        && observed.key().equals(runtime));
    }

    List<String> eventTypes(String runtime) {
        return events(runtime).stream().map(ObservedRecord::type).toList();
    }

    ObservedRecord command(String kind, String runtime) {
        return eventuallyGet(() -> platform.events()
                .find(observed -> observed.type().equals("runtime.command." + kind)
                        && observed.key().equals(runtime))
                .get(0));
    }

    void assertNumberedWithoutGap(String runtime) {
        eventually(() -> {
            var numbers = events(runtime).stream()
                    .map(observed -> observed.payload().path("sequence").asLong())
                    .toList();
            assertThat(numbers)
                    .isEqualTo(LongStream.rangeClosed(1, numbers.size()).boxed().toList());
            assertThat(platform.database()
                            .query("SELECT sequence FROM instances.shared_runtimes WHERE id = '" + runtime + "'"))
                    .isEqualTo(String.valueOf(numbers.size()));
        });
    }

    void assertAudited(String action, String runtime) {
        eventually(() -> assertThat(platform.events()
                        .find(observed -> observed.type().equals("audit.recorded")
                                && observed.payload().path("action").asText().equals(action)
                                && observed.payload().path("target_id").asText().equals(runtime)
                                && observed.payload().path("result").asText().equals("success")))
                .isNotEmpty());
    }
}

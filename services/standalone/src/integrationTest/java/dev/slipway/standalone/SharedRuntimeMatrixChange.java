package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient.Call;

import java.util.List;
import java.util.UUID;
import java.util.stream.StreamSupport;

import static org.assertj.core.api.Assertions.assertThat;

/** The changes of a shared runtime, of its attachments and of its workers. */
enum SharedRuntimeMatrixChange implements MatrixChange {
    CREATE("create", "deployed"),
    ATTACH("", ""),
    ADD_WORKER("add", "member add "),
    SUBMIT("job.submit", "operated job.submit"),
    DETACH("detach", "member remove "),
    DELETE("delete", "deleted");

    private final String operation;
    private final String effect;

    SharedRuntimeMatrixChange(String operation, String effect) {
        this.operation = operation;
        this.effect = effect;
    }

    @Override
    public List<String> steps() {
        return switch (this) {
            case CREATE ->
                List.of(
                        "apps.shared_runtime.requested",
                        "apps.shared_runtime.operation.accepted",
                        "runtime.command.deploy",
                        "runtime.report.deploying",
                        "apps.shared_runtime.deploying",
                        "apps.shared_runtime.operation.running",
                        "runtime.report.running",
                        "apps.shared_runtime.running",
                        "apps.shared_runtime.operation.succeeded");
            case ATTACH ->
                List.of("apps.shared_runtime.attachment.requested", "apps.shared_runtime.attachment.attached");
            case ADD_WORKER ->
                List.of(
                        "apps.shared_runtime.operation.accepted",
                        "runtime.command.member",
                        "apps.shared_runtime.operation.running",
                        "runtime.report.operation",
                        "apps.shared_runtime.operation.succeeded");
            case SUBMIT ->
                List.of(
                        "apps.shared_runtime.operation.accepted",
                        "runtime.command.operate",
                        "apps.shared_runtime.operation.running",
                        "runtime.report.operation",
                        "apps.shared_runtime.operation.succeeded");
            case DETACH ->
                List.of(
                        "apps.shared_runtime.attachment.detaching",
                        "apps.shared_runtime.operation.accepted",
                        "runtime.command.member",
                        "apps.shared_runtime.operation.running",
                        "runtime.report.operation",
                        "apps.shared_runtime.attachment.detached",
                        "apps.shared_runtime.operation.succeeded");
            case DELETE ->
                List.of(
                        "apps.shared_runtime.attachment.detaching",
                        "apps.shared_runtime.operation.accepted",
                        "runtime.command.member",
                        "apps.shared_runtime.operation.running",
                        "runtime.report.operation",
                        "apps.shared_runtime.attachment.detached",
                        "apps.shared_runtime.operation.succeeded",
                        "apps.shared_runtime.deleting",
                        "runtime.command.delete",
                        "runtime.report.deleted",
                        "apps.shared_runtime.deleted");
        };
    }

    @Override
    public String effect() {
        return effect;
    }

    @Override
    public String auditAction() {
        // An operation of the app is audited with the action that its manifest names.
        return this == SUBMIT ? "apps.instance.update" : "apps.shared_runtime.";
    }

    /** Creates what the change needs: each change needs the result of the one before it, except that a worker need not work. */
    @Override
    public UUID prepare(ProcessCluster processCluster, String key) {
        if (this == CREATE) {
            return null;
        }
        var before = key + "-before";
        var runtime = KillMatrix.complete(processCluster, CREATE, null, CREATE.call(processCluster, null, before));
        for (var change : List.of(ATTACH, ADD_WORKER)) {
            if (compareTo(change) > 0) {
                var step = before + "-" + change.name().toLowerCase(java.util.Locale.ROOT);
                KillMatrix.complete(processCluster, change, runtime, change.call(processCluster, runtime, step));
            }
        }
        return runtime;
    }

    @Override
    public Call call(ProcessCluster processCluster, UUID runtime, String key) {
        return switch (this) {
            case CREATE ->
                KillMatrix.withKey(processCluster.tenantOwner().call("createSharedRuntime"), key)
                        .path("org_id", DemoData.ORG)
                        .body(createBody(key));
            case ATTACH ->
                owner(processCluster, "createAttachment", runtime, key)
                        .body(Json.object().put("project_id", DemoData.PROJECT.toString()));
            case ADD_WORKER ->
                project(processCluster, "operateContributedWorker", runtime, key)
                        .body(Json.object().put("operation", "add").put("component", "worker"));
            case SUBMIT -> {
                var body = Json.object().put("operation", operation);
                body.putObject("input").put("message", "hello");
                yield project(processCluster, "submitOperation", runtime, key).body(body);
            }
            case DETACH ->
                owner(processCluster, "deleteAttachment", runtime, key)
                        .path("attachment_id", attachment(processCluster, runtime))
                        .query("mode=drain");
            case DELETE ->
                owner(processCluster, "deleteSharedRuntime", runtime, key).query("mode=drain");
        };
    }

    @Override
    public void assertCompleted(ProcessCluster processCluster, UUID runtime) {
        if (!operation.isEmpty()) {
            var operations = list(processCluster, "listSharedRuntimeOperations", runtime);
            assertThat(operations.stream()
                            .filter(each -> each.path("operation").asText().equals(operation))
                            .map(each -> each.path("status").asText()))
                    .as("%s of %s: %s", this, runtime, operations)
                    .containsExactly("succeeded");
        }
        assertThat(owner(processCluster, "getSharedRuntime", runtime, "")
                        .send()
                        .expect(200)
                        .text("status"))
                .isEqualTo(this == DELETE ? "deleted" : "running");
        assertThat(list(processCluster, "listAttachments", runtime))
                .extracting(each -> each.path("status").asText())
                .isEqualTo(attachments());
        assertThat(list(processCluster, "listWorkers", runtime))
                .filteredOn(each -> each.path("source").asText().equals("project"))
                .extracting(each -> each.path("observed_state").asText())
                .isEqualTo(workers());
    }

    private List<String> attachments() {
        return switch (this) {
            case CREATE -> List.of();
            case ATTACH, ADD_WORKER, SUBMIT -> List.of("attached");
            case DETACH, DELETE -> List.of("detached");
        };
    }

    private List<String> workers() {
        return switch (this) {
            case CREATE, ATTACH -> List.of();
            case ADD_WORKER, SUBMIT -> List.of("ready");
            case DETACH, DELETE -> List.of("removed");
        };
    }

    private static ObjectNode createBody(String key) {
        var body = Json.object()
                .put("app_slug", DemoData.CLUSTER_APP)
                .put("app_version", DemoData.VERSION)
                .put("display_name", key)
                .put("environment", key);
        body.putObject("contribution_policy").put("allowed", true).put("max_workers", 2);
        body.putObject("submission_policy").put("allowed", true).put("max_concurrent", 2);
        return body;
    }

    private static String attachment(ProcessCluster processCluster, UUID runtime) {
        return list(processCluster, "listAttachments", runtime)
                .get(0)
                .path("id")
                .asText();
    }

    private static List<JsonNode> list(ProcessCluster processCluster, String operationId, UUID runtime) {
        var page = owner(processCluster, operationId, runtime, "")
                .send()
                .expect(200)
                .body();
        return StreamSupport.stream(page.path("items").spliterator(), false).toList();
    }

    private static Call owner(ProcessCluster processCluster, String operationId, UUID runtime, String key) {
        return addressed(processCluster.tenantOwner().call(operationId).path("org_id", DemoData.ORG), runtime, key);
    }

    private static Call project(ProcessCluster processCluster, String operationId, UUID runtime, String key) {
        return addressed(processCluster.owner().call(operationId).path("project_id", DemoData.PROJECT), runtime, key);
    }

    private static Call addressed(Call call, UUID runtime, String key) {
        var onRuntime = call.path("shared_runtime_id", runtime);
        return key.isEmpty() ? onRuntime : KillMatrix.withKey(onRuntime, key);
    }
}

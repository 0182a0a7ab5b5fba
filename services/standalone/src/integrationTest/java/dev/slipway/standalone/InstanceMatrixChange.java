package dev.slipway.standalone;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient.Call;

import java.util.List;
import java.util.UUID;
import java.util.stream.StreamSupport;

import static org.assertj.core.api.Assertions.assertThat;

/** The changes of an app instance. */
enum InstanceMatrixChange implements MatrixChange {
    CREATE("create", "deployed", "running"),
    OPERATE("echo.ping", "operated echo.ping", "running"),
    UPGRADE("upgrade", "upgraded " + DemoData.NEXT_VERSION, "running"),
    DELETE("delete", "deleted", "deleted");

    private final String operation;
    private final String effect;
    private final String status;

    InstanceMatrixChange(String operation, String effect, String status) {
        this.operation = operation;
        this.effect = effect;
        this.status = status;
    }

    @Override
    public List<String> steps() {
        return switch (this) {
            case CREATE ->
                List.of(
                        "apps.instance.requested",
                        "apps.instance_operation.accepted",
                        "runtime.command.deploy",
                        "runtime.report.deploying",
                        "apps.instance.deploying",
                        "apps.instance_operation.running",
                        "runtime.report.running",
                        "apps.instance.running",
                        "apps.instance_operation.succeeded");
            case OPERATE ->
                List.of(
                        "apps.instance_operation.accepted",
                        "runtime.command.operate",
                        "apps.instance_operation.running",
                        "runtime.report.operation",
                        "apps.instance_operation.succeeded");
            case UPGRADE ->
                List.of(
                        "apps.instance_operation.accepted",
                        "runtime.command.upgrade",
                        "apps.instance_operation.running",
                        "runtime.report.operation",
                        "apps.instance.upgraded",
                        "apps.instance_operation.succeeded");
            case DELETE ->
                List.of(
                        "apps.instance.deleting",
                        "apps.instance_operation.accepted",
                        "runtime.command.delete",
                        "apps.instance_operation.running",
                        "runtime.report.deleted",
                        "apps.instance.deleted",
                        "apps.instance_operation.succeeded");
        };
    }

    @Override
    public String effect() {
        return effect;
    }

    @Override
    public String auditAction() {
        return "apps.instance.";
    }

    @Override
    public UUID prepare(ProcessCluster processCluster, String key) {
        if (this == CREATE) {
            return null;
        }
        var version = this == OPERATE ? DemoData.NEXT_VERSION : DemoData.VERSION;
        return KillMatrix.complete(processCluster, CREATE, null, create(processCluster, key + "-before", version));
    }

    @Override
    public Call call(ProcessCluster processCluster, UUID instance, String key) {
        return switch (this) {
            case CREATE -> create(processCluster, key, DemoData.VERSION);
            case OPERATE -> {
                var body = Json.object().put("operation", operation);
                body.putObject("input").put("message", "hello");
                yield call(processCluster, "runInstanceOperation", key)
                        .path("app_instance_id", instance)
                        .body(body);
            }
            case UPGRADE ->
                call(processCluster, "upgradeAppInstance", key)
                        .path("app_instance_id", instance)
                        .body(Json.object().put("version", DemoData.NEXT_VERSION));
            case DELETE -> call(processCluster, "deleteAppInstance", key).path("app_instance_id", instance);
        };
    }

    @Override
    public void assertCompleted(ProcessCluster processCluster, UUID instance) {
        var operations = call(processCluster, "listInstanceOperations", "")
                .path("app_instance_id", instance)
                .send()
                .expect(200)
                .body();
        assertThat(StreamSupport.stream(operations.path("items").spliterator(), false)
                        .filter(each -> each.path("operation").asText().equals(operation))
                        .map(each -> each.path("status").asText()))
                .as("%s of %s", this, instance)
                .containsExactly("succeeded");
        assertThat(call(processCluster, "getAppInstance", "")
                        .path("app_instance_id", instance)
                        .send()
                        .expect(200)
                        .text("status"))
                .isEqualTo(status);
    }

    private static Call create(ProcessCluster processCluster, String key, String version) {
        return call(processCluster, "createAppInstance", key).body(body(key, version));
    }

    private static ObjectNode body(String key, String version) {
        return Json.object()
                .put("app_slug", DemoData.APP)
                .put("version", version)
                .put("display_name", key);
    }

    private static Call call(ProcessCluster processCluster, String operationId, String key) {
        var call = processCluster.owner().call(operationId).path("project_id", DemoData.PROJECT);
        return key.isEmpty() ? call : KillMatrix.withKey(call, key);
    }
}

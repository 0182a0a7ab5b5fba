package dev.slipway.standalone;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.authz.Binding.Level;
import dev.slipway.authz.Decision.Verdict;
import dev.slipway.authz.ResourceScope;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient;
import dev.slipway.testkit.Proves;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;

import static dev.slipway.standalone.TenantCalls.statusAndCode;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests decisions and changes at the boundary of a project or tenant. */
class ScopeBoundaryTest extends RoleMatrixTestBase {
    @Test
    void decision_isDenied_outsideTheProjectOrTenantOfTheRole() {
        for (var action : RoleMatrix.ALLOWLIST) {
            assertThat(decide("project_owner", action, DemoData.SIBLING_PROJECT))
                    .isEqualTo(Verdict.NOT_BOUND);
            assertThat(decide("service_account", action, DemoData.SIBLING_PROJECT))
                    .isEqualTo(Verdict.NOT_BOUND);
            assertThat(decide("service_account", action, DemoData.OTHER_PROJECT))
                    .isEqualTo(Verdict.NOT_BOUND);
            assertThat(decide("tenant_owner", action, DemoData.OTHER_PROJECT)).isEqualTo(Verdict.NOT_BOUND);
            assertThat(decide("other_tenant_owner", action, DemoData.PROJECT)).isEqualTo(Verdict.NOT_BOUND);
            assertThat(decide("tenant_admin", action, DemoData.SIBLING_PROJECT)).isEqualTo(Verdict.ALLOWED);
        }
        assertThat(requireNonNull(authorizer()
                                .decide(
                                        principal("project_owner"),
                                        "apps.instance.read",
                                        ResourceScope.project(DemoData.PROJECT),
                                        Instant.now())
                                .grantedBy())
                        .level())
                .isEqualTo(Level.PROJECT);
        assertThat(requireNonNull(authorizer()
                                .decide(
                                        principal("tenant_owner"),
                                        "apps.instance.read",
                                        ResourceScope.project(DemoData.PROJECT),
                                        Instant.now())
                                .grantedBy())
                        .level())
                .isEqualTo(Level.ORGANIZATION);
    }

    @Test
    void decision_isDenied_whenTheAccountsListLacksTheAction() {
        var operator =
                requireNonNull(platform.platform().serviceContext().authz().principal(DemoData.OTHER_OPERATOR));

        assertThat(authorizer()
                        .decide(
                                operator,
                                "apps.instance.member.operate",
                                ResourceScope.project(DemoData.OTHER_PROJECT),
                                Instant.now())
                        .verdict())
                .isEqualTo(Verdict.NOT_ALLOWLISTED);
        assertThat(authorizer()
                        .decide(
                                operator,
                                "apps.instance.read",
                                ResourceScope.project(DemoData.OTHER_PROJECT),
                                Instant.now())
                        .verdict())
                .isEqualTo(Verdict.ALLOWED);
    }

    @Test
    @Proves({"1.72", "2.26"})
    void foreignInstance_isNotFound_underAnyProject() {
        var foreign = launch("other tenant's", "other_tenant_owner");
        var sibling = launch("sibling", "tenant_owner");
        var missing = new UUID(0x0190_0000_0000_7000L, 0x8000_0000_0000_ffffL).toString();

        var bodies = new LinkedHashMap<String, ObjectNode>();
        bodies.put("getAppInstance", null);
        bodies.put("deleteAppInstance", null);
        bodies.put("upgradeAppInstance", Json.object().put("version", "1.0.1"));
        bodies.put("rollbackAppInstance", Json.object());
        bodies.put("runInstanceOperation", Json.object().put("operation", "echo.ping"));
        bodies.forEach((operation, body) -> {
            var shapes = List.of(foreign, sibling, missing).stream()
                    .map(id -> shape(send(platform.instance(operation, "project_owner", id), body), id))
                    .collect(Collectors.toSet());
            assertThat(shapes).hasSize(1);
            assertThat(shapes.iterator().next()).startsWith("404 app_instance_not_found");
            var inOtherProject = send(inProject(operation, DemoData.OTHER_PROJECT.toString(), foreign), body);
            var inMissingProject = send(inProject(operation, missing, foreign), body);
            assertThat(shape(inOtherProject, foreign))
                    .isEqualTo(shape(inMissingProject, foreign))
                    .startsWith("404 not_found");
        });
    }

    private static ApiClient.Call inProject(String operation, String projectId, String instanceId) {
        return platform.as("project_owner")
                .call(operation)
                .path("project_id", projectId)
                .path("app_instance_id", instanceId);
    }

    private static ApiClient.ApiResponse send(ApiClient.Call call, @Nullable ObjectNode body) {
        return (body == null ? call : call.body(body)).send();
    }

    @Test
    @Proves("1.71")
    void project_isReadFromTheHeader_whenThePathHasNone() {
        platform.as("project_viewer").call("listApps").send().expect(200);
        platform.as("project_viewer")
                .call("listApps")
                .header("X-Project-ID", DemoData.PROJECT.toString())
                .send()
                .expect(200);
        platform.as("project_viewer")
                .call("listApps")
                .header("X-Project-ID", DemoData.SIBLING_PROJECT.toString())
                .send()
                .expect(404);
        platform.as("project_viewer")
                .call("listAppInstances")
                .path("project_id", DemoData.PROJECT)
                .header("X-Project-ID", DemoData.PROJECT.toString())
                .send()
                .expect(200);
        var refused = platform.as("tenant_owner")
                .call("listAppInstances")
                .path("project_id", DemoData.PROJECT)
                .header("X-Project-ID", DemoData.SIBLING_PROJECT.toString())
                .send()
                .expect(400);
        assertThat(refused.text("code")).isEqualTo("project_mismatch");
    }

    @Test
    @Proves("2.26")
    void change_isNotFound_whenTheInstanceIsOfAnotherProject() {
        var id = platform.launch("tenant_owner", "foreign").send().expect(202);
        var answers = new ArrayList<String>();
        for (var operation : List.of(
                "upgradeAppInstance",
                "rollbackAppInstance",
                "deleteAppInstance",
                "cancelInstanceOperation",
                "operateInstanceMember",
                "runInstanceOperation")) {
            var call = platform.as("tenant_owner")
                    .call(operation)
                    .path("project_id", DemoData.SIBLING_PROJECT)
                    .path("app_instance_id", id.text("id"));
            if (operation.equals("cancelInstanceOperation")) {
                call = call.path("operation_id", id.text("operation_id"));
            } else if (!operation.equals("deleteAppInstance")) {
                call = call.body(body(operation));
            }
            answers.add(operation + " " + statusAndCode(call.send()));
        }

        assertThat(answers).hasSize(6).allMatch(answer -> answer.endsWith(" 404 app_instance_not_found"));
    }

    private static ObjectNode body(String operation) {
        return switch (operation) {
            case "upgradeAppInstance" -> Json.object().put("version", "1.0.0");
            case "operateInstanceMember" ->
                Json.object().put("operation", "add").put("component", "worker");
            case "runInstanceOperation" -> Json.object().put("operation", "ping");
            default -> Json.object();
        };
    }
}

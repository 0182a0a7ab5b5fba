package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.ApiOperation;
import dev.slipway.contract.ApiOperation.Scope;
import dev.slipway.contract.Contract;
import dev.slipway.contract.Json;
import dev.slipway.standalone.TenantCalls.Tenant;
import dev.slipway.testkit.ApiClient;
import dev.slipway.testkit.ApiClient.ApiResponse;
import dev.slipway.testkit.ApiClient.Call;
import dev.slipway.testkit.EventTap.ObservedRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.parallel.ResourceLock;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;

import static dev.slipway.standalone.TenantCalls.namedBody;
import static dev.slipway.standalone.TenantCalls.userReference;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Starts the platform for the tests of one area, and calls that they share. */
@ResourceLock("TenancyTestBase") // its static fields: subclasses must not run in parallel
abstract class TenancyTestBase {
    static final Contract CONTRACT = Contract.load();

    static PlatformUnderTest platform;

    static TenantCalls tenantCalls;

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest();
        tenantCalls = new TenantCalls(platform);
    }

    @AfterAll
    static void stop() {
        assertThat(platform.events().violations()).isEmpty();
        platform.close();
    }

    static ApiResponse once(Call call, ApiOperation apiOperation) {
        var apiResponse = call.header("Idempotency-Key", "again").send().expect(apiOperation.successStatus());
        var revision = Long.parseLong(apiResponse.header("X-Revision"));
        eventually(() -> assertThat(platform.platform().serviceContext().authz().revision())
                .isGreaterThanOrEqualTo(revision));
        return apiResponse;
    }

    static boolean isNew(ApiOperation apiOperation) {
        return apiOperation.method().equals("POST") && !isStateChange(apiOperation);
    }

    private static boolean isStateChange(ApiOperation apiOperation) {
        return apiOperation.path().endsWith("/suspend") || apiOperation.path().endsWith("/resume");
    }

    static int takesAway(ApiOperation apiOperation) {
        if (isStateChange(apiOperation)) {
            return apiOperation.path().endsWith("/suspend") ? 2 : 3;
        }
        if (apiOperation.id().equals("deleteProject")) {
            return 4;
        }
        return apiOperation.method().equals("DELETE") ? 1 : 0;
    }

    static List<JsonNode> audited(ApiResponse apiResponse) {
        return platform
                .events()
                .find(observedRecord -> observedRecord.type().equals("audit.recorded")
                        && observedRecord
                                .event()
                                .path("correlation_id")
                                .asText()
                                .equals(apiResponse.header("X-Correlation-ID")))
                .stream()
                .map(ObservedRecord::payload)
                .toList();
    }

    /** Returns the operations of the scope, without admin variants. */
    static List<ApiOperation> operations(Scope... scopes) {
        return CONTRACT.operations().stream()
                .filter(apiOperation -> List.of(scopes).contains(apiOperation.scope()))
                .filter(apiOperation -> CONTRACT.document()
                        .path("paths")
                        .path(apiOperation.path())
                        .path(apiOperation.method().toLowerCase(Locale.ROOT))
                        .path("tags")
                        .toString()
                        .contains("tenancy"))
                .filter(apiOperation -> !apiOperation.path().matches("/api/v1/admin/.*\\{(org|project)_id}.*"))
                .toList();
    }

    /** One resource of each type in an organization, for path parameters. */
    static Map<String, String> things(Tenant tenant) {
        var ids = new HashMap<String, String>();
        ids.put("org_id", tenant.orgId());
        ids.put(
                "department_id",
                tenantCalls
                        .sendAndAwaitRevision(
                                tenantCalls.call(tenant, "createDepartment").body(namedBody("d")), 201)
                        .text("id"));
        var project = tenantCalls.project(tenant, "thing");
        ids.put("project_id", project);
        ids.put(
                "group_id",
                tenantCalls
                        .sendAndAwaitRevision(
                                tenantCalls.call(tenant, "createGroup").body(namedBody("g")), 201)
                        .text("id"));
        var member = tenantCalls.sendAndAwaitRevision(
                tenantCalls
                        .call(tenant, "addGroupMember")
                        .path("group_id", ids.get("group_id"))
                        .body(userReference(UUID.randomUUID().toString())),
                201);
        ids.put("user_id", member.text("user_id"));
        ids.put(
                "binding_id",
                tenantCalls
                        .grant(tenant, project, "project_viewer", "bound in " + tenant.orgId())
                        .text("id"));
        ids.put(
                "role",
                tenantCalls
                        .sendAndAwaitRevision(
                                tenantCalls
                                        .call(tenant, "createRole")
                                        .body(body("createRole").put("display_name", "mine")),
                                201)
                        .text("role"));
        ids.put("scope_id", "apps.instance.read");
        return ids;
    }

    static Call call(ApiClient caller, ApiOperation apiOperation, Map<String, String> ids) {
        var call = caller.call(apiOperation.id());
        for (var id : ids.entrySet()) {
            call = call.path(id.getKey(), id.getValue());
        }
        return apiOperation.hasBody() ? call.body(body(apiOperation.id())) : call;
    }

    static ObjectNode body(String operationId) {
        return switch (operationId) {
            case "createRole" -> {
                var role = Json.object().put("display_name", "Reader").put("level", "project");
                role.putArray("actions").add("apps.instance.read");
                yield role;
            }
            case "createOrganization", "createDepartment", "createProject", "createGroup" -> namedBody("new");
            case "addGroupMember" -> userReference("added");
            case "createOrganizationRoleBinding" -> userReference("bound").put("role", "tenant_admin");
            case "createProjectRoleBinding" -> userReference("bound").put("role", "project_viewer");
            case "createPlatformRoleBinding" -> userReference("bound").put("role", "platform_ops");
            case "registerScope" ->
                Json.object()
                        .put("scope_id", "new.thing.read")
                        .put("product_id", "new")
                        .put("risk_class", "low")
                        .put("description", "New.");
            default -> Json.object();
        };
    }
}

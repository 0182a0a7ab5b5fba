package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.standalone.TenantCalls.Tenant;
import dev.slipway.testkit.ApiClient.ApiResponse;
import dev.slipway.testkit.ApiClient.Call;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.parallel.ResourceLock;

import java.time.Instant;
import java.util.List;
import java.util.stream.StreamSupport;

import static dev.slipway.standalone.TenantCalls.statusAndCode;
import static dev.slipway.standalone.TenantCalls.userReference;
import static org.assertj.core.api.Assertions.assertThat;

/** Starts the platform for the tests of one area, and calls that they share. */
@ResourceLock("GrantTestBase") // its static fields: subclasses must not run in parallel
abstract class GrantTestBase {
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

    static String decide(String user, String action) {
        return decideFor(platform.token(user), action);
    }

    /** Returns the decision for the action in the demo project. */
    static String decideFor(String token, String action) {
        var question = Json.object();
        question.putObject("hierarchy").put("project_id", DemoData.PROJECT.toString());
        question.putObject("product").put("action", action);
        return platform.anonymous()
                .as(token)
                .call("decide")
                .body(question)
                .send()
                .expect(200)
                .text("reason");
    }

    static Call key(String action) {
        var body = Json.object()
                .put("name", "k")
                .put("expires_at", Instant.now().plusSeconds(3_600).toString());
        body.putArray("actions").add(action);
        return platform.as("project_owner").call("createApiKey").body(body);
    }

    static Call account(String action) {
        return platform.as("project_owner")
                .call("createServiceAccount")
                .path("project_id", DemoData.PROJECT)
                .body(CredentialCalls.account(action));
    }

    static ApiResponse to(String operation) {
        return tenantCalls.sendAndAwaitRevision(
                platform.as("platform_superadmin").call(operation).path("scope_id", "robots.arm.move"), 200);
    }

    static List<String> actionsOf(String role) {
        var roles = platform.as("project_viewer")
                .call("listRoles")
                .send()
                .expect(200)
                .body()
                .path("items");
        return StreamSupport.stream(roles.spliterator(), false)
                .filter(each -> each.path("role").asText().equals(role))
                .flatMap(each -> strings(each.path("actions")).stream())
                .toList();
    }

    static ApiResponse role(
            dev.slipway.testkit.ApiClient author, Tenant tenant, String label, String level, String action) {
        var body = Json.object().put("display_name", label).put("level", level);
        body.putArray("actions").add(action);
        return author.call("createRole")
                .path("org_id", tenant.orgId())
                .body(body)
                .send();
    }

    static ApiResponse grantAs(String giver, String place, String placeId, String role, String subject) {
        return tenantCalls
                .person(giver)
                .call("create" + place + "RoleBinding")
                .path("org_id", placeId)
                .path("project_id", placeId)
                .body(userReference(subject).put("role", role))
                .send();
    }

    static ApiResponse grant(Tenant tenant, String project, ObjectNode body) {
        return project.isEmpty()
                ? tenantCalls
                        .call(tenant, "createOrganizationRoleBinding")
                        .body(body)
                        .send()
                : tenantCalls
                        .call(tenant, "createProjectRoleBinding")
                        .path("project_id", project)
                        .body(body)
                        .send();
    }

    static ApiResponse binding(String operation, Tenant tenant, String project, String id) {
        return tenantCalls
                .call(tenant, operation)
                .path("project_id", project)
                .path("binding_id", id)
                .send();
    }

    static void assertInvalid(ApiResponse apiResponse, String field) {
        assertThat(statusAndCode(apiResponse)).as("%s", apiResponse.body()).isEqualTo("400 validation_error");
        assertThat(apiResponse.body().at("/details/fields/0/field").asText()).isEqualTo(field);
    }

    static List<String> strings(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false)
                .map(JsonNode::asText)
                .toList();
    }
}

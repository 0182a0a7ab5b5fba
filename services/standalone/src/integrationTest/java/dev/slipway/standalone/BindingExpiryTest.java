package dev.slipway.standalone;

import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient;
import dev.slipway.testkit.ApiClient.ApiResponse;
import dev.slipway.testkit.ApiClient.Call;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.time.Instant;

import static dev.slipway.standalone.TenantCalls.namedBody;
import static dev.slipway.standalone.TenantCalls.statusAndCode;
import static dev.slipway.standalone.TenantCalls.texts;
import static dev.slipway.standalone.TenantCalls.userReference;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests decisions on expired bindings, groups, deleted resources and break-glass. */
class BindingExpiryTest {
    private static final String REASON = "The owner left, and asked for help";

    private static PlatformUnderTest platform;
    private static TenantCalls tenantCalls;

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

    @Test
    void binding_grantsNothing_afterItsExpiry() {
        var tenant = tenantCalls.create("ending-soon");
        var project = tenantCalls.project(tenant, "p");
        var end = Instant.now().plusSeconds(5);
        tenantCalls.sendAndAwaitRevision(
                tenantCalls
                        .call(tenant, "createProjectRoleBinding")
                        .path("project_id", project)
                        .body(userReference("guest")
                                .put("role", "project_viewer")
                                .put("expires_at", end.toString())),
                201);

        eventually(() -> assertThat(statusAndCode(read("guest", project))).isEqualTo("404 not_found"));

        assertThat(Instant.now()).isAfterOrEqualTo(end);
        assertThat(texts(tenantCalls.person("guest").call("listProjects").send(), "id"))
                .isEmpty();
        assertThat(tenantCalls
                        .person("guest")
                        .call("getMe")
                        .send()
                        .expect(200)
                        .body()
                        .path("bindings"))
                .isEmpty();
        tenantCalls.grant(tenant, project, "project_viewer", "guest");
        read("guest", project).expect(200);
    }

    @Test
    void group_givesItsMembersWhatItHolds_andTakesItBack() {
        var tenant = tenantCalls.create("sharing");
        var project = tenantCalls.project(tenant, "p");
        var group = tenantCalls
                .sendAndAwaitRevision(tenantCalls.call(tenant, "createGroup").body(namedBody("g")), 201)
                .text("id");
        var member = tenantCalls.sendAndAwaitRevision(
                tenantCalls
                        .call(tenant, "addGroupMember")
                        .path("group_id", group)
                        .body(userReference("shared with")),
                201);
        assertThat(statusAndCode(read("shared with", project))).isEqualTo("404 not_found");

        tenantCalls.sendAndAwaitRevision(
                tenantCalls
                        .call(tenant, "createProjectRoleBinding")
                        .path("project_id", project)
                        .body(Json.object().put("role", "project_member").put("group_id", group)),
                201);

        read("shared with", project).expect(200);
        assertThat(texts(tenantCalls.person("shared with").call("listProjects").send(), "id"))
                .containsExactly(project);
        assertThat(texts(
                        tenantCalls
                                .call(tenant, "listProjectUsers")
                                .path("project_id", project)
                                .send(),
                        "subject"))
                .contains("shared with");
        assertThat(tenantCalls
                        .call(tenant, "getProjectUser")
                        .path("project_id", project)
                        .path("user_id", member.text("user_id"))
                        .send()
                        .expect(200)
                        .text("subject"))
                .isEqualTo("shared with");
        tenantCalls.sendAndAwaitRevision(
                tenantCalls
                        .call(tenant, "removeGroupMember")
                        .path("group_id", group)
                        .path("user_id", member.text("user_id")),
                200);
        assertThat(statusAndCode(read("shared with", project))).isEqualTo("404 not_found");
    }

    @Test
    void deletedProject_canBeReadAndEmptied_andNothingElse() {
        var tenant = tenantCalls.create("buried");
        var project = tenantCalls.project(tenant, "p");
        var owning = texts(
                        tenantCalls
                                .call(tenant, "listProjectRoleBindings")
                                .path("project_id", project)
                                .send(),
                        "id")
                .get(0);
        var account = tenantCalls
                .sendAndAwaitRevision(
                        tenantCalls
                                .call(tenant, "createServiceAccount")
                                .path("project_id", project)
                                .body(CredentialCalls.account()),
                        201)
                .text("id");
        var binding =
                tenantCalls.grant(tenant, project, "project_viewer", "mourner").text("id");
        tenantCalls.sendAndAwaitRevision(
                tenantCalls.call(tenant, "deleteProject").path("project_id", project), 200);

        read("mourner", project).expect(200);
        assertThat(statusAndCode(platform.launchIn(java.util.UUID.fromString(project), "tenant_owner", "x")
                        .send()))
                .isEqualTo("404 not_found");
        var launch = tenantCalls
                .person(tenant.owner())
                .call("createAppInstance")
                .path("project_id", project)
                .body(PlatformUnderTest.launchBody("x"))
                .send();
        assertThat(statusAndCode(launch)).isEqualTo("409 resource_deleted");
        assertThat(statusAndCode(tenantCalls
                        .call(tenant, "createProjectRoleBinding")
                        .path("project_id", project)
                        .body(userReference("x").put("role", "project_viewer"))
                        .send()))
                .isEqualTo("409 resource_deleted");
        assertThat(statusAndCode(tenantCalls
                        .call(tenant, "disableServiceAccount")
                        .path("project_id", project)
                        .path("service_account_id", account)
                        .send()))
                .isEqualTo("409 resource_deleted");
        assertThat(statusAndCode(withdraw(tenant, project, owning).send())).isEqualTo("409 last_owner");
        assertThat(statusAndCode(platform.as("other_tenant_owner")
                        .call("deleteProjectRoleBinding")
                        .path("project_id", project)
                        .path("binding_id", binding)
                        .send()))
                .isEqualTo("404 not_found");

        tenantCalls.sendAndAwaitRevision(withdraw(tenant, project, binding), 200);
        tenantCalls.sendAndAwaitRevision(
                tenantCalls
                        .call(tenant, "deleteServiceAccount")
                        .path("project_id", project)
                        .path("service_account_id", account),
                200);

        assertThat(statusAndCode(read("mourner", project))).isEqualTo("404 not_found");
    }

    @Test
    void suspendedProject_canBeReadAndEmptied_untilItIsResumed() {
        var tenant = tenantCalls.create("paused");
        var project = tenantCalls.project(tenant, "p");
        tenantCalls.grant(tenant, project, "project_owner", "local owner");
        var account = tenantCalls
                .sendAndAwaitRevision(
                        tenantCalls
                                .call(tenant, "createServiceAccount")
                                .path("project_id", project)
                                .body(CredentialCalls.account()),
                        201)
                .text("id");
        var credential = tenantCalls
                .call(tenant, "createServiceAccountCredential")
                .path("project_id", project)
                .path("service_account_id", account)
                .body(Json.object())
                .send()
                .expect(201);
        assertThat(statusAndCode(setState(tenantCalls.person("local owner"), "suspendProject", project)))
                .isEqualTo("403 insufficient_permissions");
        assertThat(statusAndCode(setState(platform.as("other_tenant_owner"), "suspendProject", project)))
                .isEqualTo("404 not_found");

        var suspended = tenantCalls.sendAndAwaitRevision(
                tenantCalls.call(tenant, "suspendProject").path("project_id", project), 200);

        assertThat(suspended.text("state")).isEqualTo("suspended");
        tenantCalls.awaitLatest("iam.state", "project:" + project, said -> assertThat(
                        said.path("state").asText())
                .isEqualTo("suspended"));
        tenantCalls.awaitLatest("authz.state", "project:" + project, said -> assertThat(
                        said.path("state").asText())
                .isEqualTo("suspended"));
        assertThat(statusAndCode(launchIn(tenant, project))).isEqualTo("409 project_suspended");
        read("local owner", project).expect(200);
        var exchange = CredentialCalls.exchange(platform, "exchangeServiceAccountToken", credential);
        assertThat(statusAndCode(exchange.send())).isEqualTo("409 project_suspended");
        assertThat(statusAndCode(setState(tenantCalls.person("local owner"), "resumeProject", project)))
                .isEqualTo("403 insufficient_permissions");
        eventually(() -> assertThat(tenantCalls.audits("iam.project.suspend", project))
                .filteredOn(audit -> audit.path("result").asText().equals("success"))
                .singleElement()
                .satisfies(audit -> {
                    assertThat(audit.at("/metadata/before/state").asText()).isEqualTo("active");
                    assertThat(audit.at("/metadata/after/state").asText()).isEqualTo("suspended");
                }));

        tenantCalls.sendAndAwaitRevision(
                tenantCalls.call(tenant, "resumeProject").path("project_id", project), 200);

        exchange.send().expect(200);
        assertThat(statusAndCode(launchIn(tenant, project))).isNotEqualTo("409 project_suspended");
    }

    private static ApiResponse setState(ApiClient client, String operationId, String project) {
        return client.call(operationId).path("project_id", project).send();
    }

    /** Validates a launch, which creates nothing. */
    private static ApiResponse launchIn(TenantCalls.Tenant tenant, String project) {
        return tenantCalls
                .person(tenant.owner())
                .call("createAppInstance")
                .path("project_id", project)
                .query("dry_run=true")
                .body(PlatformUnderTest.launchBody("x"))
                .send();
    }

    @Test
    void breakGlass_appointsAnOwner_whereNoneIsLeft() {
        var tenant = tenantCalls.create("orphaned");
        var owner = texts(tenantCalls.call(tenant, "listOrganizationUsers").send(), "id")
                .get(0);
        tenantCalls.sendAndAwaitRevision(
                platform.as("platform_superadmin").call("disableUser").path("user_id", owner), 200);
        var appoint = platform.as("platform_superadmin")
                .call("adminCreateOrganizationRoleBinding")
                .path("org_id", tenant.orgId())
                .header("X-Break-Glass-Reason", REASON)
                .body(userReference("successor").put("role", "tenant_owner"));

        tenantCalls.sendAndAwaitRevision(appoint, 201);

        tenantCalls
                .person("successor")
                .call("getOrganization")
                .path("org_id", tenant.orgId())
                .send()
                .expect(200);
    }

    private static Call withdraw(TenantCalls.Tenant tenant, String project, String binding) {
        return tenantCalls
                .call(tenant, "deleteProjectRoleBinding")
                .path("project_id", project)
                .path("binding_id", binding);
    }

    private static ApiResponse read(String subject, String project) {
        return tenantCalls
                .person(subject)
                .call("getProject")
                .path("project_id", project)
                .send();
    }
}

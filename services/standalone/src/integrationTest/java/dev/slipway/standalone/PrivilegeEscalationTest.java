package dev.slipway.standalone;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.standalone.TenantCalls.Tenant;
import dev.slipway.testkit.ApiClient.ApiResponse;
import dev.slipway.testkit.ApiClient.Call;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.UUID;

import static dev.slipway.standalone.TenantCalls.statusAndCode;
import static dev.slipway.standalone.TenantCalls.userReference;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Attempts to get, or to take from others, more than one's own roles allow. */
class PrivilegeEscalationTest extends GrantTestBase {
    private static final String REASON = "to see whether it can be done";

    @Test
    void plan_isRefused_toTheTenantsOwnAdministrators() {
        var tenant = tenantCalls.create("plan-escape");
        tenantCalls.grant(tenant, "", "tenant_admin", "plan admin");

        for (var person : List.of(tenant.owner(), "plan admin")) {
            var refused = tenantCalls
                    .person(person)
                    .call("updateOrganization")
                    .path("org_id", tenant.orgId())
                    .body(Json.object().put("display_name", "Bigger").put("plan", "unlimited"))
                    .send();
            assertThat(statusAndCode(refused)).as(person).isEqualTo("403 insufficient_permissions");
        }

        var unchanged = tenantCalls.call(tenant, "getOrganization").send().expect(200);
        assertThat(unchanged.text("plan")).isEqualTo("standard");
        assertThat(unchanged.text("display_name")).isEqualTo("Named plan-escape");
        tenantCalls.setPlan(tenant, "gold");
        assertThat(tenantCalls.call(tenant, "getOrganization").send().text("plan"))
                .isEqualTo("gold");
    }

    @Test
    void plan_isRefused_whenItHasNoPolicy() {
        var tenant = tenantCalls.create("plan-unknown");
        var admin = platform.as("platform_superadmin");

        var changed = admin.call("adminUpdateOrganization")
                .path("org_id", tenant.orgId())
                .header("X-Break-Glass-Reason", REASON)
                .body(Json.object().put("plan", "no-limits"))
                .send()
                .expect(400);
        var created = admin.call("createOrganization")
                .body(TenantCalls.namedBody("planless").put("plan", "no-limits"))
                .send()
                .expect(400);

        for (var refused : List.of(changed, created)) {
            var field = refused.body().at("/details/fields/0");
            assertThat(field.path("field").asText()).isEqualTo("/plan");
            assertThat(field.path("problem").asText()).contains("standard");
        }
        assertThat(tenantCalls.call(tenant, "getOrganization").send().text("plan"))
                .isEqualTo("standard");
    }

    @Test
    void allowedActions_areChanged_onlyToThoseThatTheCallerHolds() {
        var tenant = tenantCalls.create("changed-account");
        var project = tenantCalls.project(tenant, "main");
        var account = tenantCalls
                .call(tenant, "createServiceAccount")
                .path("project_id", project)
                .body(CredentialCalls.account("apps.instance.read"))
                .send()
                .expect(201)
                .text("id");
        var body = Json.object().put("display_name", "Account writer").put("level", "project");
        body.putArray("actions")
                .add("iam.service_account.write")
                .add("iam.service_account.read")
                .add("apps.instance.read");
        var role = tenantCalls
                .sendAndAwaitRevision(tenantCalls.call(tenant, "createRole").body(body), 201)
                .text("role");
        tenantCalls.grant(tenant, project, role, "account writer");
        var writer = tenantCalls.person("account writer").call("updateServiceAccount");

        assertThat(statusAndCode(machine(writer.body(actions("apps.instance.create")), project, account)))
                .isEqualTo("403 grant_exceeds_own");
        assertThat(statusAndCode(machine(writer.body(actions("iam.binding.write")), project, account)))
                .isEqualTo("403 grant_exceeds_own");
        machine(writer.body(actions("apps.instance.read", "apps.instance.report")), project, account)
                .expect(200);

        var changed = machine(
                        tenantCalls
                                .call(tenant, "updateServiceAccount")
                                .body(actions("apps.instance.read", "apps.instance.create")),
                        project,
                        account)
                .expect(200);
        assertThat(changed.body().path("allowed_actions"))
                .extracting(action -> action.asText())
                .containsExactly("apps.instance.read", "apps.instance.create");
        eventually(() -> {
            var audit = tenantCalls.audits("iam.service_account.update", account);
            assertThat(audit).hasSize(2);
            assertThat(audit.get(1).at("/metadata/before/1").asText()).isEqualTo("apps.instance.report");
            assertThat(audit.get(1).at("/metadata/after/1").asText()).isEqualTo("apps.instance.create");
        });
        CredentialCalls.assertExcessAudited(platform, "iam.service_account.update", project);
    }

    @Test
    void launch_isRefused_whenItsOperatorMayNotReport() {
        var account = account("apps.instance.read").send().expect(201).text("id");
        platform.awaitReplication();
        var body = PlatformUnderTest.launchBody("silent").put("operator_service_account_id", account);

        var refused = platform.launch("project_owner", "").body(body).send();
        assertThat(statusAndCode(refused)).isEqualTo("409 operator_account_invalid");
        assertThat(refused.text("message")).contains("apps.instance.report");

        machine(
                        platform.as("project_owner")
                                .call("updateServiceAccount")
                                .body(actions("apps.instance.read", "apps.instance.report")),
                        DemoData.PROJECT.toString(),
                        account)
                .expect(200);
        platform.awaitReplication();
        platform.launch("project_owner", "").body(body).send().expect(202);
    }

    @Test
    void credentialAndEnabling_areRefused_forAnAccountThatCanDoMore() {
        var tenant = tenantCalls.create("broad-account");
        var project = tenantCalls.project(tenant, "main");
        var account = tenantCalls
                .call(tenant, "createServiceAccount")
                .path("project_id", project)
                .body(CredentialCalls.account("apps.instance.create"))
                .send()
                .expect(201)
                .text("id");
        var body = Json.object().put("display_name", "Account keeper").put("level", "project");
        body.putArray("actions").add("iam.service_account.write").add("iam.service_account.read");
        var role = tenantCalls
                .sendAndAwaitRevision(tenantCalls.call(tenant, "createRole").body(body), 201)
                .text("role");
        tenantCalls.grant(tenant, project, role, "account keeper");
        var own = machine(tenantCalls.call(tenant, "disableServiceAccount"), project, account);
        own.expect(200);

        var keeper = tenantCalls.person("account keeper");
        assertThat(statusAndCode(machine(keeper.call("enableServiceAccount"), project, account)))
                .isEqualTo("403 grant_exceeds_own");
        assertThat(statusAndCode(
                        machine(keeper.call("createServiceAccountCredential").body(Json.object()), project, account)))
                .isEqualTo("403 grant_exceeds_own");

        machine(tenantCalls.call(tenant, "enableServiceAccount"), project, account)
                .expect(200);
        machine(tenantCalls.call(tenant, "createServiceAccountCredential").body(Json.object()), project, account)
                .expect(201);
        assertThat(platform.database().query("SELECT count(*) FROM iam.credentials WHERE owner_id = '" + account + "'"))
                .isEqualTo("1");
    }

    @Test
    void credential_isRefused_toAnApiKeyThatMayOnlyWriteAccounts() {
        var account = account("apps.instance.create").send().expect(201).text("id");
        var key = key("iam.service_account.write").send().expect(201);
        var token = CredentialCalls.exchange(
                        platform, "exchangeApiKeyToken", key.text("api_key_id"), key.text("secret"))
                .send()
                .expect(200)
                .text("access_token");

        var refused = machine(
                platform.anonymous()
                        .as(token)
                        .call("createServiceAccountCredential")
                        .body(Json.object()),
                DemoData.PROJECT.toString(),
                account);

        assertThat(statusAndCode(refused)).isEqualTo("403 grant_exceeds_own");
    }

    @Test
    void credential_isRefused_throughAnAdminVariant() {
        var account = account("apps.instance.read").send().expect(201).text("id");

        for (var user : List.of("platform_ops", "platform_superadmin")) {
            var refused = machine(
                    platform.as(user)
                            .call("adminCreateServiceAccountCredential")
                            .header("X-Break-Glass-Reason", REASON)
                            .body(Json.object()),
                    DemoData.PROJECT.toString(),
                    account);
            assertThat(statusAndCode(refused)).as(user).isEqualTo("403 insufficient_permissions");
        }

        assertThat(platform.database().query("SELECT count(*) FROM iam.credentials WHERE owner_id = '" + account + "'"))
                .isEqualTo("0");
    }

    @Test
    void ownersBinding_isKept_whenAnAdministratorRemovesIt() {
        var tenant = tenantCalls.create("owner-removal");
        var project = tenantCalls.project(tenant, "main");
        var orgOwner = tenantCalls.grant(tenant, "", "tenant_owner", "second owner");
        var projectOwner = tenantCalls.grant(tenant, project, "project_owner", "second project owner");
        tenantCalls.grant(tenant, "", "tenant_admin", "org admin");
        tenantCalls.grant(tenant, project, "project_admin", "project admin");

        var inOrg = tenantCalls
                .person("org admin")
                .call("deleteOrganizationRoleBinding")
                .path("org_id", tenant.orgId())
                .path("binding_id", orgOwner.text("id"))
                .send();
        var inProject = tenantCalls
                .person("project admin")
                .call("deleteProjectRoleBinding")
                .path("project_id", project)
                .path("binding_id", projectOwner.text("id"))
                .send();

        assertThat(statusAndCode(inOrg)).isEqualTo("403 grant_exceeds_own");
        assertThat(statusAndCode(inProject)).isEqualTo("403 grant_exceeds_own");
        binding("deleteOrganizationRoleBinding", tenant, project, orgOwner.text("id"))
                .expect(200);
        binding("deleteProjectRoleBinding", tenant, project, projectOwner.text("id"))
                .expect(200);
    }

    @Test
    void ownersGroup_isKept_whenAnAdministratorEmptiesOrDeletesIt() {
        var tenant = tenantCalls.create("owner-group");
        var group = tenantCalls
                .sendAndAwaitRevision(
                        tenantCalls.call(tenant, "createGroup").body(TenantCalls.namedBody("owners")), 201)
                .text("id");
        var member = tenantCalls.sendAndAwaitRevision(
                tenantCalls
                        .call(tenant, "addGroupMember")
                        .path("group_id", group)
                        .body(userReference("grouped owner")),
                201);
        grant(tenant, "", Json.object().put("role", "tenant_owner").put("group_id", group))
                .expect(201);
        tenantCalls.grant(tenant, "", "tenant_admin", "group admin");

        for (var operation : List.of("removeGroupMember", "deleteGroup")) {
            var refused = inGroup(tenant, "group admin", operation, group, member.text("user_id"));
            assertThat(statusAndCode(refused)).as(operation).isEqualTo("403 grant_exceeds_own");
        }

        inGroup(tenant, tenant.owner(), "deleteGroup", group, "").expect(200);
    }

    @Test
    void role_isKept_whenItsActionsAreNotHeldByWhoDeletesIt() {
        var tenant = tenantCalls.create("role-removal");
        var role = role(
                        tenantCalls.person(tenant.owner()),
                        tenant,
                        "Closers",
                        "organization",
                        "iam.organization.delete")
                .expect(201)
                .text("role");
        tenantCalls.grant(tenant, "", "tenant_admin", "role admin");
        var less = Json.object();
        less.putArray("actions").add("iam.organization.read");
        var admin = tenantCalls.person("role admin");

        assertThat(statusAndCode(admin.call("deleteRole")
                        .path("org_id", tenant.orgId())
                        .path("role", role)
                        .send()))
                .isEqualTo("403 grant_exceeds_own");
        assertThat(statusAndCode(admin.call("updateRole")
                        .path("org_id", tenant.orgId())
                        .path("role", role)
                        .body(less)
                        .send()))
                .isEqualTo("403 grant_exceeds_own");
        tenantCalls.call(tenant, "deleteRole").path("role", role).send().expect(200);
    }

    @Test
    void superadmin_staysEnabled_whenOperationsDisablesThem() {
        var superadmin = platform.as("platform_superadmin")
                .call("getMe")
                .send()
                .expect(200)
                .text("principal_id");

        for (var operation : List.of("disableUser", "enableUser")) {
            assertThat(statusAndCode(platform.as("platform_ops")
                            .call(operation)
                            .path("user_id", superadmin)
                            .send()))
                    .as(operation)
                    .isEqualTo("403 grant_exceeds_own");
        }

        platform.as("platform_superadmin").call("getMe").send().expect(200);
        var tenant = tenantCalls.create("disabled-owner");
        var owner = tenantCalls
                .person(tenant.owner())
                .call("getMe")
                .send()
                .expect(200)
                .text("principal_id");
        platform.as("platform_ops")
                .call("disableUser")
                .path("user_id", UUID.fromString(owner))
                .send()
                .expect(200);
    }

    private static ObjectNode actions(String... actions) {
        var body = Json.object();
        List.of(actions).forEach(body.putArray("allowed_actions")::add);
        return body;
    }

    private static ApiResponse machine(Call call, String project, String account) {
        return call.path("project_id", project)
                .path("service_account_id", account)
                .send();
    }

    private static ApiResponse inGroup(Tenant tenant, String person, String operation, String group, String user) {
        return tenantCalls
                .person(person)
                .call(operation)
                .path("org_id", tenant.orgId())
                .path("group_id", group)
                .path("user_id", user)
                .send();
    }
}

package dev.slipway.standalone;

import dev.slipway.contract.Json;
import dev.slipway.contract.RoleRegistry;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.stream.StreamSupport;

import static dev.slipway.standalone.TenantCalls.namedBody;
import static dev.slipway.standalone.TenantCalls.statusAndCode;
import static dev.slipway.standalone.TenantCalls.texts;
import static dev.slipway.standalone.TenantCalls.userReference;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Built-in roles, roles of organizations, and the registry of actions. */
class RolesTest extends GrantTestBase {
    @Test
    @Proves("C.29")
    void builtInRoles_areListed_andCannotBeChanged() {
        var tenant = tenantCalls.create("standard");
        var listed = tenantCalls.call(tenant, "listRoles").send().expect(200);

        assertThat(texts(listed, "role"))
                .containsExactlyInAnyOrderElementsOf(RoleRegistry.load().roles().stream()
                        .map(RoleRegistry.Role::name)
                        .toList());
        for (var role : texts(listed, "role")) {
            var more = Json.object().put("display_name", "mine");
            more.putArray("actions").add("apps.instance.read");
            assertThat(statusAndCode(tenantCalls
                            .call(tenant, "updateRole")
                            .path("role", role)
                            .body(more)
                            .send()))
                    .isEqualTo("409 builtin_role");
            assertThat(statusAndCode(tenantCalls
                            .call(tenant, "deleteRole")
                            .path("role", role)
                            .send()))
                    .isEqualTo("409 builtin_role");
        }
        assertThat(tenantCalls.call(tenant, "listRoles").send().body()).isEqualTo(listed.body());
    }

    @Test
    void createRole_isRefused_whenTheAuthorLacksAnActionOrItIsInactive() {
        var tenant = tenantCalls.create("authors");
        tenantCalls.grant(tenant, "", "tenant_admin", "author");
        var own = role(tenantCalls.person("author"), tenant, "R", "organization", "iam.organization.read")
                .expect(201);

        assertThat(statusAndCode(
                        role(tenantCalls.person("author"), tenant, "X", "organization", "iam.organization.delete")))
                .isEqualTo("403 grant_exceeds_own");
        assertThat(statusAndCode(role(
                        tenantCalls.person(tenant.owner()), tenant, "X", "organization", "iam.organization.create")))
                .as("a platform's action")
                .isEqualTo("403 grant_exceeds_own");
        assertInvalid(role(tenantCalls.person("author"), tenant, "X", "project", "no.such_action"), "/actions/0");
        assertThat(statusAndCode(role(tenantCalls.person("author"), tenant, "R", "project", "apps.instance.read")))
                .isEqualTo("409 slug_taken");
        var wider = Json.object();
        wider.putArray("actions").add("iam.organization.read").add("iam.organization.delete");
        assertThat(statusAndCode(tenantCalls
                        .person("author")
                        .call("updateRole")
                        .path("org_id", tenant.orgId())
                        .path("role", own.text("role"))
                        .body(wider)
                        .send()))
                .isEqualTo("403 grant_exceeds_own");
    }

    @Test
    @Proves("2.29")
    void role_grantsItsActions_untilItIsDeleted() {
        var tenant = tenantCalls.create("tailored");
        var project = tenantCalls.project(tenant, "p");
        var role = role(tenantCalls.person(tenant.owner()), tenant, "Reader", "project", "iam.project.read")
                .expect(201)
                .text("role");
        tenantCalls.grant(tenant, project, role, "reader");
        var reader = tenantCalls.person("reader");

        reader.call("getProject").path("project_id", project).send().expect(200);
        assertThat(statusAndCode(reader.call("listProjectUsers")
                        .path("project_id", project)
                        .send()))
                .isEqualTo("403 insufficient_permissions");
        tenantCalls.sendAndAwaitRevision(
                tenantCalls
                        .call(tenant, "updateRole")
                        .path("role", role)
                        .body(Json.object().put("display_name", "Owner of all")),
                200);
        assertThat(statusAndCode(reader.call("listProjectUsers")
                        .path("project_id", project)
                        .send()))
                .isEqualTo("403 insufficient_permissions");
        var more = Json.object();
        more.putArray("actions").add("iam.project.read").add("iam.user.read");
        tenantCalls.sendAndAwaitRevision(
                tenantCalls.call(tenant, "updateRole").path("role", role).body(more), 200);
        reader.call("listProjectUsers").path("project_id", project).send().expect(200);
        var shown =
                tenantCalls.call(tenant, "getRole").path("role", role).send().expect(200);
        assertThat(shown.text("display_name")).isEqualTo("Owner of all");
        assertThat(shown.text("version")).isEqualTo("3");
        assertThat(texts(tenantCalls.call(tenant, "listOrganizationRoles").send(), "role"))
                .contains(role, "tenant_owner");

        tenantCalls.sendAndAwaitRevision(tenantCalls.call(tenant, "deleteRole").path("role", role), 200);

        assertThat(statusAndCode(
                        reader.call("getProject").path("project_id", project).send()))
                .isEqualTo("403 insufficient_permissions");
        assertThat(texts(tenantCalls.call(tenant, "listOrganizationRoles").send(), "role"))
                .doesNotContain(role);
        assertInvalid(grantAs(tenant.owner(), "Project", project, role, "x"), "/role");
        assertThat(tenantCalls.call(tenant, "getRole").path("role", role).send().text("state"))
                .isEqualTo("deleted");
        eventually(() -> assertThat(tenantCalls.audits("iam.role.write", role)).hasSize(4));
    }

    @Test
    @Proves("3.31")
    void scope_canBeGrantedToUsersKeysAndAccounts_whileActive() {
        var scope = "looms.shuttle.throw";
        var body = Json.object()
                .put("scope_id", scope)
                .put("product_id", "looms")
                .put("risk_class", "low")
                .put("description", "Throw a shuttle.");
        body.putArray("default_roles").add("project_owner").add("service_account");
        tenantCalls.sendAndAwaitRevision(
                platform.as("platform_superadmin").call("registerScope").body(body), 201);
        assertThat(decide("project_owner", scope)).isEqualTo("unknown_action");
        assertThat(statusAndCode(key(scope).send())).isEqualTo("403 grant_exceeds_own");
        assertThat(statusAndCode(account(scope).send())).isEqualTo("403 grant_exceeds_own");

        tenantCalls.sendAndAwaitRevision(
                platform.as("platform_superadmin").call("activateScope").path("scope_id", scope), 200);

        var key = key(scope).send().expect(201);
        var account = tenantCalls.sendAndAwaitRevision(account(scope), 201).text("id");
        // The project owner holds the scope; the tenant owner, who does not, may not create this credential.
        var credential = platform.as("project_owner")
                .call("createServiceAccountCredential")
                .path("project_id", DemoData.PROJECT)
                .path("service_account_id", account)
                .body(Json.object())
                .send()
                .expect(201);
        var keyToken = platform.anonymous()
                .call("exchangeApiKeyToken")
                .body(CredentialCalls.client(key.text("api_key_id"), key.text("secret")))
                .send()
                .expect(200)
                .text("access_token");
        var accountToken = CredentialCalls.exchangeToken(platform, credential);
        assertThat(decide("project_owner", scope)).isEqualTo("allowed");
        assertThat(decide("project_admin", scope)).isEqualTo("not_granted");
        assertThat(decideFor(keyToken, scope)).isEqualTo("allowed");
        assertThat(decideFor(accountToken, scope)).isEqualTo("allowed");
        var listed = platform.as("project_viewer")
                .call("listScopes")
                .query("product_id=looms")
                .send()
                .expect(200)
                .body()
                .at("/items/0");
        assertThat(listed.path("scope_id").asText()).isEqualTo(scope);
        assertThat(listed.path("product_id").asText()).isEqualTo("looms");
        assertThat(listed.path("version").asInt()).isEqualTo(2);
        assertThat(listed.path("description").asText()).isEqualTo("Throw a shuttle.");
        assertThat(listed.path("lifecycle").asText()).isEqualTo("active");
        assertThat(listed.path("risk_class").asText()).isEqualTo("low");

        tenantCalls.sendAndAwaitRevision(
                platform.as("platform_superadmin").call("retireScope").path("scope_id", scope), 200);

        assertThat(List.of(decide("project_owner", scope), decideFor(keyToken, scope), decideFor(accountToken, scope)))
                .containsOnly("unknown_action");
    }

    @Test
    void scope_changesItsDefaultRoles_withItsLifecycle() {
        var superadmin = platform.as("platform_superadmin");
        var body = Json.object()
                .put("scope_id", "robots.arm.move")
                .put("product_id", "robots")
                .put("risk_class", "high")
                .put("description", "Move an arm.");
        body.putArray("default_roles").add("project_owner").add("platform_superadmin");
        var draft = tenantCalls.sendAndAwaitRevision(
                superadmin.call("registerScope").body(body), 201);

        assertThat(draft.text("lifecycle")).isEqualTo("draft");
        assertThat(draft.text("version")).isEqualTo("1");
        assertThat(statusAndCode(superadmin.call("registerScope").body(body).send()))
                .isEqualTo("409 slug_taken");
        assertThat(statusAndCode(superadmin
                        .call("deprecateScope")
                        .path("scope_id", "robots.arm.move")
                        .send()))
                .isEqualTo("409 state_conflict");
        assertThat(actionsOf("project_owner")).doesNotContain("robots.arm.move");
        assertThat(to("activateScope").text("version")).isEqualTo("2");
        assertThat(actionsOf("project_owner")).contains("robots.arm.move");
        assertThat(actionsOf("project_admin")).doesNotContain("robots.arm.move");
        tenantCalls.awaitLatest("authz.state", "role:project_owner", role -> assertThat(
                        role.path("actions").toString())
                .contains("robots.arm.move"));
        tenantCalls.awaitLatest("authz.state", "action:robots.arm.move", action -> assertThat(
                        action.path("lifecycle").asText())
                .isEqualTo("active"));
        assertThat(to("deprecateScope").text("lifecycle")).isEqualTo("deprecated");
        assertThat(to("retireScope").text("lifecycle")).isEqualTo("retired");
        assertThat(actionsOf("project_owner")).doesNotContain("robots.arm.move");
        assertThat(statusAndCode(superadmin
                        .call("activateScope")
                        .path("scope_id", "robots.arm.move")
                        .send()))
                .isEqualTo("409 state_conflict");
        assertThat(statusAndCode(superadmin
                        .call("retireScope")
                        .path("scope_id", "no.such")
                        .send()))
                .isEqualTo("404 not_found");
        var wrong = body.deepCopy().put("scope_id", "robots.arm.stop");
        wrong.putArray("default_roles").add("robot_owner");
        assertInvalid(superadmin.call("registerScope").body(wrong).send(), "/default_roles/0");

        var robots = platform.as("project_viewer")
                .call("listScopes")
                .query("product_id=robots")
                .send()
                .expect(200);
        assertThat(texts(robots, "scope_id")).containsExactly("robots.arm.move");
        assertThat(texts(platform.as("service_account").call("listScopes").send(), "scope_id"))
                .containsAll(RoleRegistry.load().actions());
    }

    @Test
    void seed_publishesEveryActionAndOrganization_once() {
        var actions = RoleRegistry.load().actions();
        for (var action : actions) {
            tenantCalls.awaitLatest("authz.state", "action:" + action, known -> assertThat(
                            known.path("lifecycle").asText())
                    .isEqualTo("active"));
        }
        tenantCalls.awaitLatest("authz.state", "organization:" + DemoData.ORG, organization -> assertThat(
                        organization.path("state").asText())
                .isEqualTo("active"));
        assertThat(platform.events()
                        .find(observedRecord -> observedRecord.key().equals("action:" + actions.get(0))
                                && observedRecord.topic().equals("authz.state")))
                .hasSize(1);
    }

    @Test
    void me_showsBindingsAndEffectiveActions() {
        var tenant = tenantCalls.create("mirror");
        var project = tenantCalls.project(tenant, "p");
        var group = tenantCalls
                .sendAndAwaitRevision(tenantCalls.call(tenant, "createGroup").body(namedBody("g")), 201)
                .text("id");
        tenantCalls.sendAndAwaitRevision(
                tenantCalls
                        .call(tenant, "addGroupMember")
                        .path("group_id", group)
                        .body(userReference("me")),
                201);
        tenantCalls.sendAndAwaitRevision(
                tenantCalls
                        .call(tenant, "createProjectRoleBinding")
                        .path("project_id", project)
                        .body(Json.object().put("role", "project_member").put("group_id", group)),
                201);
        var end = "2099-01-01T00:00:00Z";
        tenantCalls.sendAndAwaitRevision(
                tenantCalls
                        .call(tenant, "createProjectRoleBinding")
                        .path("project_id", project)
                        .body(userReference("me").put("role", "project_viewer").put("expires_at", end)),
                201);
        var own = role(
                        tenantCalls.person(tenant.owner()),
                        tenant,
                        "Org reader",
                        "organization",
                        "iam.organization.read")
                .text("role");
        tenantCalls.grant(tenant, "", own, "me");

        var me = tenantCalls.person("me").call("getMe").send().expect(200);

        assertThat(me.text("display_name")).isEqualTo("me");
        assertThat(StreamSupport.stream(me.body().path("bindings").spliterator(), false)
                        .map(b ->
                                b.path("role").asText() + " " + b.path("level").asText() + " "
                                        + b.path("group_id").asText("-") + " "
                                        + b.path("expires_at").asText("-")))
                .containsExactly(
                        "project_member project " + group + " -",
                        "project_viewer project - " + end,
                        own + " organization - -");
        var effective = me.body().path("effective");
        assertThat(effective).hasSize(2);
        assertThat(effective.get(0).path("project_id").asText()).isEqualTo(project);
        assertThat(strings(effective.get(0).path("actions")))
                .contains("apps.instance.create", "iam.organization.read")
                .doesNotContain("apps.instance.delete");
        assertThat(strings(effective.get(1).path("actions"))).containsExactly("iam.organization.read");
        var machine = platform.as("service_account").call("getMe").send().expect(200);
        assertThat(machine.body().path("bindings")).isEmpty();
        assertThat(strings(machine.body().at("/effective/0/actions"))).contains("apps.instance.create");
        assertThat(machine.body().at("/effective/0/project_id").asText()).isEqualTo(DemoData.PROJECT.toString());
    }
}

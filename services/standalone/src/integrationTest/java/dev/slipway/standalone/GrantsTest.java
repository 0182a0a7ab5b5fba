package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.contract.RoleRegistry;
import dev.slipway.standalone.Tenants.Tenant;
import dev.slipway.testkit.ApiClient.Answer;
import dev.slipway.testkit.ApiClient.Call;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.StreamSupport;

import static dev.slipway.standalone.Tenants.named;
import static dev.slipway.standalone.Tenants.texts;
import static dev.slipway.standalone.Tenants.told;
import static dev.slipway.standalone.Tenants.user;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Role bindings, owners, roles of one's own, and the scope registry. */
class GrantsTest {
    private static PlatformUnderTest platform;
    private static Tenants tenants;

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest();
        tenants = new Tenants(platform);
    }

    @AfterAll
    static void stop() {
        assertThat(platform.events().faults()).isEmpty();
        platform.close();
    }

    @Test
    void grant_isRefusedAndAudited_whenItExceedsWhatTheGiverHolds() {
        var tenant = tenants.create("modest");
        var project = tenants.project(tenant, "p");
        tenants.grant(tenant, "", "tenant_admin", "modest admin");
        tenants.grant(tenant, project, "project_admin", "modest project admin");

        var owner = grantAs("modest admin", "Organization", tenant.orgId(), "tenant_owner", "friend");
        var projectOwner = grantAs("modest project admin", "Project", project, "project_owner", "friend");
        var platformRole = platform.as("platform_ops")
                .call("createPlatformRoleBinding")
                .body(user("friend").put("role", "platform_ops"))
                .send();

        assertThat(List.of(told(owner), told(projectOwner))).containsOnly("403 grant_exceeds_own");
        assertThat(owner.text("message")).contains("iam.organization.delete");
        assertThat(told(platformRole)).isEqualTo("403 insufficient_permissions");
        eventually(() -> assertThat(tenants.audits("iam.binding.write", project))
                .anySatisfy(audit -> assertThat(audit.path("reason").asText()).isEqualTo("grant_exceeds_own")));
        grantAs("modest admin", "Organization", tenant.orgId(), "tenant_admin", "friend")
                .expect(201);
        grantAs("modest project admin", "Project", project, "project_member", "friend")
                .expect(201);
    }

    @Test
    void grant_isRefused_whenTheRoleTheHolderOrTheEndIsWrong() {
        var tenant = tenants.create("careful");
        var project = tenants.project(tenant, "p");
        var past = Instant.now().minusSeconds(1).toString();

        assertInvalid(grantAs(tenant.owner(), "Project", project, "tenant_admin", "x"), "/role");
        assertInvalid(grantAs(tenant.owner(), "Organization", tenant.orgId(), "project_viewer", "x"), "/role");
        assertInvalid(grantAs(tenant.owner(), "Project", project, "service_account", "x"), "/role");
        assertInvalid(grantAs(tenant.owner(), "Project", project, "no_such_role", "x"), "/role");
        assertInvalid(
                grant(tenant, project, user("x").put("role", "project_viewer").put("expires_at", past)), "/expires_at");
        assertInvalid(grant(tenant, project, Json.object().put("role", "project_viewer")), "/user_id");
        assertInvalid(
                grant(tenant, project, user("x").put("role", "project_viewer").put("group_id", project)), "/group_id");
        var atPlatform = platform.as("platform_superadmin")
                .call("createPlatformRoleBinding")
                .body(Json.object().put("role", "platform_ops").put("group_id", project))
                .send();
        assertInvalid(atPlatform, "/group_id");
    }

    @Test
    void grant_canBeReadListedAndWithdrawn_andStaysOnRecord() {
        var tenant = tenants.create("granting");
        var project = tenants.project(tenant, "p");
        var end = Instant.now()
                .plusSeconds(86_400)
                .truncatedTo(java.time.temporal.ChronoUnit.SECONDS)
                .toString();
        var made = tenants.done(
                tenants.call(tenant, "createProjectRoleBinding")
                        .path("project_id", project)
                        .body(user("granted").put("role", "project_viewer").put("expires_at", end)),
                201);
        var id = made.text("id");

        assertThat(made.header("Location")).isEqualTo("/api/v1/projects/" + project + "/role-bindings/" + id);
        tenants.last("authz.state", "binding:" + id, binding -> assertThat(
                        binding.path("expires_at").asText())
                .isEqualTo(end));
        tenants.person("granted")
                .call("getProject")
                .path("project_id", project)
                .send()
                .expect(200);
        var lasting = tenants.done(
                tenants.call(tenant, "createProjectRoleBinding")
                        .path("project_id", project)
                        .body(user("granted").put("role", "project_viewer")),
                201);
        assertThat(lasting.text("id")).as("granted again, it gets another end").isEqualTo(id);
        assertThat(lasting.body().path("expires_at").isNull()).isTrue();
        assertThat(binding("getProjectRoleBinding", tenant, project, id)
                        .expect(200)
                        .body())
                .isEqualTo(lasting.body());

        var removed = tenants.done(
                tenants.call(tenant, "deleteProjectRoleBinding")
                        .path("project_id", project)
                        .path("binding_id", id),
                200);

        assertThat(removed.body().path("removed_at").isTextual()).isTrue();
        assertThat(told(tenants.person("granted")
                        .call("getProject")
                        .path("project_id", project)
                        .send()))
                .isEqualTo("404 not_found");
        assertThat(binding("getProjectRoleBinding", tenant, project, id)
                        .expect(200)
                        .body())
                .isEqualTo(removed.body());
        assertThat(binding("deleteProjectRoleBinding", tenant, project, id)
                        .expect(200)
                        .body())
                .isEqualTo(removed.body());
        assertThat(texts(
                        tenants.call(tenant, "listProjectRoleBindings")
                                .path("project_id", project)
                                .send(),
                        "id"))
                .doesNotContain(id);
        eventually(() -> assertThat(tenants.audits("iam.binding.write", id))
                .extracting(audit -> audit.at("/metadata/before/expires_at") + " "
                        + audit.at("/metadata/after/removed_at").isTextual())
                .startsWith(" false", "\"" + end + "\" false", "null true"));
    }

    @Test
    void platformGrant_worksForThePlatform_only() {
        var made = tenants.done(
                platform.as("platform_superadmin")
                        .call("createPlatformRoleBinding")
                        .body(user("new operator").put("role", "platform_ops")),
                201);
        tenants.person("new operator").call("listAllOrganizations").send().expect(200);
        assertThat(told(tenants.person("new operator")
                        .call("getProject")
                        .path("project_id", Demo.PROJECT)
                        .send()))
                .isEqualTo("403 break_glass_required");
        var superadmin = platform.as("platform_superadmin");
        assertThat(texts(superadmin.call("listPlatformRoleBindings").send(), "id"))
                .contains(made.text("id"));
        superadmin
                .call("getPlatformRoleBinding")
                .path("binding_id", made.text("id"))
                .send()
                .expect(200);

        tenants.done(superadmin.call("deletePlatformRoleBinding").path("binding_id", made.text("id")), 200);

        assertThat(tenants.person("new operator")
                        .call("listAllOrganizations")
                        .send()
                        .status())
                .isEqualTo(403);
    }

    @Test
    void lastOwner_stays_howeverOneTriesToLoseThem() {
        var tenant = tenants.create("owned");
        var project = tenants.project(tenant, "p");
        var ofOrganization = texts(
                        tenants.call(tenant, "listOrganizationRoleBindings").send(), "id")
                .get(0);
        var ofProject = texts(
                        tenants.call(tenant, "listProjectRoleBindings")
                                .path("project_id", project)
                                .send(),
                        "id")
                .get(0);
        var soon = Instant.now().plusSeconds(3_600).toString();

        assertThat(told(binding("deleteOrganizationRoleBinding", tenant, "", ofOrganization)))
                .isEqualTo("409 last_owner");
        assertThat(told(binding("deleteProjectRoleBinding", tenant, project, ofProject)))
                .isEqualTo("409 last_owner");
        assertThat(told(grant(
                        tenant,
                        "",
                        user(tenant.owner()).put("role", "tenant_owner").put("expires_at", soon))))
                .as("an end for the last one")
                .isEqualTo("409 last_owner");
        grant(tenant, "", user("for a while").put("role", "tenant_owner").put("expires_at", soon))
                .expect(201);
        assertThat(told(binding("deleteOrganizationRoleBinding", tenant, "", ofOrganization)))
                .as("one with an end does not count")
                .isEqualTo("409 last_owner");

        var group = tenants.done(tenants.call(tenant, "createGroup").body(named("owners")), 201)
                .text("id");
        tenants.done(
                tenants.call(tenant, "createOrganizationRoleBinding")
                        .body(Json.object().put("role", "tenant_owner").put("group_id", group)),
                201);
        assertThat(told(binding("deleteOrganizationRoleBinding", tenant, "", ofOrganization)))
                .as("a group without members does not count")
                .isEqualTo("409 last_owner");
        var member = tenants.done(
                tenants.call(tenant, "addGroupMember").path("group_id", group).body(user("in the group")), 201);
        tenants.grant(tenant, "", "tenant_admin", "keeper");
        tenants.done(tenants.call(tenant, "deleteOrganizationRoleBinding").path("binding_id", ofOrganization), 200);
        var keeper = tenants.person("keeper");
        assertThat(told(keeper.call("removeGroupMember")
                        .path("org_id", tenant.orgId())
                        .path("group_id", group)
                        .path("user_id", member.text("user_id"))
                        .send()))
                .isEqualTo("409 last_owner");
        assertThat(told(keeper.call("deleteGroup")
                        .path("org_id", tenant.orgId())
                        .path("group_id", group)
                        .send()))
                .isEqualTo("409 last_owner");
        assertThat(keeper.call("getGroup")
                        .path("org_id", tenant.orgId())
                        .path("group_id", group)
                        .send()
                        .text("state"))
                .isEqualTo("active");
    }

    @Test
    void twoOwners_removedAtOnce_leaveOne() throws Exception {
        var threads = Executors.newFixedThreadPool(2);
        try {
            for (var round = 0; round < 5; round++) {
                var tenant = tenants.create("duel-" + round);
                tenants.grant(tenant, "", "tenant_admin", "referee");
                var first = texts(
                                tenants.call(tenant, "listOrganizationRoleBindings")
                                        .send(),
                                "id")
                        .get(1);
                var second = tenants.grant(tenant, "", "tenant_owner", "rival").text("id");
                var ready = new CountDownLatch(2);
                var removals = List.of(first, second).stream()
                        .map(id -> threads.submit(() -> {
                            ready.countDown();
                            ready.await();
                            return told(tenants.person("referee")
                                    .call("deleteOrganizationRoleBinding")
                                    .path("org_id", tenant.orgId())
                                    .path("binding_id", id)
                                    .send());
                        }))
                        .toList();

                assertThat(List.of(
                                removals.get(0).get(60, TimeUnit.SECONDS),
                                removals.get(1).get(60, TimeUnit.SECONDS)))
                        .containsExactlyInAnyOrder("200 ", "409 last_owner");
                assertThat(platform.database()
                                .query("SELECT count(*) FROM iam.role_bindings WHERE role = 'tenant_owner'"
                                        + " AND removed_at IS NULL AND org_id = '" + tenant.orgId() + "'"))
                        .isEqualTo("1");
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void addingToAGroup_isRefused_whenTheGroupHoldsMoreThanTheGiver() {
        var tenant = tenants.create("ladder");
        var group = tenants.done(tenants.call(tenant, "createGroup").body(named("owners")), 201)
                .text("id");
        tenants.done(
                tenants.call(tenant, "createOrganizationRoleBinding")
                        .body(Json.object().put("role", "tenant_owner").put("group_id", group)),
                201);
        tenants.grant(tenant, "", "tenant_admin", "climber");

        var climb = tenants.person("climber")
                .call("addGroupMember")
                .path("org_id", tenant.orgId())
                .path("group_id", group)
                .body(user("climber"))
                .send();

        assertThat(told(climb)).isEqualTo("403 grant_exceeds_own");
        tenants.call(tenant, "addGroupMember")
                .path("group_id", group)
                .body(user("climber"))
                .send()
                .expect(201);
    }

    @Test
    @Proves("C.29")
    void builtInRoles_areListed_andDoNotChange() {
        var tenant = tenants.create("standard");
        var listed = tenants.call(tenant, "listRoles").send().expect(200);

        assertThat(texts(listed, "role"))
                .containsExactlyInAnyOrderElementsOf(RoleRegistry.load().roles().stream()
                        .map(RoleRegistry.Role::name)
                        .toList());
        for (var role : texts(listed, "role")) {
            var more = Json.object().put("display_name", "mine");
            more.putArray("actions").add("apps.instance.read");
            assertThat(told(tenants.call(tenant, "updateRole")
                            .path("role", role)
                            .body(more)
                            .send()))
                    .isEqualTo("409 builtin_role");
            assertThat(told(tenants.call(tenant, "deleteRole")
                            .path("role", role)
                            .send()))
                    .isEqualTo("409 builtin_role");
        }
        assertThat(tenants.call(tenant, "listRoles").send().body()).isEqualTo(listed.body());
    }

    @Test
    void ownRole_isRefused_whenItExceedsItsAuthorOrHasNoActiveAction() {
        var tenant = tenants.create("authors");
        tenants.grant(tenant, "", "tenant_admin", "author");
        var own = role(tenants.person("author"), tenant, "R", "organization", "iam.organization.read")
                .expect(201);

        assertThat(told(role(tenants.person("author"), tenant, "X", "organization", "iam.organization.delete")))
                .isEqualTo("403 grant_exceeds_own");
        assertThat(told(role(tenants.person(tenant.owner()), tenant, "X", "organization", "iam.organization.create")))
                .as("a platform's action")
                .isEqualTo("403 grant_exceeds_own");
        assertInvalid(role(tenants.person("author"), tenant, "X", "project", "no.such_action"), "/actions/0");
        assertThat(told(role(tenants.person("author"), tenant, "R", "project", "apps.instance.read")))
                .isEqualTo("409 slug_taken");
        var wider = Json.object();
        wider.putArray("actions").add("iam.organization.read").add("iam.organization.delete");
        assertThat(told(tenants.person("author")
                        .call("updateRole")
                        .path("org_id", tenant.orgId())
                        .path("role", own.text("role"))
                        .body(wider)
                        .send()))
                .isEqualTo("403 grant_exceeds_own");
    }

    @Test
    @Proves("2.29")
    void ownRole_grantsItsActions_whateverItsLabel_untilItIsDeleted() {
        var tenant = tenants.create("tailored");
        var project = tenants.project(tenant, "p");
        var role = role(tenants.person(tenant.owner()), tenant, "Reader", "project", "iam.project.read")
                .expect(201)
                .text("role");
        tenants.grant(tenant, project, role, "reader");
        var reader = tenants.person("reader");

        reader.call("getProject").path("project_id", project).send().expect(200);
        assertThat(told(reader.call("listProjectUsers")
                        .path("project_id", project)
                        .send()))
                .isEqualTo("403 insufficient_permissions");
        tenants.done(
                tenants.call(tenant, "updateRole")
                        .path("role", role)
                        .body(Json.object().put("display_name", "Owner of all")),
                200);
        assertThat(told(reader.call("listProjectUsers")
                        .path("project_id", project)
                        .send()))
                .isEqualTo("403 insufficient_permissions");
        var more = Json.object();
        more.putArray("actions").add("iam.project.read").add("iam.user.read");
        tenants.done(tenants.call(tenant, "updateRole").path("role", role).body(more), 200);
        reader.call("listProjectUsers").path("project_id", project).send().expect(200);
        var shown = tenants.call(tenant, "getRole").path("role", role).send().expect(200);
        assertThat(shown.text("display_name")).isEqualTo("Owner of all");
        assertThat(shown.text("version")).isEqualTo("3");
        assertThat(texts(tenants.call(tenant, "listOrganizationRoles").send(), "role"))
                .contains(role, "tenant_owner");

        tenants.done(tenants.call(tenant, "deleteRole").path("role", role), 200);

        assertThat(reader.call("getProject").path("project_id", project).send().status())
                .isIn(403, 404);
        assertThat(texts(tenants.call(tenant, "listOrganizationRoles").send(), "role"))
                .doesNotContain(role);
        assertInvalid(grantAs(tenant.owner(), "Project", project, role, "x"), "/role");
        assertThat(tenants.call(tenant, "getRole").path("role", role).send().text("state"))
                .isEqualTo("deleted");
        eventually(() -> assertThat(tenants.audits("iam.role.write", role)).hasSize(4));
    }

    @Test
    @Proves("3.31")
    void scope_isForPeopleKeysAndAccounts_asLongAsItIsActive() {
        var scope = "looms.shuttle.throw";
        var body = Json.object()
                .put("scope_id", scope)
                .put("product_id", "looms")
                .put("risk_class", "low")
                .put("description", "Throw a shuttle.");
        body.putArray("default_roles").add("project_owner").add("service_account");
        tenants.done(platform.as("platform_superadmin").call("registerScope").body(body), 201);
        assertThat(decided("project_owner", scope)).isEqualTo("unknown_action");
        assertThat(told(key(scope).send())).isEqualTo("403 grant_exceeds_own");
        assertThat(told(account(scope).send())).isEqualTo("403 grant_exceeds_own");

        tenants.done(platform.as("platform_superadmin").call("activateScope").path("scope_id", scope), 200);

        var key = key(scope).send().expect(201);
        var account = tenants.done(account(scope), 201).text("id");
        var credential = CredentialCalls.credential(platform, Demo.PROJECT, account);
        var keyToken = platform.anonymous()
                .call("exchangeApiKeyToken")
                .body(CredentialCalls.client(key.text("api_key_id"), key.text("secret")))
                .send()
                .expect(200)
                .text("access_token");
        var accountToken = CredentialCalls.exchanged(platform, credential);
        assertThat(decided("project_owner", scope)).isEqualTo("allowed");
        assertThat(decided("project_admin", scope)).isEqualTo("not_granted");
        assertThat(decidedFor(keyToken, scope)).isEqualTo("allowed");
        assertThat(decidedFor(accountToken, scope)).isEqualTo("allowed");
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

        tenants.done(platform.as("platform_superadmin").call("retireScope").path("scope_id", scope), 200);

        assertThat(List.of(
                        decided("project_owner", scope), decidedFor(keyToken, scope), decidedFor(accountToken, scope)))
                .containsOnly("unknown_action");
    }

    private static String decided(String user, String action) {
        return decidedFor(platform.token(user), action);
    }

    /** What would become of the action in the demo project. */
    private static String decidedFor(String token, String action) {
        var question = Json.object();
        question.putObject("hierarchy").put("project_id", Demo.PROJECT.toString());
        question.putObject("product").put("action", action);
        return platform.anonymous()
                .as(token)
                .call("decide")
                .body(question)
                .send()
                .expect(200)
                .text("reason");
    }

    private static Call key(String action) {
        var body = Json.object()
                .put("name", "k")
                .put("expires_at", Instant.now().plusSeconds(3_600).toString());
        body.putArray("actions").add(action);
        return platform.as("project_owner").call("createApiKey").body(body);
    }

    private static Call account(String action) {
        return platform.as("project_owner")
                .call("createServiceAccount")
                .path("project_id", Demo.PROJECT)
                .body(CredentialCalls.account(action));
    }

    @Test
    void scope_goesThroughItsLife_andItsDefaultRolesWithIt() {
        var superadmin = platform.as("platform_superadmin");
        var body = Json.object()
                .put("scope_id", "robots.arm.move")
                .put("product_id", "robots")
                .put("risk_class", "high")
                .put("description", "Move an arm.");
        body.putArray("default_roles").add("project_owner").add("platform_superadmin");
        var draft = tenants.done(superadmin.call("registerScope").body(body), 201);

        assertThat(draft.text("lifecycle")).isEqualTo("draft");
        assertThat(draft.text("version")).isEqualTo("1");
        assertThat(told(superadmin.call("registerScope").body(body).send())).isEqualTo("409 slug_taken");
        assertThat(told(superadmin
                        .call("deprecateScope")
                        .path("scope_id", "robots.arm.move")
                        .send()))
                .isEqualTo("409 state_conflict");
        assertThat(actionsOf("project_owner")).doesNotContain("robots.arm.move");
        assertThat(to("activateScope").text("version")).isEqualTo("2");
        assertThat(actionsOf("project_owner")).contains("robots.arm.move");
        assertThat(actionsOf("project_admin")).doesNotContain("robots.arm.move");
        tenants.last("authz.state", "role:project_owner", role -> assertThat(
                        role.path("actions").toString())
                .contains("robots.arm.move"));
        tenants.last("authz.state", "action:robots.arm.move", action -> assertThat(
                        action.path("lifecycle").asText())
                .isEqualTo("active"));
        assertThat(to("deprecateScope").text("lifecycle")).isEqualTo("deprecated");
        assertThat(to("retireScope").text("lifecycle")).isEqualTo("retired");
        assertThat(actionsOf("project_owner")).doesNotContain("robots.arm.move");
        assertThat(told(superadmin
                        .call("activateScope")
                        .path("scope_id", "robots.arm.move")
                        .send()))
                .isEqualTo("409 state_conflict");
        assertThat(told(superadmin
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
    void seed_announcesEveryActionAndOrganization_once() {
        var actions = RoleRegistry.load().actions();
        for (var action : actions) {
            tenants.last("authz.state", "action:" + action, known -> assertThat(
                            known.path("lifecycle").asText())
                    .isEqualTo("active"));
        }
        tenants.last("authz.state", "organization:" + Demo.ORG, organization -> assertThat(
                        organization.path("state").asText())
                .isEqualTo("active"));
        assertThat(platform.events()
                        .where(seen -> seen.key().equals("action:" + actions.get(0))
                                && seen.topic().equals("authz.state")))
                .hasSize(1);
    }

    @Test
    void me_showsWhatIHold_andWhatItComesTo() {
        var tenant = tenants.create("mirror");
        var project = tenants.project(tenant, "p");
        var group = tenants.done(tenants.call(tenant, "createGroup").body(named("g")), 201)
                .text("id");
        tenants.done(
                tenants.call(tenant, "addGroupMember").path("group_id", group).body(user("me")), 201);
        tenants.done(
                tenants.call(tenant, "createProjectRoleBinding")
                        .path("project_id", project)
                        .body(Json.object().put("role", "project_member").put("group_id", group)),
                201);
        var end = "2099-01-01T00:00:00Z";
        tenants.done(
                tenants.call(tenant, "createProjectRoleBinding")
                        .path("project_id", project)
                        .body(user("me").put("role", "project_viewer").put("expires_at", end)),
                201);
        var own = role(tenants.person(tenant.owner()), tenant, "Org reader", "organization", "iam.organization.read")
                .text("role");
        tenants.grant(tenant, "", own, "me");

        var me = tenants.person("me").call("getMe").send().expect(200);

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
        assertThat(machine.body().at("/effective/0/project_id").asText()).isEqualTo(Demo.PROJECT.toString());
    }

    private static Answer to(String operation) {
        return tenants.done(
                platform.as("platform_superadmin").call(operation).path("scope_id", "robots.arm.move"), 200);
    }

    private static List<String> actionsOf(String role) {
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

    private static Answer role(
            dev.slipway.testkit.ApiClient author, Tenant tenant, String label, String level, String action) {
        var body = Json.object().put("display_name", label).put("level", level);
        body.putArray("actions").add(action);
        return author.call("createRole")
                .path("org_id", tenant.orgId())
                .body(body)
                .send();
    }

    private static Answer grantAs(String giver, String place, String placeId, String role, String subject) {
        return tenants.person(giver)
                .call("create" + place + "RoleBinding")
                .path("org_id", placeId)
                .path("project_id", placeId)
                .body(user(subject).put("role", role))
                .send();
    }

    private static Answer grant(Tenant tenant, String project, ObjectNode body) {
        return project.isEmpty()
                ? tenants.call(tenant, "createOrganizationRoleBinding")
                        .body(body)
                        .send()
                : tenants.call(tenant, "createProjectRoleBinding")
                        .path("project_id", project)
                        .body(body)
                        .send();
    }

    private static Answer binding(String operation, Tenant tenant, String project, String id) {
        return tenants.call(tenant, operation)
                .path("project_id", project)
                .path("binding_id", id)
                .send();
    }

    private static void assertInvalid(Answer answer, String field) {
        assertThat(told(answer)).as("%s", answer.body()).isEqualTo("400 validation_error");
        assertThat(answer.body().at("/details/fields/0/field").asText()).isEqualTo(field);
    }

    private static List<String> strings(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false)
                .map(JsonNode::asText)
                .toList();
    }
}

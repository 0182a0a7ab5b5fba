package dev.slipway.standalone;

import dev.slipway.contract.Json;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import static dev.slipway.standalone.TenantCalls.namedBody;
import static dev.slipway.standalone.TenantCalls.statusAndCode;
import static dev.slipway.standalone.TenantCalls.texts;
import static dev.slipway.standalone.TenantCalls.userReference;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Role bindings: who may grant them, to whom, and which owners must remain. */
class GrantsTest extends GrantTestBase {
    @Test
    void grant_isRefusedAndAudited_whenTheCallerLacksTheActions() {
        var tenant = tenantCalls.create("modest");
        var project = tenantCalls.project(tenant, "p");
        tenantCalls.grant(tenant, "", "tenant_admin", "modest admin");
        tenantCalls.grant(tenant, project, "project_admin", "modest project admin");

        var owner = grantAs("modest admin", "Organization", tenant.orgId(), "tenant_owner", "friend");
        var projectOwner = grantAs("modest project admin", "Project", project, "project_owner", "friend");
        var platformRole = platform.as("platform_ops")
                .call("createPlatformRoleBinding")
                .body(userReference("friend").put("role", "platform_ops"))
                .send();

        assertThat(List.of(statusAndCode(owner), statusAndCode(projectOwner))).containsOnly("403 grant_exceeds_own");
        assertThat(owner.text("message")).contains("apps.shared_runtime.attachment.force_detach");
        assertThat(statusAndCode(platformRole)).isEqualTo("403 insufficient_permissions");
        eventually(() -> assertThat(tenantCalls.audits("iam.binding.write", project))
                .anySatisfy(audit -> assertThat(audit.path("reason").asText()).isEqualTo("grant_exceeds_own")));
        grantAs("modest admin", "Organization", tenant.orgId(), "tenant_admin", "friend")
                .expect(201);
        grantAs("modest project admin", "Project", project, "project_member", "friend")
                .expect(201);
    }

    @Test
    void grant_isRefused_whenRoleHolderOrExpiryIsInvalid() {
        var tenant = tenantCalls.create("careful");
        var project = tenantCalls.project(tenant, "p");
        var past = Instant.now().minusSeconds(1).toString();

        assertInvalid(grantAs(tenant.owner(), "Project", project, "tenant_admin", "x"), "/role");
        assertInvalid(grantAs(tenant.owner(), "Organization", tenant.orgId(), "project_viewer", "x"), "/role");
        assertInvalid(grantAs(tenant.owner(), "Project", project, "service_account", "x"), "/role");
        assertInvalid(grantAs(tenant.owner(), "Project", project, "no_such_role", "x"), "/role");
        assertInvalid(
                grant(
                        tenant,
                        project,
                        userReference("x").put("role", "project_viewer").put("expires_at", past)),
                "/expires_at");
        assertInvalid(grant(tenant, project, Json.object().put("role", "project_viewer")), "/user_id");
        assertInvalid(
                grant(
                        tenant,
                        project,
                        userReference("x").put("role", "project_viewer").put("group_id", project)),
                "/group_id");
        var atPlatform = platform.as("platform_superadmin")
                .call("createPlatformRoleBinding")
                .body(Json.object().put("role", "platform_ops").put("group_id", project))
                .send();
        assertInvalid(atPlatform, "/group_id");
    }

    @Test
    void grant_canBeReadListedAndRemoved_andIsKeptAsHistory() {
        var tenant = tenantCalls.create("granting");
        var project = tenantCalls.project(tenant, "p");
        var end = Instant.now()
                .plusSeconds(86_400)
                .truncatedTo(java.time.temporal.ChronoUnit.SECONDS)
                .toString();
        var made = tenantCalls.sendAndAwaitRevision(
                tenantCalls
                        .call(tenant, "createProjectRoleBinding")
                        .path("project_id", project)
                        .body(userReference("granted")
                                .put("role", "project_viewer")
                                .put("expires_at", end)),
                201);
        var id = made.text("id");

        assertThat(made.header("Location")).isEqualTo("/api/v1/projects/" + project + "/role-bindings/" + id);
        tenantCalls.awaitLatest("authz.state", "binding:" + id, binding -> assertThat(
                        binding.path("expires_at").asText())
                .isEqualTo(end));
        tenantCalls
                .person("granted")
                .call("getProject")
                .path("project_id", project)
                .send()
                .expect(200);
        var lasting = tenantCalls.sendAndAwaitRevision(
                tenantCalls
                        .call(tenant, "createProjectRoleBinding")
                        .path("project_id", project)
                        .body(userReference("granted").put("role", "project_viewer")),
                201);
        assertThat(lasting.text("id")).as("granted again, it gets another end").isEqualTo(id);
        assertThat(lasting.body().path("expires_at").isNull()).isTrue();
        assertThat(binding("getProjectRoleBinding", tenant, project, id)
                        .expect(200)
                        .body())
                .isEqualTo(lasting.body());

        var removed = tenantCalls.sendAndAwaitRevision(
                tenantCalls
                        .call(tenant, "deleteProjectRoleBinding")
                        .path("project_id", project)
                        .path("binding_id", id),
                200);

        assertThat(removed.body().path("removed_at").isTextual()).isTrue();
        assertThat(statusAndCode(tenantCalls
                        .person("granted")
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
                        tenantCalls
                                .call(tenant, "listProjectRoleBindings")
                                .path("project_id", project)
                                .send(),
                        "id"))
                .doesNotContain(id);
        eventually(() -> assertThat(tenantCalls.audits("iam.binding.write", id))
                .extracting(audit -> audit.at("/metadata/before/expires_at") + " "
                        + audit.at("/metadata/after/removed_at").isTextual())
                .startsWith(" false", "\"" + end + "\" false", "null true"));
    }

    @Test
    void platformGrant_countsOnlyAtThePlatform() {
        var made = tenantCalls.sendAndAwaitRevision(
                platform.as("platform_superadmin")
                        .call("createPlatformRoleBinding")
                        .body(userReference("new operator").put("role", "platform_ops")),
                201);
        tenantCalls.person("new operator").call("listAllOrganizations").send().expect(200);
        assertThat(statusAndCode(tenantCalls
                        .person("new operator")
                        .call("getProject")
                        .path("project_id", DemoData.PROJECT)
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

        tenantCalls.sendAndAwaitRevision(
                superadmin.call("deletePlatformRoleBinding").path("binding_id", made.text("id")), 200);

        assertThat(tenantCalls
                        .person("new operator")
                        .call("listAllOrganizations")
                        .send()
                        .status())
                .isEqualTo(403);
    }

    @Test
    void lastOwner_cannotBeRemoved_inAnyWay() {
        var tenant = tenantCalls.create("owned");
        var project = tenantCalls.project(tenant, "p");
        var ofOrganization = texts(
                        tenantCalls.call(tenant, "listOrganizationRoleBindings").send(), "id")
                .get(0);
        var ofProject = texts(
                        tenantCalls
                                .call(tenant, "listProjectRoleBindings")
                                .path("project_id", project)
                                .send(),
                        "id")
                .get(0);
        var soon = Instant.now().plusSeconds(3_600).toString();
        var owner = binding("getOrganizationRoleBinding", tenant, "", ofOrganization)
                .expect(200);
        assertThat(List.of(owner.text("id"), owner.text("role"), owner.text("level"), owner.text("org_id")))
                .containsExactly(ofOrganization, "tenant_owner", "organization", tenant.orgId());

        assertThat(statusAndCode(binding("deleteOrganizationRoleBinding", tenant, "", ofOrganization)))
                .isEqualTo("409 last_owner");
        assertThat(statusAndCode(binding("deleteProjectRoleBinding", tenant, project, ofProject)))
                .isEqualTo("409 last_owner");
        assertThat(statusAndCode(grant(
                        tenant,
                        "",
                        userReference(tenant.owner())
                                .put("role", "tenant_owner")
                                .put("expires_at", soon))))
                .as("an end for the last one")
                .isEqualTo("409 last_owner");
        grant(
                        tenant,
                        "",
                        userReference("for a while").put("role", "tenant_owner").put("expires_at", soon))
                .expect(201);
        assertThat(statusAndCode(binding("deleteOrganizationRoleBinding", tenant, "", ofOrganization)))
                .as("one with an end does not count")
                .isEqualTo("409 last_owner");

        var group = tenantCalls
                .sendAndAwaitRevision(tenantCalls.call(tenant, "createGroup").body(namedBody("owners")), 201)
                .text("id");
        tenantCalls.sendAndAwaitRevision(
                tenantCalls
                        .call(tenant, "createOrganizationRoleBinding")
                        .body(Json.object().put("role", "tenant_owner").put("group_id", group)),
                201);
        assertThat(statusAndCode(binding("deleteOrganizationRoleBinding", tenant, "", ofOrganization)))
                .as("a group without members does not count")
                .isEqualTo("409 last_owner");
        var member = tenantCalls.sendAndAwaitRevision(
                tenantCalls
                        .call(tenant, "addGroupMember")
                        .path("group_id", group)
                        .body(userReference("in the group")),
                201);
        tenantCalls.sendAndAwaitRevision(
                tenantCalls.call(tenant, "deleteOrganizationRoleBinding").path("binding_id", ofOrganization), 200);
        var keeper = tenantCalls.person("in the group");
        assertThat(statusAndCode(keeper.call("removeGroupMember")
                        .path("org_id", tenant.orgId())
                        .path("group_id", group)
                        .path("user_id", member.text("user_id"))
                        .send()))
                .isEqualTo("409 last_owner");
        assertThat(statusAndCode(keeper.call("deleteGroup")
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
    void removeOwners_leavesOne_whenTwoAreRemovedAtOnce() throws Exception {
        var threads = Executors.newFixedThreadPool(2);
        try {
            for (var round = 0; round < 5; round++) {
                var tenant = tenantCalls.create("duel-" + round);
                var first = texts(
                                tenantCalls
                                        .call(tenant, "listOrganizationRoleBindings")
                                        .send(),
                                "id")
                        .get(0);
                var second =
                        tenantCalls.grant(tenant, "", "tenant_owner", "rival").text("id");
                var ready = new CountDownLatch(2);
                var removals = List.of(first, second).stream()
                        .map(id -> threads.submit(() -> {
                            ready.countDown();
                            ready.await();
                            return statusAndCode(platform.as("platform_superadmin")
                                    .call("adminDeleteOrganizationRoleBinding")
                                    .header("X-Break-Glass-Reason", "two owners at once")
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
    void addGroupMember_isRefused_whenTheCallerLacksTheGroupsActions() {
        var tenant = tenantCalls.create("ladder");
        var group = tenantCalls
                .sendAndAwaitRevision(tenantCalls.call(tenant, "createGroup").body(namedBody("owners")), 201)
                .text("id");
        tenantCalls.sendAndAwaitRevision(
                tenantCalls
                        .call(tenant, "createOrganizationRoleBinding")
                        .body(Json.object().put("role", "tenant_owner").put("group_id", group)),
                201);
        tenantCalls.grant(tenant, "", "tenant_admin", "climber");

        var climb = tenantCalls
                .person("climber")
                .call("addGroupMember")
                .path("org_id", tenant.orgId())
                .path("group_id", group)
                .body(userReference("climber"))
                .send();

        assertThat(statusAndCode(climb)).isEqualTo("403 grant_exceeds_own");
        tenantCalls
                .call(tenant, "addGroupMember")
                .path("group_id", group)
                .body(userReference("climber"))
                .send()
                .expect(201);
    }
}

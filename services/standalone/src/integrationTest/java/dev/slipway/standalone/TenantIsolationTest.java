package dev.slipway.standalone;

import dev.slipway.contract.ApiOperation;
import dev.slipway.contract.ApiOperation.Scope;
import dev.slipway.contract.Json;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;

import static dev.slipway.standalone.TenantCalls.namedBody;
import static dev.slipway.standalone.TenantCalls.statusAndCode;
import static dev.slipway.standalone.TenantCalls.texts;
import static dev.slipway.standalone.TenantCalls.userReference;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Checks that tenants cannot see each other, and that every write of a tenant is scoped, audited and idempotent. */
class TenantIsolationTest extends TenancyTestBase {
    @Test
    @Proves({"1.72", "2.26"})
    void everyOperation_isNotFound_forAnotherTenant() {
        var theirs = tenantCalls.create("secretive");
        var ids = things(theirs);
        var nosy = tenantCalls.create("nosy");
        var own = tenantCalls.project(nosy, "own");
        var answers = new ArrayList<String>();
        for (var apiOperation : operations(Scope.ORGANIZATION, Scope.PROJECT)) {
            var there = call(tenantCalls.person(nosy.owner()), apiOperation, ids);
            answers.add(apiOperation.id() + " there: " + statusAndCode(there.send()));
            var names = apiOperation.path().replace("{org_id}", "").replace("{project_id}", "");
            if (names.contains("{")) {
                var here = new HashMap<>(ids);
                here.put("org_id", nosy.orgId());
                here.put("project_id", own);
                answers.add(apiOperation.id() + " here: "
                        + statusAndCode(call(tenantCalls.person(nosy.owner()), apiOperation, here)
                                .send()));
            }
        }

        assertThat(answers).hasSizeGreaterThan(50).allMatch(answer -> answer.endsWith(": 404 not_found"));
    }

    @Test
    void everyReferenceInABody_isNotFound_forAnotherTenant() {
        var theirs = tenantCalls.create("hidden");
        var ids = things(theirs);
        var nosy = tenantCalls.create("prying");
        var project = tenantCalls.project(nosy, "own");
        var group = tenantCalls
                .sendAndAwaitRevision(tenantCalls.call(nosy, "createGroup").body(namedBody("g")), 201)
                .text("id");
        var viewer = Json.object().put("role", "project_viewer");
        var foreign = List.of(
                tenantCalls
                        .call(nosy, "createProject")
                        .body(namedBody("x").put("department_id", ids.get("department_id"))),
                tenantCalls
                        .call(nosy, "updateProject")
                        .path("project_id", project)
                        .body(Json.object().put("department_id", ids.get("department_id"))),
                tenantCalls
                        .call(nosy, "addGroupMember")
                        .path("group_id", group)
                        .body(Json.object().put("user_id", ids.get("user_id"))),
                tenantCalls
                        .call(nosy, "createProjectRoleBinding")
                        .path("project_id", project)
                        .body(viewer.deepCopy().put("user_id", ids.get("user_id"))),
                tenantCalls
                        .call(nosy, "createProjectRoleBinding")
                        .path("project_id", project)
                        .body(viewer.deepCopy().put("group_id", ids.get("group_id"))));

        assertThat(foreign)
                .allSatisfy(call -> assertThat(statusAndCode(call.send())).isEqualTo("404 not_found"));
        var role = tenantCalls
                .call(nosy, "createOrganizationRoleBinding")
                .body(userReference("someone").put("role", ids.get("role")))
                .send()
                .expect(400);
        assertThat(role.body().at("/details/fields/0/field").asText()).isEqualTo("/role");
    }

    @Test
    void everyPlatformOperation_isRefused_forTenantRoles() {
        var tenant = tenantCalls.create("ambitious");
        var ids = things(tenant);
        for (var apiOperation : operations(Scope.PLATFORM)) {
            assertThat(statusAndCode(call(tenantCalls.person(tenant.owner()), apiOperation, ids)
                            .send()))
                    .as(apiOperation.id())
                    .isEqualTo("403 insufficient_permissions");
        }
    }

    @Test
    void lists_containOnlyAccessibleResources() {
        var one = tenantCalls.create("list-one");
        var other = tenantCalls.create("list-other");
        var first = tenantCalls.project(one, "first");
        var second = tenantCalls.project(one, "second");
        tenantCalls.project(other, "third");
        tenantCalls.grant(one, first, "project_viewer", "list viewer");

        assertThat(texts(tenantCalls.call(one, "listOrganizations").send(), "id"))
                .containsExactly(one.orgId());
        assertThat(texts(tenantCalls.call(one, "listProjects").send(), "id")).containsExactly(second, first);
        assertThat(texts(
                        tenantCalls
                                .call(one, "listProjects")
                                .query("org_id=" + other.orgId())
                                .send(),
                        "id"))
                .isEmpty();
        assertThat(texts(tenantCalls.call(one, "listOrganizationProjects").send(), "id"))
                .containsExactly(second, first);
        var viewer = tenantCalls.person("list viewer");
        assertThat(texts(viewer.call("listProjects").send(), "id")).containsExactly(first);
        assertThat(texts(viewer.call("listOrganizations").send(), "id")).isEmpty();
        assertThat(texts(tenantCalls.call(one, "listOrganizationUsers").send(), "subject"))
                .containsExactlyInAnyOrder(one.owner(), "list viewer");
        assertThat(texts(
                        viewer.call("listProjectUsers")
                                .path("project_id", first)
                                .send(),
                        "subject"))
                .containsExactlyInAnyOrder(one.owner(), "list viewer");
        assertThat(texts(
                        tenantCalls
                                .call(one, "listProjectUsers")
                                .path("project_id", second)
                                .send(),
                        "subject"))
                .containsExactly(one.owner());
        var all = platform.as("platform_ops")
                .call("listAllOrganizations")
                .query("limit=500")
                .send();
        assertThat(texts(all.expect(200), "id")).contains(one.orgId(), other.orgId(), DemoData.ORG.toString());
        assertThat(texts(
                        platform.as("platform_ops")
                                .call("listPlatformUsers")
                                .query("limit=500")
                                .send(),
                        "subject"))
                .contains(one.owner(), other.owner(), "list viewer");
    }

    @Test
    void lists_continueAfterThePreviousPage() {
        var tenant = tenantCalls.create("paged");
        var made = new ArrayList<String>();
        for (var i = 0; i < 5; i++) {
            made.add(0, tenantCalls.project(tenant, "p" + i));
        }

        var seen = new ArrayList<String>();
        var cursor = "";
        do {
            var page = tenantCalls
                    .call(tenant, "listProjects")
                    .query("limit=2" + cursor)
                    .send()
                    .expect(200);
            seen.addAll(texts(page, "id"));
            cursor = page.body().path("next_cursor").isNull() ? "" : "&cursor=" + page.text("next_cursor");
        } while (!cursor.isEmpty());

        assertThat(seen).isEqualTo(made);
    }

    @Test
    void user_isRefused_whileDisabled() {
        var tenant = tenantCalls.create("guarded");
        tenantCalls.grant(tenant, "", "tenant_admin", "guarded admin");
        var id = texts(tenantCalls.call(tenant, "listOrganizationUsers").send(), "id")
                .get(0);
        assertThat(tenantCalls
                        .call(tenant, "getOrganizationUser")
                        .path("user_id", id)
                        .send()
                        .expect(200)
                        .text("subject"))
                .isEqualTo("guarded admin");
        tenantCalls.person("guarded admin").call("getMe").send().expect(200);

        tenantCalls.sendAndAwaitRevision(
                platform.as("platform_ops").call("disableUser").path("user_id", id), 200);

        assertThat(tenantCalls.person("guarded admin").call("getMe").send().status())
                .isEqualTo(401);
        tenantCalls.awaitLatest("authz.state", "principal:" + id, said -> assertThat(
                        said.path("active").asBoolean())
                .isFalse());
        assertThat(platform.as("platform_ops")
                        .call("getPlatformUser")
                        .path("user_id", id)
                        .send()
                        .text("state"))
                .isEqualTo("disabled");
        tenantCalls.sendAndAwaitRevision(
                platform.as("platform_ops").call("enableUser").path("user_id", id), 200);
        tenantCalls.person("guarded admin").call("getMe").send().expect(200);
        eventually(() -> assertThat(tenantCalls.audits("iam.user.disable", id))
                .extracting(audit -> audit.at("/metadata/before/state").asText() + " "
                        + audit.at("/metadata/after/state").asText())
                .containsExactly("active disabled", "disabled active"));
    }

    @Test
    void everyWrite_isAuditedOnceAndReplayed_whenItsKeyIsRepeated() {
        var tenant = tenantCalls.create("repeated");
        var ids = things(tenant);
        var writes = new ArrayList<>(operations(Scope.ORGANIZATION, Scope.PROJECT).stream()
                .filter(ApiOperation::isMutation)
                .toList());
        // What takes a thing away comes after what changes it, and the organization, which everything is in, is spared.
        writes.removeIf(apiOperation -> apiOperation.id().equals("deleteOrganization"));
        writes.sort(Comparator.comparing(TenancyTest::takesAway));
        var ofOrganization =
                tenantCalls.grant(tenant, "", "tenant_admin", "admin").text("id");
        for (var apiOperation : writes) {
            var there = new HashMap<>(ids);
            if (apiOperation.scope() == Scope.ORGANIZATION) {
                there.put("binding_id", ofOrganization);
            }
            var caller = tenantCalls.person(tenant.owner());
            var first = once(call(caller, apiOperation, there), apiOperation);
            var second = once(call(caller, apiOperation, there), apiOperation);
            assertThat(second.body()).as(apiOperation.id()).isEqualTo(first.body());
            assertThat(second.header("Location")).as(apiOperation.id()).isEqualTo(first.header("Location"));
            assertThat(Long.parseLong(second.header("X-Revision")))
                    .as(apiOperation.id())
                    .isGreaterThanOrEqualTo(Long.parseLong(first.header("X-Revision")));
            eventually(() -> assertThat(audited(first))
                    .as(apiOperation.id())
                    .singleElement()
                    .satisfies(audit -> {
                        assertThat(audit.path("action").asText()).isEqualTo(apiOperation.action());
                        assertThat(audit.path("result").asText()).isEqualTo("success");
                        assertThat(audit.path("org_id").asText()).isEqualTo(tenant.orgId());
                        assertThat(audit.at("/metadata/after")).isEqualTo(first.body());
                        assertThat(audit.at("/metadata/before").isNull()).isEqualTo(isNew(apiOperation));
                    }));
            assertThat(audited(second)).as(apiOperation.id()).isEmpty();
        }
        var launched = platform.launch("project_owner", "audited").send().expect(202);
        var deleted = platform.instance("deleteAppInstance", "project_owner", launched.text("id"))
                .send()
                .expect(202);
        eventually(() -> assertThat(audited(launched)).hasSize(1));
        eventually(() -> assertThat(audited(deleted)).hasSize(1));
    }

    @Test
    @Proves("1.27")
    void instance_hasOrganizationOfItsProject_regardlessOfRequest() {
        var told = PlatformUnderTest.launchBody("elsewhere").put("org_id", DemoData.OTHER_ORG.toString());
        var refused = platform.as("project_owner")
                .call("createAppInstance")
                .path("project_id", DemoData.PROJECT)
                .body(told)
                .send();

        assertThat(statusAndCode(refused)).isEqualTo("400 validation_error");
        assertThat(refused.body().at("/details/fields/0/field").asText()).isEqualTo("/org_id");
        assertThat(platform.launch("project_owner", "here").send().expect(202).text("org_id"))
                .isEqualTo(DemoData.ORG.toString());
        assertThat(platform.launchIn(DemoData.OTHER_PROJECT, "other_tenant_owner", "there")
                        .send()
                        .expect(202)
                        .text("org_id"))
                .isEqualTo(DemoData.OTHER_ORG.toString());
    }
}

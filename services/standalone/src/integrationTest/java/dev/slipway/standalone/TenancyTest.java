package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Json;
import dev.slipway.standalone.TenantCalls.Tenant;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;

import java.util.List;

import static dev.slipway.standalone.TenantCalls.namedBody;
import static dev.slipway.standalone.TenantCalls.statusAndCode;
import static dev.slipway.standalone.TenantCalls.texts;
import static dev.slipway.standalone.TenantCalls.userReference;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Organizations, departments, projects and groups through the API. */
class TenancyTest extends TenancyTestBase {
    @Test
    void organization_isRefused_whenSlugIsTakenOrProjectsExist() {
        var tenant = tenantCalls.create("taken");
        var again = platform.as("platform_superadmin")
                .call("createOrganization")
                .body(namedBody("taken"))
                .send();
        var project = tenantCalls.project(tenant, "only");

        assertThat(statusAndCode(again)).isEqualTo("409 slug_taken");
        assertThat(statusAndCode(tenantCalls.call(tenant, "deleteOrganization").send()))
                .isEqualTo("409 not_empty");
        tenantCalls.sendAndAwaitRevision(
                tenantCalls.call(tenant, "deleteProject").path("project_id", project), 200);
        tenantCalls.sendAndAwaitRevision(tenantCalls.call(tenant, "deleteOrganization"), 200);
        tenantCalls.awaitLatest("authz.state", "organization:" + tenant.orgId(), organization -> assertThat(
                        organization.path("state").asText())
                .isEqualTo("deleted"));
        assertThat(statusAndCode(platform.as("platform_superadmin")
                        .call("createOrganization")
                        .body(namedBody("taken"))
                        .send()))
                .isEqualTo("409 slug_taken");
    }

    @Test
    void organization_cannotBeChanged_onceDeleted() {
        var tenant = tenantCalls.create("gone");
        var ids = things(tenant);
        tenantCalls.sendAndAwaitRevision(
                tenantCalls.call(tenant, "deleteProject").path("project_id", ids.get("project_id")), 200);
        var deleted = tenantCalls.sendAndAwaitRevision(tenantCalls.call(tenant, "deleteOrganization"), 200);

        for (var operation : List.of(
                "updateOrganization",
                "createDepartment",
                "createProject",
                "createGroup",
                "createRole",
                "createOrganizationRoleBinding")) {
            var refused = call(tenantCalls.person(tenant.owner()), CONTRACT.operation(operation), ids)
                    .send();
            assertThat(statusAndCode(refused)).as(operation).isEqualTo("409 resource_deleted");
        }
        assertThat(tenantCalls
                        .call(tenant, "deleteOrganization")
                        .send()
                        .expect(200)
                        .body())
                .isEqualTo(deleted.body());
        assertThat(tenantCalls
                        .call(tenant, "getOrganization")
                        .send()
                        .expect(200)
                        .text("state"))
                .isEqualTo("deleted");
    }

    @Test
    void createOrganization_createsDepartmentAndOwner_andPublishes() {
        tenantCalls.createPlan("gold");
        var made = tenantCalls.sendAndAwaitRevision(
                platform.as("platform_superadmin")
                        .call("createOrganization")
                        .body(namedBody("fresh").put("plan", "gold").set("owner", userReference("fresh owner"))),
                201);
        var tenant = new Tenant(made.text("id"), "fresh owner");

        assertThat(made.header("Location")).isEqualTo("/api/v1/orgs/" + tenant.orgId());
        var departments = tenantCalls.call(tenant, "listDepartments").send().expect(200);
        assertThat(texts(departments, "is_default")).containsExactly("true");
        assertThat(texts(tenantCalls.call(tenant, "listProjects").send(), "id")).isEmpty();
        tenantCalls.sendAndAwaitRevision(
                tenantCalls
                        .call(tenant, "updateOrganization")
                        .body(Json.object().put("display_name", "Renamed").put("plan", "gold")),
                200);
        tenantCalls.setPlan(tenant, "silver");
        var key = "organization:" + tenant.orgId();
        tenantCalls.awaitLatest("iam.state", key, snapshot -> {
            assertThat(snapshot.path("display_name").asText()).isEqualTo("Renamed");
            assertThat(snapshot.path("plan").asText()).isEqualTo("silver");
            tenantCalls.awaitLatest("authz.state", key, state -> assertThat(state.path("revision"))
                    .isEqualTo(snapshot.path("revision")));
        });
        eventually(() -> assertThat(tenantCalls.audits("iam.organization.update", tenant.orgId()))
                .allSatisfy(audit -> assertThat(audit.path("org_id").asText()).isEqualTo(tenant.orgId()))
                .extracting(TenancyTest::describeUpdate)
                .containsExactlyInAnyOrder(
                        "Named fresh, gold -> Renamed, gold",
                        "access: The tenant ordered another plan",
                        "Renamed, gold -> Renamed, silver"));
    }

    /** The admin variant is recorded twice: the access with its reason, and the change. */
    private static String describeUpdate(JsonNode audit) {
        var metadata = audit.path("metadata");
        return metadata.path("break_glass").asBoolean()
                ? "access: " + audit.path("reason").asText()
                : nameAndPlan(metadata.path("before")) + " -> " + nameAndPlan(metadata.path("after"));
    }

    private static String nameAndPlan(JsonNode organization) {
        return organization.path("display_name").asText() + ", "
                + organization.path("plan").asText();
    }

    @Test
    void createOrganization_makesTheCallerOwner_whenNoneIsNamed() {
        var made = tenantCalls.sendAndAwaitRevision(
                platform.as("platform_superadmin").call("createOrganization").body(namedBody("self-owned")), 201);

        assertThat(platform.as("platform_superadmin")
                        .call("getOrganization")
                        .path("org_id", made.text("id"))
                        .send()
                        .expect(200)
                        .text("slug"))
                .isEqualTo("self-owned");
    }

    @Test
    void departments_canBeCreatedAndDeleted_exceptTheDefaultOne() {
        var tenant = tenantCalls.create("departed");
        var byDefault =
                texts(tenantCalls.call(tenant, "listDepartments").send(), "id").get(0);
        var made = tenantCalls.sendAndAwaitRevision(
                tenantCalls.call(tenant, "createDepartment").body(namedBody("research")), 201);
        var department = made.text("id");
        var inIt = tenantCalls.sendAndAwaitRevision(
                tenantCalls.call(tenant, "createProject").body(namedBody("p").put("department_id", department)), 201);

        assertThat(statusAndCode(tenantCalls
                        .call(tenant, "createDepartment")
                        .body(namedBody("research"))
                        .send()))
                .isEqualTo("409 slug_taken");
        assertThat(statusAndCode(tenantCalls
                        .call(tenant, "deleteDepartment")
                        .path("department_id", byDefault)
                        .send()))
                .isEqualTo("409 state_conflict");
        assertThat(statusAndCode(tenantCalls
                        .call(tenant, "deleteDepartment")
                        .path("department_id", department)
                        .send()))
                .isEqualTo("409 not_empty");
        tenantCalls.sendAndAwaitRevision(
                tenantCalls
                        .call(tenant, "updateDepartment")
                        .path("department_id", department)
                        .body(Json.object().put("display_name", "Renamed")),
                200);
        assertThat(tenantCalls
                        .call(tenant, "getDepartment")
                        .path("department_id", department)
                        .send()
                        .text("display_name"))
                .isEqualTo("Renamed");
        tenantCalls.sendAndAwaitRevision(
                tenantCalls
                        .call(tenant, "updateProject")
                        .path("project_id", inIt.text("id"))
                        .body(Json.object().put("department_id", byDefault)),
                200);
        tenantCalls.sendAndAwaitRevision(
                tenantCalls.call(tenant, "deleteDepartment").path("department_id", department), 200);
        assertThat(texts(tenantCalls.call(tenant, "listDepartments").send(), "id"))
                .containsExactly(byDefault);
        tenantCalls.awaitLatest("iam.state", "department:" + department, said -> assertThat(
                        said.path("state").asText())
                .isEqualTo("deleted"));
        assertThat(statusAndCode(tenantCalls
                        .call(tenant, "createProject")
                        .body(namedBody("q").put("department_id", department))
                        .send()))
                .isEqualTo("409 resource_deleted");
    }

    @Test
    void createProject_createsOwnerAndOperatorAccount_inOneCommit() {
        var tenant = tenantCalls.create("building");
        var made = tenantCalls.sendAndAwaitRevision(
                tenantCalls.call(tenant, "createProject").body(namedBody("site")), 201);
        var id = made.text("id");

        assertThat(statusAndCode(tenantCalls
                        .call(tenant, "createProject")
                        .body(namedBody("site"))
                        .send()))
                .isEqualTo("409 slug_taken");
        var bindings = tenantCalls
                .call(tenant, "listProjectRoleBindings")
                .path("project_id", id)
                .send()
                .expect(200);
        assertThat(texts(bindings, "role")).containsExactly("project_owner");
        tenantCalls.awaitLatest("authz.state", "principal:" + made.text("operator_service_account_id"), operator -> {
            assertThat(operator.path("project_id").asText()).isEqualTo(id);
            assertThat(operator.path("org_id").asText()).isEqualTo(tenant.orgId());
            assertThat(operator.path("allowed_actions"))
                    .extracting(Object::toString)
                    .contains("\"apps.instance.report\"");
            assertThat(operator.path("revision").asText()).isEqualTo(made.header("X-Revision"));
        });
        tenantCalls.awaitLatest("authz.state", "project:" + id, said -> assertThat(
                        said.path("revision").asText())
                .isEqualTo(made.header("X-Revision")));
        eventually(() -> assertThat(tenantCalls.audits("iam.project.create", id))
                .singleElement()
                .satisfies(audit -> {
                    assertThat(audit.path("project_id").asText()).isEqualTo(id);
                    assertThat(audit.at("/metadata/before").isNull()).isTrue();
                    assertThat(audit.at("/metadata/after/slug").asText()).isEqualTo("site");
                }));
    }

    @Test
    void deleteProject_keepsItReadable() {
        var tenant = tenantCalls.create("ending");
        var id = tenantCalls.project(tenant, "ended");
        for (var role : List.of("project_owner", "project_admin", "project_member", "project_viewer")) {
            tenantCalls.grant(tenant, id, role, "ending " + role);
        }
        for (var role : List.of("project_admin", "project_member", "project_viewer")) {
            var refused = tenantCalls
                    .person("ending " + role)
                    .call("deleteProject")
                    .path("project_id", id)
                    .send();
            assertThat(statusAndCode(refused)).as(role).isEqualTo("403 insufficient_permissions");
        }
        assertThat(statusAndCode(platform.as("platform_superadmin")
                        .call("deleteProject")
                        .path("project_id", id)
                        .send()))
                .isEqualTo("403 break_glass_required");

        var deleted = tenantCalls.sendAndAwaitRevision(
                tenantCalls.person("ending project_owner").call("deleteProject").path("project_id", id), 200);

        assertThat(deleted.text("state")).isEqualTo("deleted");
        tenantCalls.awaitLatest("authz.state", "project:" + id, said -> assertThat(
                        said.path("state").asText())
                .isEqualTo("deleted"));
        tenantCalls.awaitLatest("iam.state", "project:" + id, said -> assertThat(
                        said.path("state").asText())
                .isEqualTo("deleted"));
        assertThat(tenantCalls
                        .call(tenant, "getProject")
                        .path("project_id", id)
                        .send()
                        .expect(200)
                        .text("state"))
                .isEqualTo("deleted");
        assertThat(texts(tenantCalls.call(tenant, "listProjects").send(), "id")).isEmpty();
        assertThat(statusAndCode(tenantCalls
                        .call(tenant, "updateProject")
                        .path("project_id", id)
                        .body(Json.object())
                        .send()))
                .isEqualTo("409 resource_deleted");
        assertThat(tenantCalls
                        .call(tenant, "deleteProject")
                        .path("project_id", id)
                        .send()
                        .expect(200)
                        .body())
                .isEqualTo(deleted.body());
    }

    @Test
    @Proves("C.29")
    void groups_canBeCreatedAndDeleted_withTheirMembers() {
        var tenant = tenantCalls.create("grouped");
        var group = tenantCalls
                .sendAndAwaitRevision(tenantCalls.call(tenant, "createGroup").body(namedBody("crew")), 201)
                .text("id");
        var member = tenantCalls.sendAndAwaitRevision(
                tenantCalls
                        .call(tenant, "addGroupMember")
                        .path("group_id", group)
                        .body(userReference("crew member")),
                201);
        var memberId = member.text("user_id");

        assertThat(statusAndCode(tenantCalls
                        .call(tenant, "createGroup")
                        .body(namedBody("crew"))
                        .send()))
                .isEqualTo("409 slug_taken");
        assertThat(tenantCalls
                        .call(tenant, "addGroupMember")
                        .path("group_id", group)
                        .body(userReference("crew member"))
                        .send()
                        .body())
                .isEqualTo(member.body());
        assertThat(texts(
                        tenantCalls
                                .call(tenant, "listGroupMembers")
                                .path("group_id", group)
                                .send(),
                        "user_id"))
                .containsExactly(memberId);
        assertThat(texts(tenantCalls.call(tenant, "listOrganizationUsers").send(), "subject"))
                .contains("crew member");
        tenantCalls.sendAndAwaitRevision(
                tenantCalls
                        .call(tenant, "updateGroup")
                        .path("group_id", group)
                        .body(Json.object().put("display_name", "New")),
                200);
        assertThat(tenantCalls
                        .call(tenant, "getGroup")
                        .path("group_id", group)
                        .send()
                        .text("display_name"))
                .isEqualTo("New");
        assertThat(texts(tenantCalls.call(tenant, "listGroups").send(), "id")).containsExactly(group);
        tenantCalls.awaitLatest("authz.state", "group_member:" + group + ":" + memberId, said -> assertThat(
                        said.path("removed").asBoolean())
                .isFalse());
        tenantCalls.sendAndAwaitRevision(
                tenantCalls
                        .call(tenant, "removeGroupMember")
                        .path("group_id", group)
                        .path("user_id", memberId),
                200);
        tenantCalls.awaitLatest("authz.state", "group_member:" + group + ":" + memberId, said -> assertThat(
                        said.path("removed").asBoolean())
                .isTrue());
        assertThat(texts(tenantCalls.call(tenant, "listOrganizationUsers").send(), "subject"))
                .doesNotContain("crew member");
        assertThat(platform.database()
                        .query("SELECT count(*) FROM iam.group_members WHERE removed_at IS NOT NULL AND user_id = '"
                                + memberId + "'"))
                .isEqualTo("1");
        eventually(() -> assertThat(
                        CredentialCalls.findAudits(platform, "iam.group.write", group + ":" + memberId, "success"))
                .hasSizeGreaterThanOrEqualTo(2));
        tenantCalls.sendAndAwaitRevision(
                tenantCalls
                        .call(tenant, "addGroupMember")
                        .path("group_id", group)
                        .body(userReference("crew member")),
                201);
        var binding = tenantCalls.sendAndAwaitRevision(
                tenantCalls
                        .call(tenant, "createOrganizationRoleBinding")
                        .body(Json.object().put("role", "tenant_admin").put("group_id", group)),
                201);
        tenantCalls.sendAndAwaitRevision(tenantCalls.call(tenant, "deleteGroup").path("group_id", group), 200);
        tenantCalls.awaitLatest("authz.state", "binding:" + binding.text("id"), said -> assertThat(
                        said.path("removed").asBoolean())
                .isTrue());
        tenantCalls.awaitLatest("authz.state", "group_member:" + group + ":" + memberId, said -> assertThat(
                        said.path("removed").asBoolean())
                .isTrue());
        tenantCalls.awaitLatest("iam.state", "group:" + group, said -> assertThat(
                        said.path("state").asText())
                .isEqualTo("deleted"));
        assertThat(statusAndCode(tenantCalls
                        .call(tenant, "addGroupMember")
                        .path("group_id", group)
                        .body(userReference("x"))
                        .send()))
                .isEqualTo("409 resource_deleted");
        assertThat(texts(tenantCalls.call(tenant, "listGroups").send(), "id")).isEmpty();
    }
}

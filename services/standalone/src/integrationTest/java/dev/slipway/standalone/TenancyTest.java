package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Contract;
import dev.slipway.contract.Json;
import dev.slipway.contract.Operation;
import dev.slipway.contract.Operation.Scope;
import dev.slipway.standalone.Tenants.Tenant;
import dev.slipway.testkit.ApiClient;
import dev.slipway.testkit.ApiClient.Answer;
import dev.slipway.testkit.ApiClient.Call;
import dev.slipway.testkit.EventTap.Seen;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;

import static dev.slipway.standalone.Tenants.named;
import static dev.slipway.standalone.Tenants.texts;
import static dev.slipway.standalone.Tenants.told;
import static dev.slipway.standalone.Tenants.user;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Organizations, departments, projects, users and groups. */
class TenancyTest {
    private static final Contract CONTRACT = Contract.load();
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
    @Proves({"1.72", "2.26"})
    void everyOperation_readsAsMissing_forAnotherTenant() {
        var theirs = tenants.create("secretive");
        var ids = things(theirs);
        var nosy = tenants.create("nosy");
        var own = tenants.project(nosy, "own");
        var answers = new ArrayList<String>();
        for (var operation : operations(Scope.ORGANIZATION, Scope.PROJECT)) {
            var there = call(tenants.person(nosy.owner()), operation, ids);
            answers.add(operation.id() + " there: " + told(there.send()));
            var names = operation.path().replace("{org_id}", "").replace("{project_id}", "");
            if (names.contains("{")) {
                var here = new HashMap<>(ids);
                here.put("org_id", nosy.orgId());
                here.put("project_id", own);
                answers.add(operation.id() + " here: "
                        + told(call(tenants.person(nosy.owner()), operation, here)
                                .send()));
            }
        }

        assertThat(answers).hasSizeGreaterThan(50).allMatch(answer -> answer.endsWith(": 404 not_found"));
    }

    @Test
    void everyReferenceInABody_readsAsMissing_forAnotherTenant() {
        var theirs = tenants.create("hidden");
        var ids = things(theirs);
        var nosy = tenants.create("prying");
        var project = tenants.project(nosy, "own");
        var group = tenants.done(tenants.call(nosy, "createGroup").body(named("g")), 201)
                .text("id");
        var viewer = Json.object().put("role", "project_viewer");
        var foreign = List.of(
                tenants.call(nosy, "createProject").body(named("x").put("department_id", ids.get("department_id"))),
                tenants.call(nosy, "updateProject")
                        .path("project_id", project)
                        .body(Json.object().put("department_id", ids.get("department_id"))),
                tenants.call(nosy, "addGroupMember")
                        .path("group_id", group)
                        .body(Json.object().put("user_id", ids.get("user_id"))),
                tenants.call(nosy, "createProjectRoleBinding")
                        .path("project_id", project)
                        .body(viewer.deepCopy().put("user_id", ids.get("user_id"))),
                tenants.call(nosy, "createProjectRoleBinding")
                        .path("project_id", project)
                        .body(viewer.deepCopy().put("group_id", ids.get("group_id"))));

        assertThat(foreign).allSatisfy(call -> assertThat(told(call.send())).isEqualTo("404 not_found"));
        var role = tenants.call(nosy, "createOrganizationRoleBinding")
                .body(user("someone").put("role", ids.get("role")))
                .send()
                .expect(400);
        assertThat(role.body().at("/details/fields/0/field").asText()).isEqualTo("/role");
    }

    @Test
    void everyPlatformOperation_isRefused_forTenantsRoles() {
        var tenant = tenants.create("ambitious");
        var ids = things(tenant);
        for (var operation : operations(Scope.PLATFORM)) {
            assertThat(told(call(tenants.person(tenant.owner()), operation, ids).send()))
                    .as(operation.id())
                    .isEqualTo("403 insufficient_permissions");
        }
    }

    @Test
    void lists_showWhatTheCallerMaySee_andNothingElse() {
        var one = tenants.create("list-one");
        var other = tenants.create("list-other");
        var first = tenants.project(one, "first");
        var second = tenants.project(one, "second");
        tenants.project(other, "third");
        tenants.grant(one, first, "project_viewer", "list viewer");

        assertThat(texts(tenants.call(one, "listOrganizations").send(), "id")).containsExactly(one.orgId());
        assertThat(texts(tenants.call(one, "listProjects").send(), "id")).containsExactly(second, first);
        assertThat(texts(
                        tenants.call(one, "listProjects")
                                .query("org_id=" + other.orgId())
                                .send(),
                        "id"))
                .isEmpty();
        assertThat(texts(tenants.call(one, "listOrganizationProjects").send(), "id"))
                .containsExactly(second, first);
        var viewer = tenants.person("list viewer");
        assertThat(texts(viewer.call("listProjects").send(), "id")).containsExactly(first);
        assertThat(texts(viewer.call("listOrganizations").send(), "id")).isEmpty();
        assertThat(texts(tenants.call(one, "listOrganizationUsers").send(), "subject"))
                .containsExactlyInAnyOrder(one.owner(), "list viewer");
        assertThat(texts(
                        viewer.call("listProjectUsers")
                                .path("project_id", first)
                                .send(),
                        "subject"))
                .containsExactlyInAnyOrder(one.owner(), "list viewer");
        assertThat(texts(
                        tenants.call(one, "listProjectUsers")
                                .path("project_id", second)
                                .send(),
                        "subject"))
                .containsExactly(one.owner());
        var all = platform.as("platform_ops")
                .call("listAllOrganizations")
                .query("limit=500")
                .send();
        assertThat(texts(all.expect(200), "id")).contains(one.orgId(), other.orgId(), Demo.ORG.toString());
        assertThat(texts(
                        platform.as("platform_ops")
                                .call("listPlatformUsers")
                                .query("limit=500")
                                .send(),
                        "subject"))
                .contains(one.owner(), other.owner(), "list viewer");
    }

    @Test
    void lists_goOnWhereThePageBeforeEnded() {
        var tenant = tenants.create("paged");
        var made = new ArrayList<String>();
        for (var i = 0; i < 5; i++) {
            made.add(0, tenants.project(tenant, "p" + i));
        }

        var seen = new ArrayList<String>();
        var cursor = "";
        do {
            var page = tenants.call(tenant, "listProjects")
                    .query("limit=2" + cursor)
                    .send()
                    .expect(200);
            seen.addAll(texts(page, "id"));
            cursor = page.body().path("next_cursor").isNull() ? "" : "&cursor=" + page.text("next_cursor");
        } while (!cursor.isEmpty());

        assertThat(seen).isEqualTo(made);
    }

    @Test
    void organization_isRefused_whenItsSlugIsTakenOrItStillHasProjects() {
        var tenant = tenants.create("taken");
        var again = platform.as("platform_superadmin")
                .call("createOrganization")
                .body(named("taken"))
                .send();
        var project = tenants.project(tenant, "only");

        assertThat(told(again)).isEqualTo("409 slug_taken");
        assertThat(told(tenants.call(tenant, "deleteOrganization").send())).isEqualTo("409 not_empty");
        tenants.done(tenants.call(tenant, "deleteProject").path("project_id", project), 200);
        tenants.done(tenants.call(tenant, "deleteOrganization"), 200);
        tenants.last("authz.state", "organization:" + tenant.orgId(), organization -> assertThat(
                        organization.path("state").asText())
                .isEqualTo("deleted"));
        assertThat(told(platform.as("platform_superadmin")
                        .call("createOrganization")
                        .body(named("taken"))
                        .send()))
                .isEqualTo("409 slug_taken");
    }

    @Test
    void organization_takesNoChange_onceItIsDeleted() {
        var tenant = tenants.create("gone");
        var ids = things(tenant);
        tenants.done(tenants.call(tenant, "deleteProject").path("project_id", ids.get("project_id")), 200);
        var deleted = tenants.done(tenants.call(tenant, "deleteOrganization"), 200);

        for (var operation : List.of(
                "updateOrganization",
                "createDepartment",
                "createProject",
                "createGroup",
                "createRole",
                "createOrganizationRoleBinding")) {
            var refused = call(tenants.person(tenant.owner()), CONTRACT.operation(operation), ids)
                    .send();
            assertThat(told(refused)).as(operation).isEqualTo("409 resource_deleted");
        }
        assertThat(tenants.call(tenant, "deleteOrganization").send().expect(200).body())
                .isEqualTo(deleted.body());
        assertThat(tenants.call(tenant, "getOrganization").send().expect(200).text("state"))
                .isEqualTo("deleted");
    }

    @Test
    void organization_isMadeWithADefaultDepartmentAndAnOwner_andAnnounced() {
        var made = tenants.done(
                platform.as("platform_superadmin")
                        .call("createOrganization")
                        .body(named("fresh").put("plan", "gold").set("owner", user("fresh owner"))),
                201);
        var tenant = new Tenant(made.text("id"), "fresh owner");

        assertThat(made.header("Location")).isEqualTo("/api/v1/orgs/" + tenant.orgId());
        var departments = tenants.call(tenant, "listDepartments").send().expect(200);
        assertThat(texts(departments, "is_default")).containsExactly("true");
        assertThat(texts(tenants.call(tenant, "listProjects").send(), "id")).isEmpty();
        tenants.done(
                tenants.call(tenant, "updateOrganization")
                        .body(Json.object().put("display_name", "Renamed").put("plan", "silver")),
                200);
        var key = "organization:" + tenant.orgId();
        tenants.last("iam.state", key, snapshot -> {
            assertThat(snapshot.path("display_name").asText()).isEqualTo("Renamed");
            assertThat(snapshot.path("plan").asText()).isEqualTo("silver");
            tenants.last("authz.state", key, state -> assertThat(state.path("revision"))
                    .isEqualTo(snapshot.path("revision")));
        });
        eventually(() -> assertThat(tenants.audits("iam.organization.update", tenant.orgId()))
                .singleElement()
                .satisfies(audit -> {
                    assertThat(audit.at("/metadata/before/plan").asText()).isEqualTo("gold");
                    assertThat(audit.at("/metadata/after/plan").asText()).isEqualTo("silver");
                    assertThat(audit.path("org_id").asText()).isEqualTo(tenant.orgId());
                }));
    }

    @Test
    void organization_isOwnedByWhoCreatesIt_whenNobodyIsNamed() {
        var made = tenants.done(
                platform.as("platform_superadmin").call("createOrganization").body(named("self-owned")), 201);

        assertThat(platform.as("platform_superadmin")
                        .call("getOrganization")
                        .path("org_id", made.text("id"))
                        .send()
                        .expect(200)
                        .text("slug"))
                .isEqualTo("self-owned");
    }

    @Test
    void departments_comeAndGo_butTheDefaultOneStays() {
        var tenant = tenants.create("departed");
        var byDefault =
                texts(tenants.call(tenant, "listDepartments").send(), "id").get(0);
        var made = tenants.done(tenants.call(tenant, "createDepartment").body(named("research")), 201);
        var department = made.text("id");
        var inIt = tenants.done(
                tenants.call(tenant, "createProject").body(named("p").put("department_id", department)), 201);

        assertThat(told(tenants.call(tenant, "createDepartment")
                        .body(named("research"))
                        .send()))
                .isEqualTo("409 slug_taken");
        assertThat(told(tenants.call(tenant, "deleteDepartment")
                        .path("department_id", byDefault)
                        .send()))
                .isEqualTo("409 state_conflict");
        assertThat(told(tenants.call(tenant, "deleteDepartment")
                        .path("department_id", department)
                        .send()))
                .isEqualTo("409 not_empty");
        tenants.done(
                tenants.call(tenant, "updateDepartment")
                        .path("department_id", department)
                        .body(Json.object().put("display_name", "Renamed")),
                200);
        assertThat(tenants.call(tenant, "getDepartment")
                        .path("department_id", department)
                        .send()
                        .text("display_name"))
                .isEqualTo("Renamed");
        tenants.done(
                tenants.call(tenant, "updateProject")
                        .path("project_id", inIt.text("id"))
                        .body(Json.object().put("department_id", byDefault)),
                200);
        tenants.done(tenants.call(tenant, "deleteDepartment").path("department_id", department), 200);
        assertThat(texts(tenants.call(tenant, "listDepartments").send(), "id")).containsExactly(byDefault);
        tenants.last("iam.state", "department:" + department, said -> assertThat(
                        said.path("state").asText())
                .isEqualTo("deleted"));
        assertThat(told(tenants.call(tenant, "createProject")
                        .body(named("q").put("department_id", department))
                        .send()))
                .isEqualTo("409 resource_deleted");
    }

    @Test
    void project_isMadeWithAnOwnerAndAnOperator_inOneCommit() {
        var tenant = tenants.create("building");
        var made = tenants.done(tenants.call(tenant, "createProject").body(named("site")), 201);
        var id = made.text("id");

        assertThat(told(tenants.call(tenant, "createProject")
                        .body(named("site"))
                        .send()))
                .isEqualTo("409 slug_taken");
        var bindings = tenants.call(tenant, "listProjectRoleBindings")
                .path("project_id", id)
                .send()
                .expect(200);
        assertThat(texts(bindings, "role")).containsExactly("project_owner");
        tenants.last("authz.state", "principal:" + made.text("operator_service_account_id"), operator -> {
            assertThat(operator.path("project_id").asText()).isEqualTo(id);
            assertThat(operator.path("org_id").asText()).isEqualTo(tenant.orgId());
            assertThat(operator.path("allowed_actions"))
                    .extracting(Object::toString)
                    .contains("\"apps.instance.report\"");
            assertThat(operator.path("revision").asText()).isEqualTo(made.header("X-Revision"));
        });
        tenants.last("authz.state", "project:" + id, said -> assertThat(
                        said.path("revision").asText())
                .isEqualTo(made.header("X-Revision")));
        eventually(() -> assertThat(tenants.audits("iam.project.create", id))
                .singleElement()
                .satisfies(audit -> {
                    assertThat(audit.path("project_id").asText()).isEqualTo(id);
                    assertThat(audit.at("/metadata/before").isNull()).isTrue();
                    assertThat(audit.at("/metadata/after/slug").asText()).isEqualTo("site");
                }));
    }

    @Test
    void project_isDeletedByThoseWhoMay_andStaysReadable() {
        var tenant = tenants.create("ending");
        var id = tenants.project(tenant, "ended");
        for (var role : List.of("project_owner", "project_admin", "project_member", "project_viewer")) {
            tenants.grant(tenant, id, role, "ending " + role);
        }
        for (var role : List.of("project_admin", "project_member", "project_viewer")) {
            var refused = tenants.person("ending " + role)
                    .call("deleteProject")
                    .path("project_id", id)
                    .send();
            assertThat(told(refused)).as(role).isEqualTo("403 insufficient_permissions");
        }
        assertThat(told(platform.as("platform_superadmin")
                        .call("deleteProject")
                        .path("project_id", id)
                        .send()))
                .isEqualTo("403 break_glass_required");

        var deleted = tenants.done(
                tenants.person("ending project_owner").call("deleteProject").path("project_id", id), 200);

        assertThat(deleted.text("state")).isEqualTo("deleted");
        tenants.last("authz.state", "project:" + id, said -> assertThat(
                        said.path("state").asText())
                .isEqualTo("deleted"));
        tenants.last("iam.state", "project:" + id, said -> assertThat(
                        said.path("state").asText())
                .isEqualTo("deleted"));
        assertThat(tenants.call(tenant, "getProject")
                        .path("project_id", id)
                        .send()
                        .expect(200)
                        .text("state"))
                .isEqualTo("deleted");
        assertThat(texts(tenants.call(tenant, "listProjects").send(), "id")).isEmpty();
        assertThat(told(tenants.call(tenant, "updateProject")
                        .path("project_id", id)
                        .body(Json.object())
                        .send()))
                .isEqualTo("409 resource_deleted");
        assertThat(tenants.call(tenant, "deleteProject")
                        .path("project_id", id)
                        .send()
                        .expect(200)
                        .body())
                .isEqualTo(deleted.body());
    }

    @Test
    void user_isRefusedEverywhere_whileDisabled() {
        var tenant = tenants.create("guarded");
        tenants.grant(tenant, "", "tenant_admin", "guarded admin");
        var id = texts(tenants.call(tenant, "listOrganizationUsers").send(), "id")
                .get(0);
        assertThat(tenants.call(tenant, "getOrganizationUser")
                        .path("user_id", id)
                        .send()
                        .expect(200)
                        .text("subject"))
                .isEqualTo("guarded admin");
        tenants.person("guarded admin").call("getMe").send().expect(200);

        tenants.done(platform.as("platform_ops").call("disableUser").path("user_id", id), 200);

        assertThat(tenants.person("guarded admin").call("getMe").send().status())
                .isEqualTo(401);
        tenants.last("authz.state", "principal:" + id, said -> assertThat(
                        said.path("active").asBoolean())
                .isFalse());
        assertThat(platform.as("platform_ops")
                        .call("getPlatformUser")
                        .path("user_id", id)
                        .send()
                        .text("state"))
                .isEqualTo("disabled");
        tenants.done(platform.as("platform_ops").call("enableUser").path("user_id", id), 200);
        tenants.person("guarded admin").call("getMe").send().expect(200);
        eventually(() -> assertThat(tenants.audits("iam.user.disable", id))
                .extracting(audit -> audit.at("/metadata/before/state").asText() + " "
                        + audit.at("/metadata/after/state").asText())
                .containsExactly("active disabled", "disabled active"));
    }

    @Test
    void groups_comeAndGo_withTheirMembers() {
        var tenant = tenants.create("grouped");
        var group = tenants.done(tenants.call(tenant, "createGroup").body(named("crew")), 201)
                .text("id");
        var member = tenants.done(
                tenants.call(tenant, "addGroupMember").path("group_id", group).body(user("crew member")), 201);
        var memberId = member.text("user_id");

        assertThat(told(tenants.call(tenant, "createGroup").body(named("crew")).send()))
                .isEqualTo("409 slug_taken");
        assertThat(tenants.call(tenant, "addGroupMember")
                        .path("group_id", group)
                        .body(user("crew member"))
                        .send()
                        .body())
                .isEqualTo(member.body());
        assertThat(texts(
                        tenants.call(tenant, "listGroupMembers")
                                .path("group_id", group)
                                .send(),
                        "user_id"))
                .containsExactly(memberId);
        assertThat(texts(tenants.call(tenant, "listOrganizationUsers").send(), "subject"))
                .contains("crew member");
        tenants.done(
                tenants.call(tenant, "updateGroup")
                        .path("group_id", group)
                        .body(Json.object().put("display_name", "New")),
                200);
        assertThat(tenants.call(tenant, "getGroup")
                        .path("group_id", group)
                        .send()
                        .text("display_name"))
                .isEqualTo("New");
        assertThat(texts(tenants.call(tenant, "listGroups").send(), "id")).containsExactly(group);
        tenants.last("authz.state", "group_member:" + group + ":" + memberId, said -> assertThat(
                        said.path("removed").asBoolean())
                .isFalse());
        tenants.done(
                tenants.call(tenant, "removeGroupMember")
                        .path("group_id", group)
                        .path("user_id", memberId),
                200);
        tenants.last("authz.state", "group_member:" + group + ":" + memberId, said -> assertThat(
                        said.path("removed").asBoolean())
                .isTrue());
        assertThat(texts(tenants.call(tenant, "listOrganizationUsers").send(), "subject"))
                .doesNotContain("crew member");
        tenants.done(
                tenants.call(tenant, "addGroupMember").path("group_id", group).body(user("crew member")), 201);
        var binding = tenants.done(
                tenants.call(tenant, "createOrganizationRoleBinding")
                        .body(Json.object().put("role", "tenant_admin").put("group_id", group)),
                201);
        tenants.done(tenants.call(tenant, "deleteGroup").path("group_id", group), 200);
        tenants.last("authz.state", "binding:" + binding.text("id"), said -> assertThat(
                        said.path("removed").asBoolean())
                .isTrue());
        tenants.last("authz.state", "group_member:" + group + ":" + memberId, said -> assertThat(
                        said.path("removed").asBoolean())
                .isTrue());
        tenants.last("iam.state", "group:" + group, said -> assertThat(
                        said.path("state").asText())
                .isEqualTo("deleted"));
        assertThat(told(tenants.call(tenant, "addGroupMember")
                        .path("group_id", group)
                        .body(user("x"))
                        .send()))
                .isEqualTo("409 resource_deleted");
        assertThat(texts(tenants.call(tenant, "listGroups").send(), "id")).isEmpty();
    }

    @Test
    @Proves("1.08")
    void everyWrite_isAuditedOnce_andAnswersAsTheFirstTime_whenItsKeyComesAgain() {
        var tenant = tenants.create("repeated");
        var ids = things(tenant);
        var writes = new ArrayList<>(operations(Scope.ORGANIZATION, Scope.PROJECT).stream()
                .filter(Operation::changesSomething)
                .toList());
        // What takes a thing away comes after what changes it, and the organization, which everything is in, is spared.
        writes.removeIf(operation -> operation.id().equals("deleteOrganization"));
        writes.sort(Comparator.comparing(TenancyTest::takesAway));
        var ofOrganization = tenants.grant(tenant, "", "tenant_admin", "admin").text("id");
        for (var operation : writes) {
            var there = new HashMap<>(ids);
            if (operation.scope() == Scope.ORGANIZATION) {
                there.put("binding_id", ofOrganization);
            }
            var caller = tenants.person(tenant.owner());
            var first = once(call(caller, operation, there), operation);
            var second = once(call(caller, operation, there), operation);
            assertThat(second.body()).as(operation.id()).isEqualTo(first.body());
            assertThat(second.header("Location")).as(operation.id()).isEqualTo(first.header("Location"));
            assertThat(Long.parseLong(second.header("X-Revision")))
                    .as(operation.id())
                    .isGreaterThanOrEqualTo(Long.parseLong(first.header("X-Revision")));
            eventually(() -> assertThat(audited(first))
                    .as(operation.id())
                    .singleElement()
                    .satisfies(audit -> {
                        assertThat(audit.path("action").asText()).isEqualTo(operation.action());
                        assertThat(audit.path("result").asText()).isEqualTo("success");
                        assertThat(audit.path("org_id").asText()).isEqualTo(tenant.orgId());
                        assertThat(audit.at("/metadata/after")).isEqualTo(first.body());
                        assertThat(audit.at("/metadata/before").isNull()).isEqualTo(isNew(operation));
                    }));
            assertThat(audited(second)).as(operation.id()).isEmpty();
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
    void instance_isOfItsProjectsOrganization_whateverTheCallerSays() {
        var told = PlatformUnderTest.launchBody("elsewhere").put("org_id", Demo.OTHER_ORG.toString());
        var refused = platform.as("project_owner")
                .call("createAppInstance")
                .path("project_id", Demo.PROJECT)
                .body(told)
                .send();

        assertThat(told(refused)).isEqualTo("400 validation_error");
        assertThat(refused.body().at("/details/fields/0/field").asText()).isEqualTo("/org_id");
        assertThat(platform.launch("project_owner", "here").send().expect(202).text("org_id"))
                .isEqualTo(Demo.ORG.toString());
        assertThat(platform.launchIn(Demo.OTHER_PROJECT, "other_tenant_owner", "there")
                        .send()
                        .expect(202)
                        .text("org_id"))
                .isEqualTo(Demo.OTHER_ORG.toString());
    }

    private static Answer once(Call call, Operation operation) {
        var answer = call.header("Idempotency-Key", "again").send().expect(operation.successStatus());
        var revision = Long.parseLong(answer.header("X-Revision"));
        eventually(
                () -> assertThat(platform.platform().frame().authz().revision()).isGreaterThanOrEqualTo(revision));
        return answer;
    }

    private static boolean isNew(Operation operation) {
        return operation.method().equals("POST");
    }

    private static int takesAway(Operation operation) {
        if (operation.id().equals("deleteProject")) {
            return 2;
        }
        return operation.method().equals("DELETE") ? 1 : 0;
    }

    private static List<JsonNode> audited(Answer answer) {
        return platform
                .events()
                .where(seen -> seen.type().equals("audit.recorded")
                        && seen.event().path("correlation_id").asText().equals(answer.header("X-Correlation-ID")))
                .stream()
                .map(Seen::payload)
                .toList();
    }

    /** The operations on tenants that are judged in such a place, without those for breaking the glass. */
    private static List<Operation> operations(Scope... scopes) {
        return CONTRACT.operations().stream()
                .filter(operation -> List.of(scopes).contains(operation.scope()))
                .filter(operation -> CONTRACT.document()
                        .path("paths")
                        .path(operation.path())
                        .path(operation.method().toLowerCase(Locale.ROOT))
                        .path("tags")
                        .toString()
                        .contains("tenancy"))
                .filter(operation -> !operation.path().matches("/api/v1/admin/.*\\{(org|project)_id}.*"))
                .toList();
    }

    /** One of everything in an organization: what the paths of operations name. */
    private static Map<String, String> things(Tenant tenant) {
        var ids = new HashMap<String, String>();
        ids.put("org_id", tenant.orgId());
        ids.put(
                "department_id",
                tenants.done(tenants.call(tenant, "createDepartment").body(named("d")), 201)
                        .text("id"));
        var project = tenants.project(tenant, "thing");
        ids.put("project_id", project);
        ids.put(
                "group_id",
                tenants.done(tenants.call(tenant, "createGroup").body(named("g")), 201)
                        .text("id"));
        var member = tenants.done(
                tenants.call(tenant, "addGroupMember")
                        .path("group_id", ids.get("group_id"))
                        .body(user(UUID.randomUUID().toString())),
                201);
        ids.put("user_id", member.text("user_id"));
        ids.put(
                "binding_id",
                tenants.grant(tenant, project, "project_viewer", "bound in " + tenant.orgId())
                        .text("id"));
        ids.put(
                "role",
                tenants.done(
                                tenants.call(tenant, "createRole")
                                        .body(body("createRole").put("display_name", "mine")),
                                201)
                        .text("role"));
        ids.put("scope_id", "apps.instance.read");
        return ids;
    }

    private static Call call(ApiClient caller, Operation operation, Map<String, String> ids) {
        var call = caller.call(operation.id());
        for (var id : ids.entrySet()) {
            call = call.path(id.getKey(), id.getValue());
        }
        return operation.takesBody() ? call.body(body(operation.id())) : call;
    }

    private static ObjectNode body(String operationId) {
        return switch (operationId) {
            case "createRole" -> {
                var role = Json.object().put("display_name", "Reader").put("level", "project");
                role.putArray("actions").add("apps.instance.read");
                yield role;
            }
            case "createOrganization", "createDepartment", "createProject", "createGroup" -> named("new");
            case "addGroupMember" -> user("added");
            case "createOrganizationRoleBinding" -> user("bound").put("role", "tenant_admin");
            case "createProjectRoleBinding" -> user("bound").put("role", "project_viewer");
            case "createPlatformRoleBinding" -> user("bound").put("role", "platform_ops");
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

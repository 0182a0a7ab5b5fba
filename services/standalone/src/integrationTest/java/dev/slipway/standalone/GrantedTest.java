package dev.slipway.standalone;

import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient.Answer;
import dev.slipway.testkit.ApiClient.Call;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.time.Instant;

import static dev.slipway.standalone.Tenants.named;
import static dev.slipway.standalone.Tenants.texts;
import static dev.slipway.standalone.Tenants.told;
import static dev.slipway.standalone.Tenants.user;
import static dev.slipway.testkit.Eventually.eventually;
import static dev.slipway.testkit.Eventually.eventuallyGet;
import static org.assertj.core.api.Assertions.assertThat;

/** What decisions make of bindings that end, of groups, of what is deleted, and of break-glass. */
class GrantedTest {
    private static final String REASON = "The owner left, and asked for help";

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
    void binding_grantsNothing_onceItHasEnded() {
        var tenant = tenants.create("ending-soon");
        var project = tenants.project(tenant, "p");
        // Again where the machine stood still meanwhile, and it would have ended before it began.
        var end = eventuallyGet(() -> {
            var soon = Instant.now().plusSeconds(3);
            tenants.done(
                    tenants.call(tenant, "createProjectRoleBinding")
                            .path("project_id", project)
                            .body(user("guest").put("role", "project_viewer").put("expires_at", soon.toString())),
                    201);
            return soon;
        });

        eventually(() -> assertThat(told(read("guest", project))).isEqualTo("404 not_found"));

        assertThat(Instant.now()).isAfterOrEqualTo(end);
        assertThat(texts(tenants.person("guest").call("listProjects").send(), "id"))
                .isEmpty();
        assertThat(tenants.person("guest")
                        .call("getMe")
                        .send()
                        .expect(200)
                        .body()
                        .path("bindings"))
                .isEmpty();
        tenants.grant(tenant, project, "project_viewer", "guest");
        read("guest", project).expect(200);
    }

    @Test
    void group_givesItsMembersWhatItHolds_andTakesItBack() {
        var tenant = tenants.create("sharing");
        var project = tenants.project(tenant, "p");
        var group = tenants.done(tenants.call(tenant, "createGroup").body(named("g")), 201)
                .text("id");
        var member = tenants.done(
                tenants.call(tenant, "addGroupMember").path("group_id", group).body(user("shared with")), 201);
        assertThat(told(read("shared with", project))).isEqualTo("404 not_found");

        tenants.done(
                tenants.call(tenant, "createProjectRoleBinding")
                        .path("project_id", project)
                        .body(Json.object().put("role", "project_member").put("group_id", group)),
                201);

        read("shared with", project).expect(200);
        assertThat(texts(tenants.person("shared with").call("listProjects").send(), "id"))
                .containsExactly(project);
        assertThat(texts(
                        tenants.call(tenant, "listProjectUsers")
                                .path("project_id", project)
                                .send(),
                        "subject"))
                .contains("shared with");
        tenants.done(
                tenants.call(tenant, "removeGroupMember")
                        .path("group_id", group)
                        .path("user_id", member.text("user_id")),
                200);
        assertThat(told(read("shared with", project))).isEqualTo("404 not_found");
    }

    @Test
    void deletedProject_canBeReadAndEmptied_andNothingElse() {
        var tenant = tenants.create("buried");
        var project = tenants.project(tenant, "p");
        var owning = texts(
                        tenants.call(tenant, "listProjectRoleBindings")
                                .path("project_id", project)
                                .send(),
                        "id")
                .get(0);
        var account = tenants.done(
                        tenants.call(tenant, "createServiceAccount")
                                .path("project_id", project)
                                .body(CredentialCalls.account()),
                        201)
                .text("id");
        var binding =
                tenants.grant(tenant, project, "project_viewer", "mourner").text("id");
        tenants.done(tenants.call(tenant, "deleteProject").path("project_id", project), 200);

        read("mourner", project).expect(200);
        assertThat(told(platform.launchIn(java.util.UUID.fromString(project), "tenant_owner", "x")
                        .send()))
                .isEqualTo("404 not_found");
        var launch = tenants.person(tenant.owner())
                .call("createAppInstance")
                .path("project_id", project)
                .body(PlatformUnderTest.launchBody("x"))
                .send();
        assertThat(told(launch)).isEqualTo("409 resource_deleted");
        assertThat(told(tenants.call(tenant, "createProjectRoleBinding")
                        .path("project_id", project)
                        .body(user("x").put("role", "project_viewer"))
                        .send()))
                .isEqualTo("409 resource_deleted");
        assertThat(told(tenants.call(tenant, "disableServiceAccount")
                        .path("project_id", project)
                        .path("service_account_id", account)
                        .send()))
                .isEqualTo("409 resource_deleted");
        assertThat(told(withdraw(tenant, project, owning).send())).isEqualTo("409 last_owner");
        assertThat(told(platform.as("other_tenant_owner")
                        .call("deleteProjectRoleBinding")
                        .path("project_id", project)
                        .path("binding_id", binding)
                        .send()))
                .isEqualTo("404 not_found");

        tenants.done(withdraw(tenant, project, binding), 200);
        tenants.done(
                tenants.call(tenant, "deleteServiceAccount")
                        .path("project_id", project)
                        .path("service_account_id", account),
                200);

        assertThat(told(read("mourner", project))).isEqualTo("404 not_found");
    }

    @Test
    void breakGlass_appointsAnOwner_whereNoneIsLeft() {
        var tenant = tenants.create("orphaned");
        var owner = texts(tenants.call(tenant, "listOrganizationUsers").send(), "id")
                .get(0);
        tenants.done(platform.as("platform_superadmin").call("disableUser").path("user_id", owner), 200);
        var appoint = platform.as("platform_superadmin")
                .call("adminCreateOrganizationRoleBinding")
                .path("org_id", tenant.orgId())
                .header("X-Break-Glass-Reason", REASON)
                .body(user("successor").put("role", "tenant_owner"));

        tenants.done(appoint, 201);

        tenants.person("successor")
                .call("getOrganization")
                .path("org_id", tenant.orgId())
                .send()
                .expect(200);
    }

    private static Call withdraw(Tenants.Tenant tenant, String project, String binding) {
        return tenants.call(tenant, "deleteProjectRoleBinding")
                .path("project_id", project)
                .path("binding_id", binding);
    }

    private static Answer read(String subject, String project) {
        return tenants.person(subject)
                .call("getProject")
                .path("project_id", project)
                .send();
    }
}

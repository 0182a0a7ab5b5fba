package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.StreamSupport;

import static dev.slipway.standalone.TenantCalls.statusAndCode;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests the instance API, and the database constraints of instances. */
class InstancesApiTest {
    private static PlatformUnderTest platform;

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest();
        // A second app, entitled in the demo project only, with a deprecated version.
        platform.database().execute("""
                INSERT INTO instances.app_catalog (id, slug, status, revision)
                VALUES ('01900000-0000-7000-8000-00000000a001', 'relic', 'active', 1);
                INSERT INTO instances.app_versions (id, app_id, version, runtime_backend, status, manifest, revision)
                VALUES ('01900000-0000-7000-8000-00000000a002', '01900000-0000-7000-8000-00000000a001', '0.1', 'k8s', 'deprecated',
                        '{}', 1);
                INSERT INTO instances.project_app_entitlements (id, org_id, project_id, app_id, enabled, policy_overrides, revision)
                SELECT gen_random_uuid(), org_id, id, '01900000-0000-7000-8000-00000000a001', slug = 'playground', '{}', 1
                FROM instances.projects WHERE slug IN ('playground', 'workshop')
                """);
    }

    @AfterAll
    static void stop() {
        platform.close();
    }

    @Test
    void create_usesTheAccountOfTheProject_andNoOther() {
        var account = platform.as("project_owner")
                .call("getProject")
                .path("project_id", DemoData.PROJECT)
                .send()
                .expect(200)
                .text("operator_service_account_id");

        var launched = platform.launch("project_owner", "operated").send().expect(202);

        assertThat(account).isNotEmpty();
        assertThat(launched.text("operator_service_account_id")).isEqualTo(account);
        assertThat(refused("operator_service_account_id", DemoData.OTHER_OPERATOR.toString()))
                .isEqualTo("409 operator_account_invalid");
    }

    @Test
    @Proves({"1.48", "1.102"})
    void create_isRefused_whenNotAllowed() {
        assertThat(refused("app_slug", "nothing-such")).isEqualTo("404 app_not_found");
        assertThat(refused("version", "9.9.9")).isEqualTo("404 app_version_not_found");
        assertThat(refused("operating_mode", "platform_managed")).isEqualTo("403 operating_mode_not_allowed");
        assertThat(refused("control_plane_scope", "tenant")).isEqualTo("403 control_plane_scope_not_allowed");
        assertThat(refused("control_plane_scope", "platform")).isEqualTo("403 control_plane_scope_not_allowed");
        for (var account : List.of(DemoData.OTHER_OPERATOR, UUID.randomUUID(), DemoData.SERVICE_ACCOUNT)) {
            assertThat(refused("operator_service_account_id", account.toString()))
                    .isEqualTo("409 operator_account_invalid");
        }
        var relic =
                PlatformUnderTest.launchBody("relic").put("app_slug", "relic").put("version", "0.1");
        assertThat(statusAndCode(
                        platform.launch("project_owner", "").body(relic).send()))
                .isEqualTo("409 app_version_deprecated");
        for (var project : List.of(DemoData.SIBLING_PROJECT, DemoData.OTHER_PROJECT)) {
            var user = project.equals(DemoData.OTHER_PROJECT) ? "other_tenant_owner" : "tenant_owner";
            assertThat(statusAndCode(
                            platform.launchIn(project, user, "").body(relic).send()))
                    .isEqualTo("403 app_not_entitled");
        }
        assertThat(
                        platform.database()
                                .query(
                                        "SELECT count(*) FROM instances.app_instances WHERE display_name IN ('refused', 'relic')"))
                .isEqualTo("0");
    }

    @Test
    @Proves({"1.29", "1.30", "1.98"})
    void create_requiresTheSamePermissions_inEveryModeAndScope() {
        var policy = new PolicyCalls(platform).global();
        var shared = launchOf("platform_managed", "platform");
        policy.replace(
                "{'allowed_operating_modes': ['tenant_dedicated', 'platform_managed'],"
                        + " 'allowed_control_plane_scopes': ['project', 'platform']}",
                "{}");
        try {
            platform.awaitReplication();
            platform.launch("project_member", "").body(shared).send().expect(202);
            for (var mode : List.of("tenant_dedicated", "platform_managed")) {
                for (var scope : List.of("project", "platform")) {
                    assertOwnedByTheProject(launchOf(mode, scope));
                }
            }
        } finally {
            policy.replace("{}", "{}");
        }
        platform.awaitReplication();
        assertThat(statusAndCode(
                        platform.launch("project_member", "").body(shared).send()))
                .startsWith("403");
    }

    private static ObjectNode launchOf(String mode, String scope) {
        return PlatformUnderTest.launchBody(mode).put("operating_mode", mode).put("control_plane_scope", scope);
    }

    private static void assertOwnedByTheProject(ObjectNode body) {
        assertThat(statusAndCode(
                        platform.launch("project_viewer", "").body(body).send()))
                .isEqualTo("403 insufficient_permissions");
        assertThat(statusAndCode(
                        platform.launch("platform_superadmin", "").body(body).send()))
                .isEqualTo("403 break_glass_required");
        assertThat(statusAndCode(
                        platform.launch("other_tenant_owner", "").body(body).send()))
                .isEqualTo("404 not_found");
        var made = platform.launch("project_member", "").body(body).send().expect(202);
        var id = made.text("id");
        assertThat(made.text("control_plane_scope"))
                .isEqualTo(body.path("control_plane_scope").asText());
        assertThat(made.text("operating_mode"))
                .isEqualTo(body.path("operating_mode").asText());
        assertThat(made.text("project_id")).isEqualTo(DemoData.PROJECT.toString());
        assertThat(made.text("org_id")).isEqualTo(DemoData.ORG.toString());
        var isolated = body.path("operating_mode").asText().equals("tenant_dedicated")
                && !body.path("control_plane_scope").asText().equals("platform");
        assertThat(made.text("tenant_boundary_mode")).isEqualTo(isolated ? "tenant_isolated" : "shared_service");
        assertThat(platform.database()
                        .query("SELECT tenant_boundary_mode FROM instances.app_instances WHERE id = '" + id + "'"))
                .isEqualTo(made.text("tenant_boundary_mode"));
        platform.instance("getAppInstance", "project_viewer", id).send().expect(200);
        assertThat(statusAndCode(platform.instance("getAppInstance", "platform_superadmin", id)
                        .send()))
                .isEqualTo("403 break_glass_required");
        assertThat(statusAndCode(platform.instance("getAppInstance", "other_tenant_owner", id)
                        .send()))
                .isEqualTo("404 not_found");
        assertThat(statusAndCode(platform.instance("deleteAppInstance", "project_member", id)
                        .send()))
                .isEqualTo("403 insufficient_permissions");
        platform.instance("deleteAppInstance", "project_admin", id).send().expect(202);
    }

    @Test
    @Proves({"0.03", "1.25", "1.33", "1.49", "2.39"})
    void get_returnsTheLaunchedInstance() {
        var config = Json.object().put("greeting", "grüß dich 🚢").put("exact", new java.math.BigDecimal("0.10"));
        var body = PlatformUnderTest.launchBody("shown").set("config", config);
        var created =
                platform.launch("project_member", "shown").body(body).send().expect(202);

        var found = platform.instance("getAppInstance", "project_viewer", created.text("id"))
                .send()
                .expect(200);

        assertThat(found.body()).isEqualTo(created.body());
        assertThat(found.body().path("config")).isEqualTo(config);
        assertThat(found.text("project_id")).isEqualTo(DemoData.PROJECT.toString());
        assertThat(found.text("org_id")).isEqualTo(DemoData.ORG.toString());
        assertThat(found.text("operating_mode")).isEqualTo("tenant_dedicated");
        assertThat(found.text("control_plane_scope")).isEqualTo("project");
        assertThat(found.text("tenant_boundary_mode")).isEqualTo("tenant_isolated");
        assertThat(found.text("runtime_backend")).isEqualTo("bare_metal");
        assertThat(found.text("resource_name"))
                .matches("slipway:[a-z0-9-]+:" + DemoData.ORG + ":" + DemoData.PROJECT + ":app_instance:"
                        + created.text("id"));
        assertThat(created.header("Location"))
                .isEqualTo("/api/v1/projects/" + DemoData.PROJECT + "/app-instances/" + created.text("id"));
    }

    @Test
    @Proves("1.26")
    void create_recordsPersonAndAccount_whenAServiceAccountLaunches() {
        var owner = platform.as("project_owner").call("getMe").send().text("principal_id");

        var byAccount = platform.launch("service_account", "by CI").send().expect(202);
        var byPerson = platform.launch("project_owner", "by hand").send().expect(202);

        assertThat(byAccount.text("requested_by_user_id")).isEqualTo(owner);
        assertThat(byAccount.text("requested_by_principal_id")).isEqualTo(DemoData.SERVICE_ACCOUNT.toString());
        assertThat(byPerson.text("requested_by_user_id")).isEqualTo(owner);
        assertThat(byPerson.text("requested_by_principal_id")).isEqualTo(owner);
    }

    @Test
    void create_usesTheProjectsOperatorAccount_byDefault() {
        var account = CredentialCalls.createAccount(platform, DemoData.PROJECT, "apps.instance.report");
        platform.awaitReplication();
        var unnamed = platform.launch("project_owner", "unnamed").send().expect(202);
        var named = platform.launch("project_owner", "named")
                .body(PlatformUnderTest.launchBody("named").put("operator_service_account_id", account))
                .send()
                .expect(202);

        assertThat(unnamed.text("operator_service_account_id"))
                .isEqualTo(platform.database()
                        .query("SELECT operator_service_account_id FROM instances.projects WHERE slug = 'playground'"));
        assertThat(named.text("operator_service_account_id")).isEqualTo(account);
    }

    @Test
    @Proves("1.47")
    void list_returnsEveryInstanceOnce_whileOthersAreLaunched() {
        var there = new ArrayList<String>();
        for (var i = 0; i < 7; i++) {
            there.add(launchInSibling("there " + i));
        }
        var names = new ArrayList<String>();
        var ids = new ArrayList<String>();
        var pages = 0;
        var cursor = "";
        do {
            var page = list(DemoData.SIBLING_PROJECT, "limit=2" + cursor);
            page.path("items").forEach(item -> {
                ids.add(item.path("id").asText());
                names.add(item.path("resource_name").asText());
                assertThat(item.has("config")).isFalse();
                assertThat(item.path("project_id").asText()).isEqualTo(DemoData.SIBLING_PROJECT.toString());
            });
            cursor = page.path("next_cursor").isNull()
                    ? ""
                    : "&cursor=" + page.path("next_cursor").asText();
            pages++;
            var meanwhile = launchInSibling("meanwhile " + pages);
            assertThat(ids).doesNotContain(meanwhile);
        } while (!cursor.isEmpty());

        assertThat(pages).isEqualTo(4);
        java.util.Collections.reverse(there);
        assertThat(ids).containsExactlyElementsOf(there);
        assertThat(names).doesNotHaveDuplicates();
        assertThat(ids(list(DemoData.OTHER_PROJECT, "limit=500"))).doesNotContainAnyElementsOf(there);
    }

    @Test
    @Proves({"1.50", "1.64"})
    void delete_commitsStateEventAndAudit_beforeItReturns() {
        recordOutbox();
        var kept = platform.launch("project_owner", "kept").send().expect(202).text("id");
        assertCommitted(kept, "requested", "apps.instance.requested", "apps.instance.create");
        var doomed =
                platform.launch("project_owner", "doomed").send().expect(202).text("id");

        var deleting = platform.instance("deleteAppInstance", "project_admin", doomed)
                .send()
                .expect(202);

        assertCommitted(doomed, "deleting", "apps.instance.deleting", "apps.instance.delete");
        assertThat(deleting.text("status")).isEqualTo("deleting");
        assertThat(deleting.text("deleted_at")).isEqualTo("null");
        assertThat(ids(list(DemoData.PROJECT, "status=deleting")))
                .contains(doomed)
                .doesNotContain(kept);
        assertThat(ids(list(DemoData.PROJECT, "status=requested")))
                .contains(kept)
                .doesNotContain(doomed);
        assertThat(ids(list(DemoData.PROJECT, "status=running"))).isEmpty();
        assertThat(ids(list(DemoData.PROJECT, "limit=500"))).contains(kept, doomed);
        eventually(() -> assertThat(platform.events()
                        .find(observedRecord -> observedRecord.type().equals("apps.instance.deleting")
                                && observedRecord.key().equals(doomed)))
                .hasSize(1));
    }

    /** Copies every outbox row to a table, in its transaction: the relay deletes the rows once they are published. */
    private static void recordOutbox() {
        platform.database().execute("""
                CREATE TABLE instances.recorded_outbox (event_type text, value jsonb);
                CREATE FUNCTION instances.record_outbox() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
                BEGIN
                    INSERT INTO instances.recorded_outbox VALUES (NEW.event_type, convert_from(NEW.value, 'UTF8')::jsonb);
                    RETURN NULL;
                END $$;
                CREATE TRIGGER record_outbox AFTER INSERT ON instances.outbox FOR EACH ROW EXECUTE FUNCTION instances.record_outbox();
                """);
    }

    private static void assertCommitted(String id, String status, String eventType, String action) {
        assertThat(platform.database().query("SELECT status FROM instances.app_instances WHERE id = '" + id + "'"))
                .isEqualTo(status);
        assertThat(platform.database()
                        .query("SELECT count(*) FROM instances.recorded_outbox WHERE event_type = '" + eventType
                                + "' AND value -> 'payload' ->> 'app_instance_id' = '" + id + "'"))
                .isEqualTo("1");
        assertThat(platform.database()
                        .query(
                                "SELECT count(*) FROM instances.recorded_outbox WHERE event_type = 'audit.recorded' AND value -> 'payload' ->> 'target_id' = '"
                                        + id + "' AND value -> 'payload' ->> 'action' = '" + action + "'"))
                .isEqualTo("1");
    }

    private static String refused(String field, String value) {
        var body = PlatformUnderTest.launchBody("refused").put(field, value);
        return statusAndCode(platform.launch("project_owner", "").body(body).send());
    }

    private static String launchInSibling(String name) {
        return platform.launchIn(DemoData.SIBLING_PROJECT, "tenant_owner", name)
                .send()
                .expect(202)
                .text("id");
    }

    private static JsonNode list(UUID projectId, String query) {
        var user = projectId.equals(DemoData.OTHER_PROJECT) ? "other_tenant_owner" : "tenant_owner";
        return platform.as(user)
                .call("listAppInstances")
                .path("project_id", projectId)
                .query(query)
                .send()
                .expect(200)
                .body();
    }

    private static List<String> ids(JsonNode page) {
        return StreamSupport.stream(page.path("items").spliterator(), false)
                .map(item -> item.path("id").asText())
                .toList();
    }
}

package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.messaging.Topics;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.stream.StreamSupport;

import static dev.slipway.standalone.Tenants.told;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** App instances over the API, and the rules about them that the database keeps by itself. */
class InstancesApiTest {
    private static final String FOREIGN_KEY = "23503";
    private static final String NO_PRIVILEGE = "42501";
    private static final List<String> SERVICES = List.of("iam", "catalog", "instances", "audit", "metering");

    private static PlatformUnderTest platform;

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest();
        // A second app, entitled in the demo project alone, whose one version is not active.
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
    @Proves({"1.98", "C.28"})
    void table_hasItsDefaultsAndItsStatuses_andNamesThatStay() {
        assertThat(platform.database().query("""
                SELECT string_agg(column_name || '=' || split_part(column_default, chr(39), 2), ' ' ORDER BY column_name)
                FROM information_schema.columns WHERE table_schema = 'instances' AND table_name = 'app_instances'
                AND column_name IN ('operating_mode', 'control_plane_scope', 'tenant_boundary_mode')
                """))
                .isEqualTo(
                        "control_plane_scope=project operating_mode=tenant_dedicated tenant_boundary_mode=tenant_isolated");
        platform.launch("project_owner", "another").send().expect(202);
        var made = platform.launch("project_owner", "named").send().expect(202);
        var name = made.text("resource_name");
        assertThat(name)
                .isEqualTo(String.join(
                        ":",
                        "slipway",
                        "local",
                        Demo.ORG.toString(),
                        Demo.PROJECT.toString(),
                        "app_instance",
                        made.text("id")));
        assertThat(made.text("tenant_boundary_mode")).isEqualTo("tenant_isolated");
        var row = " WHERE id = '" + made.text("id") + "'";
        for (var status : List.of("requested", "deploying", "running", "failed", "deleting", "deleted")) {
            platform.database().execute("UPDATE instances.app_instances SET status = '" + status + "'" + row);
        }
        assertThatThrownBy(
                        () -> platform.database().execute("UPDATE instances.app_instances SET status = 'paused'" + row))
                .hasStackTraceContaining("status_check");
        assertThatThrownBy(() -> platform.database()
                        .execute("UPDATE instances.app_instances SET resource_name = '" + name + "' WHERE id <> '"
                                + made.text("id") + "'"))
                .hasStackTraceContaining("resource_name");
        platform.database().execute("UPDATE instances.app_instances SET status = 'requested'" + row);

        platform.instance("deleteAppInstance", "project_owner", made.text("id"))
                .send()
                .expect(202);

        assertThat(platform.instance("getAppInstance", "project_owner", made.text("id"))
                        .send()
                        .text("resource_name"))
                .isEqualTo(name);
    }

    @Test
    @Proves("1.10")
    void theSameRequests_work_whicheverRuntimeTheVersionDeclares() {
        for (var backend : Topics.RUNTIME_BACKENDS) {
            platform.database().execute("""
                    INSERT INTO instances.app_versions (id, app_id, version, runtime_backend, status, manifest, revision)
                    SELECT gen_random_uuid(), id, '%1$s', '%1$s', 'active', '{"app": "echo", "version": "%1$s"}', 1
                    FROM instances.app_catalog WHERE slug = '%2$s' ON CONFLICT DO NOTHING
                    """.formatted(backend, Demo.APP));

            var made = platform.launch("project_owner", "on " + backend)
                    .body(PlatformUnderTest.launchBody("on " + backend).put("version", backend))
                    .send()
                    .expect(202);

            assertThat(made.text("runtime_backend")).isEqualTo(backend);
            eventually(() -> assertThat(platform.events()
                            .where(seen -> seen.topic().equals("runtime.commands." + backend)
                                    && seen.key().equals(made.text("id"))))
                    .singleElement()
                    .satisfies(seen -> assertThat(seen.type()).isEqualTo("runtime.command.deploy")));
            platform.instance("getAppInstance", "project_owner", made.text("id"))
                    .send()
                    .expect(200);
            platform.instance("deleteAppInstance", "project_owner", made.text("id"))
                    .send()
                    .expect(202);
        }
    }

    @Test
    @Proves("1.102")
    void create_isRefused_whenTheProjectMayNotHaveWhatItAsksFor() {
        assertThat(refused("app_slug", "nothing-such")).isEqualTo("404 app_not_found");
        assertThat(refused("version", "9.9.9")).isEqualTo("404 app_version_not_found");
        assertThat(refused("operating_mode", "platform_managed")).isEqualTo("403 operating_mode_not_allowed");
        assertThat(refused("control_plane_scope", "tenant")).isEqualTo("403 control_plane_scope_not_allowed");
        assertThat(refused("control_plane_scope", "platform")).isEqualTo("403 control_plane_scope_not_allowed");
        for (var account : List.of(Demo.OTHER_OPERATOR, UUID.randomUUID(), Demo.PROJECT)) {
            assertThat(refused("operator_service_account_id", account.toString()))
                    .isEqualTo("409 operator_account_invalid");
        }
        var relic =
                PlatformUnderTest.launchBody("relic").put("app_slug", "relic").put("version", "0.1");
        assertThat(told(platform.launch("project_owner", "").body(relic).send()))
                .isEqualTo("409 app_version_deprecated");
        for (var project : List.of(Demo.SIBLING_PROJECT, Demo.OTHER_PROJECT)) {
            var user = project.equals(Demo.OTHER_PROJECT) ? "other_tenant_owner" : "tenant_owner";
            assertThat(told(platform.launchIn(project, user, "").body(relic).send()))
                    .isEqualTo("403 app_not_entitled");
        }
        assertThat(
                        platform.database()
                                .query(
                                        "SELECT count(*) FROM instances.app_instances WHERE display_name IN ('refused', 'relic')"))
                .isEqualTo("0");
    }

    @Test
    @Proves({"1.29", "1.30"})
    void everyModeAndScope_belongsToTheProject_andNeedsTheSameGrants() {
        var policy = new PolicyCalls(platform).global();
        var shared = launchOf("platform_managed", "platform");
        policy.say(
                "{'allowed_operating_modes': ['tenant_dedicated', 'platform_managed'],"
                        + " 'allowed_control_plane_scopes': ['project', 'tenant', 'platform']}",
                "{}");
        try {
            eventually(() ->
                    platform.launch("project_member", "").body(shared).send().expect(202));
            for (var mode : List.of("tenant_dedicated", "platform_managed")) {
                for (var scope : List.of("project", "tenant", "platform")) {
                    assertOwnedByTheProject(launchOf(mode, scope));
                }
            }
        } finally {
            policy.say("{}", "{}");
        }
        eventually(() -> assertThat(
                        told(platform.launch("project_member", "").body(shared).send()))
                .startsWith("403"));
    }

    private static ObjectNode launchOf(String mode, String scope) {
        return PlatformUnderTest.launchBody(mode).put("operating_mode", mode).put("control_plane_scope", scope);
    }

    private static void assertOwnedByTheProject(ObjectNode body) {
        assertThat(told(platform.launch("project_viewer", "").body(body).send()))
                .isEqualTo("403 insufficient_permissions");
        assertThat(told(platform.launch("platform_superadmin", "").body(body).send()))
                .isEqualTo("403 break_glass_required");
        assertThat(told(platform.launch("other_tenant_owner", "").body(body).send()))
                .isEqualTo("404 not_found");
        var made = platform.launch("project_member", "").body(body).send().expect(202);
        var id = made.text("id");
        assertThat(made.text("control_plane_scope"))
                .isEqualTo(body.path("control_plane_scope").asText());
        assertThat(made.text("operating_mode"))
                .isEqualTo(body.path("operating_mode").asText());
        assertThat(made.text("project_id")).isEqualTo(Demo.PROJECT.toString());
        assertThat(made.text("org_id")).isEqualTo(Demo.ORG.toString());
        platform.instance("getAppInstance", "project_viewer", id).send().expect(200);
        assertThat(told(platform.instance("getAppInstance", "platform_superadmin", id)
                        .send()))
                .isEqualTo("403 break_glass_required");
        assertThat(told(platform.instance("getAppInstance", "other_tenant_owner", id)
                        .send()))
                .isEqualTo("404 not_found");
        assertThat(told(platform.instance("deleteAppInstance", "project_member", id)
                        .send()))
                .isEqualTo("403 insufficient_permissions");
        platform.instance("deleteAppInstance", "project_admin", id).send().expect(202);
    }

    @Test
    @Proves({"0.03", "1.25", "1.33", "1.49", "2.39"})
    void get_showsWhatWasLaunched() {
        var config = Json.object().put("greeting", "grüß dich 🚢").put("exact", new java.math.BigDecimal("0.10"));
        var body = PlatformUnderTest.launchBody("shown").set("config", config);
        var created =
                platform.launch("project_member", "shown").body(body).send().expect(202);

        var found = platform.instance("getAppInstance", "project_viewer", created.text("id"))
                .send()
                .expect(200);

        assertThat(found.body()).isEqualTo(created.body());
        assertThat(found.body().path("config")).isEqualTo(config);
        assertThat(found.text("project_id")).isEqualTo(Demo.PROJECT.toString());
        assertThat(found.text("org_id")).isEqualTo(Demo.ORG.toString());
        assertThat(found.text("operating_mode")).isEqualTo("tenant_dedicated");
        assertThat(found.text("control_plane_scope")).isEqualTo("project");
        assertThat(found.text("tenant_boundary_mode")).isEqualTo("tenant_isolated");
        assertThat(found.text("runtime_backend")).isEqualTo("bare_metal");
        assertThat(found.text("resource_name"))
                .matches("slipway:[a-z0-9-]+:" + Demo.ORG + ":" + Demo.PROJECT + ":app_instance:" + created.text("id"));
        assertThat(created.header("Location"))
                .isEqualTo("/api/v1/projects/" + Demo.PROJECT + "/app-instances/" + created.text("id"));
    }

    @Test
    @Proves("1.26")
    void create_namesThePersonAndTheAccount_whenAnAccountLaunches() {
        var owner = platform.as("project_owner").call("getMe").send().text("principal_id");

        var byAccount = platform.launch("service_account", "by CI").send().expect(202);
        var byPerson = platform.launch("project_owner", "by hand").send().expect(202);

        assertThat(byAccount.text("requested_by_user_id")).isEqualTo(owner);
        assertThat(byAccount.text("requested_by_principal_id")).isEqualTo(Demo.SERVICE_ACCOUNT.toString());
        assertThat(byPerson.text("requested_by_user_id")).isEqualTo(owner);
        assertThat(byPerson.text("requested_by_principal_id")).isEqualTo(owner);
    }

    @Test
    @Proves("1.73")
    void create_takesTheProjectsOwnAccount_whenNoneIsNamed() {
        var unnamed = platform.launch("project_owner", "unnamed").send().expect(202);
        var named = platform.launch("project_owner", "named")
                .body(PlatformUnderTest.launchBody("named")
                        .put("operator_service_account_id", Demo.SERVICE_ACCOUNT.toString()))
                .send()
                .expect(202);

        assertThat(unnamed.text("operator_service_account_id"))
                .isEqualTo(platform.database()
                        .query("SELECT operator_service_account_id FROM instances.projects WHERE slug = 'playground'"));
        assertThat(named.text("operator_service_account_id")).isEqualTo(Demo.SERVICE_ACCOUNT.toString());
    }

    @Test
    @Proves("1.47")
    void list_hasEveryInstanceOnce_whenOthersAreLaunchedMeanwhile() {
        var there = new ArrayList<String>();
        for (var i = 0; i < 7; i++) {
            there.add(launchInSibling("there " + i));
        }
        var names = new ArrayList<String>();
        var ids = new ArrayList<String>();
        var pages = 0;
        var cursor = "";
        do {
            var page = list(Demo.SIBLING_PROJECT, "limit=2" + cursor);
            page.path("items").forEach(item -> {
                ids.add(item.path("id").asText());
                names.add(item.path("resource_name").asText());
                assertThat(item.has("config")).isFalse();
                assertThat(item.path("project_id").asText()).isEqualTo(Demo.SIBLING_PROJECT.toString());
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
        assertThat(ids(list(Demo.OTHER_PROJECT, "limit=500"))).doesNotContainAnyElementsOf(there);
    }

    @Test
    @Proves({"1.50", "1.64"})
    void delete_startsTheDeletion_andTheListTellsTheStatusesApart() {
        var kept = platform.launch("project_owner", "kept").send().expect(202).text("id");
        var doomed =
                platform.launch("project_owner", "doomed").send().expect(202).text("id");

        var deleting = platform.instance("deleteAppInstance", "project_admin", doomed)
                .send()
                .expect(202);

        assertThat(deleting.text("status")).isEqualTo("deleting");
        assertThat(deleting.text("deleted_at")).isEqualTo("null");
        assertThat(ids(list(Demo.PROJECT, "status=deleting"))).contains(doomed).doesNotContain(kept);
        assertThat(ids(list(Demo.PROJECT, "status=requested"))).contains(kept).doesNotContain(doomed);
        assertThat(ids(list(Demo.PROJECT, "status=running"))).isEmpty();
        assertThat(ids(list(Demo.PROJECT, "limit=500"))).contains(kept, doomed);
        eventually(() -> assertThat(platform.events()
                        .where(seen -> seen.type().equals("apps.instance.deleting")
                                && seen.key().equals(doomed)))
                .hasSize(1));
        eventually(() -> assertThat(platform.events()
                        .where(seen -> seen.type().equals("audit.recorded")
                                && seen.payload().path("target_id").asText().equals(doomed)
                                && seen.payload().path("action").asText().equals("apps.instance.delete")))
                .hasSize(1));
    }

    @Test
    @Proves({"1.100", "1.102", "1.103"})
    void database_refusesAnInstance_whoseReferencesDoNotAgree() {
        platform.launch("project_owner", "pattern").send().expect(202);
        var relicVersion = "'01900000-0000-7000-8000-00000000a002'::uuid";

        platform.database().execute(copyWith("org_id", "org_id"));
        assertRefused(FOREIGN_KEY, copyWith("org_id", uuid(Demo.OTHER_ORG)));
        assertRefused(FOREIGN_KEY, copyWith("project_id", uuid(Demo.OTHER_PROJECT)));
        assertRefused(FOREIGN_KEY, copyWith("project_id", uuid(Demo.SIBLING_PROJECT)));
        assertRefused(FOREIGN_KEY, copyWith("operator_service_account_id", uuid(Demo.OTHER_OPERATOR)));
        assertRefused(FOREIGN_KEY, copyWith("app_version_id", relicVersion));
        assertRefused(FOREIGN_KEY, copyWith("requested_by_user_id", "gen_random_uuid()"));
        assertRefused("23514", copyWith("status", "'paused'"));
        assertRefused("23514", copyWith("operating_mode", "'shared'"));
    }

    @Test
    @Proves("1.99")
    void database_hasTheIndexesThatQueriesNeed() {
        assertThat(indexed("instances.app_instances", "project_id, status, created_at DESC"))
                .isTrue();
        assertThat(indexed("instances.app_instances", "org_id, status")).isTrue();
        assertThat(indexed("catalog.project_app_entitlements", "project_id")).isTrue();
        assertThat(indexed("catalog.app_versions", "app_id, status, created_at DESC"))
                .isTrue();
    }

    @Test
    @Proves("3.28")
    void database_refusesAService_inAnothersSchema() {
        for (var service : SERVICES) {
            for (var role : List.of("slipway_" + service, "slipway_" + service + "_owner")) {
                for (var schema : SERVICES) {
                    var sql = "SET ROLE " + role + "; SELECT count(*) FROM " + schema + ".outbox";
                    if (schema.equals(service)) {
                        platform.database().execute(sql);
                    } else {
                        assertRefused(NO_PRIVILEGE, sql);
                    }
                }
            }
            assertRefused(
                    NO_PRIVILEGE, "SET ROLE slipway_" + service + "; CREATE TABLE " + service + ".surprise (id int)");
        }
        assertRefused(NO_PRIVILEGE, "SET ROLE slipway_audit; DELETE FROM audit.audit_records");
        assertRefused(NO_PRIVILEGE, "SET ROLE slipway_audit; UPDATE audit.audit_records SET title = 'other'");
    }

    private static void assertRefused(String sqlState, String sql) {
        assertThatThrownBy(() -> platform.database().execute(sql))
                .as(sql)
                .hasCauseInstanceOf(SQLException.class)
                .satisfies(e -> assertThat(((SQLException) e.getCause()).getSQLState())
                        .as("%s: %s", sql, e.getCause())
                        .isEqualTo(sqlState));
    }

    /** A second instance like one that is there, but for one column. */
    private static String copyWith(String column, String value) {
        var columns = List.of(
                "org_id",
                "project_id",
                "app_id",
                "app_version_id",
                "display_name",
                "operating_mode",
                "status",
                "requested_by_user_id",
                "requested_by_principal_id",
                "operator_service_account_id");
        var values =
                columns.stream().map(name -> name.equals(column) ? value : name).toList();
        return "INSERT INTO instances.app_instances (id, resource_name, " + String.join(", ", columns)
                + ") SELECT gen_random_uuid(), gen_random_uuid()::text, " + String.join(", ", values)
                + " FROM instances.app_instances WHERE display_name = 'pattern' LIMIT 1";
    }

    private static String uuid(UUID id) {
        return "'" + id + "'::uuid";
    }

    /** By an index of all rows; it may carry more columns along. */
    private static boolean indexed(String table, String columns) {
        var definition = "%" + table.toLowerCase(Locale.ROOT) + " USING btree (" + columns + ")";
        return platform.database()
                .query("SELECT count(*) > 0 FROM pg_indexes WHERE indexdef LIKE '" + definition + "' OR indexdef LIKE '"
                        + definition + " INCLUDE (%)'")
                .equals("t");
    }

    private static String refused(String field, String value) {
        var body = PlatformUnderTest.launchBody("refused").put(field, value);
        return told(platform.launch("project_owner", "").body(body).send());
    }

    private static String launchInSibling(String name) {
        return platform.launchIn(Demo.SIBLING_PROJECT, "tenant_owner", name)
                .send()
                .expect(202)
                .text("id");
    }

    private static JsonNode list(UUID projectId, String query) {
        var user = projectId.equals(Demo.OTHER_PROJECT) ? "other_tenant_owner" : "tenant_owner";
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

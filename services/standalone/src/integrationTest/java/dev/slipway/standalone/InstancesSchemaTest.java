package dev.slipway.standalone;

import dev.slipway.contract.Json;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The rules that the database itself enforces. */
class InstancesSchemaTest {
    private static final String FOREIGN_KEY = "23503";
    private static final String NO_PRIVILEGE = "42501";
    private static final String PROJECT_OF_ORGANIZATION = "app_instances_project_id_org_id_fkey";
    private static final List<String> SERVICES = List.of("iam", "catalog", "instances", "audit", "metering", "tenants");

    private static PlatformUnderTest platform;

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest();
        platform.database().execute("""
                INSERT INTO instances.app_catalog (id, slug, status, revision)
                VALUES ('01900000-0000-7000-8000-00000000a001', 'relic', 'active', 1);
                INSERT INTO instances.app_versions (id, app_id, version, runtime_backend, status, manifest, revision)
                VALUES ('01900000-0000-7000-8000-00000000a002', '01900000-0000-7000-8000-00000000a001', '0.1', 'k8s', 'deprecated',
                        '{}', 1)
                """);
    }

    @AfterAll
    static void stop() {
        platform.close();
    }

    @Test
    @Proves("1.98")
    void table_hasTheColumnsForeignKeysAndDeleteRulesOfTheModel() {
        assertThat(platform.database().query("""
                SELECT string_agg(column_name || ' ' || data_type || CASE is_nullable WHEN 'NO' THEN ' not null' ELSE '' END, ', '
                    ORDER BY ordinal_position)
                FROM information_schema.columns WHERE table_schema = 'instances' AND table_name = 'app_instances'
                AND column_name IN ('id', 'resource_name', 'org_id', 'project_id', 'app_id', 'app_version_id', 'display_name',
                    'operating_mode', 'control_plane_scope', 'tenant_boundary_mode', 'status', 'requested_by_user_id',
                    'operator_service_account_id', 'config', 'runtime_state', 'failure_reason', 'created_at', 'updated_at', 'deleted_at')
                """))
                .isEqualTo(String.join(
                        ", ",
                        "id uuid not null",
                        "resource_name text not null",
                        "org_id uuid not null",
                        "project_id uuid not null",
                        "app_id uuid not null",
                        "app_version_id uuid not null",
                        "display_name text not null",
                        "operating_mode text not null",
                        "control_plane_scope text not null",
                        "tenant_boundary_mode text not null",
                        "status text not null",
                        "requested_by_user_id uuid not null",
                        "operator_service_account_id uuid",
                        "config jsonb not null",
                        "runtime_state jsonb not null",
                        "failure_reason text",
                        "created_at timestamp with time zone not null",
                        "updated_at timestamp with time zone not null",
                        "deleted_at timestamp with time zone"));
        assertThat(platform.database()
                        .query(
                                "SELECT string_agg(replace(pg_get_constraintdef(oid), 'instances.', ''), '; ') FROM pg_constraint"
                                        + " WHERE conrelid = 'instances.app_instances'::regclass AND contype = 'f'"))
                .contains("FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE")
                .contains("FOREIGN KEY (project_id, org_id) REFERENCES projects(id, org_id) ON DELETE CASCADE")
                .contains("FOREIGN KEY (app_id) REFERENCES app_catalog(id) ON DELETE RESTRICT")
                .contains("FOREIGN KEY (app_version_id, app_id) REFERENCES app_versions(id, app_id) ON DELETE RESTRICT")
                .contains("FOREIGN KEY (requested_by_user_id) REFERENCES users(id)")
                .contains(
                        "FOREIGN KEY (operator_service_account_id, project_id, org_id) REFERENCES service_accounts(id, project_id, org_id)");
    }

    @Test
    @Proves({"1.98", "C.28"})
    void table_hasDefaultsAndStatuses_andUniqueNames() {
        assertThat(platform.database().query("""
                SELECT string_agg(column_name || '=' || split_part(column_default, chr(39), 2), ' ' ORDER BY column_name)
                FROM information_schema.columns WHERE table_schema = 'instances' AND table_name = 'app_instances'
                AND column_name IN ('operating_mode', 'control_plane_scope', 'tenant_boundary_mode', 'config', 'runtime_state')
                """))
                .isEqualTo(
                        "config={} control_plane_scope=project operating_mode=tenant_dedicated runtime_state={} tenant_boundary_mode=tenant_isolated");
        assertThat(platform.database().query("""
                SELECT string_agg(column_name || '=' || column_default, ' ' ORDER BY column_name)
                FROM information_schema.columns WHERE table_schema = 'instances' AND table_name = 'app_instances'
                AND column_name IN ('created_at', 'updated_at')
                """)).isEqualTo("created_at=now() updated_at=now()");
        platform.launch("project_owner", "another").send().expect(202);
        var made = platform.launch("project_owner", "named").send().expect(202);
        var name = made.text("resource_name");
        assertThat(name)
                .isEqualTo(String.join(
                        ":",
                        "slipway",
                        "local",
                        DemoData.ORG.toString(),
                        DemoData.PROJECT.toString(),
                        "app_instance",
                        made.text("id")));
        assertThat(platform.launch("project_owner", "chosen")
                        .body(PlatformUnderTest.launchBody("chosen").put("resource_name", name))
                        .send()
                        .expect(400)
                        .text("code"))
                .isEqualTo("validation_error");
        assertThat(platform.instance("upgradeAppInstance", "project_owner", made.text("id"))
                        .body(Json.object().put("version", "1.0.0").put("resource_name", name + "-renamed"))
                        .send()
                        .expect(400)
                        .text("code"))
                .isEqualTo("validation_error");
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
    @Proves({"1.100", "1.102", "1.103"})
    void database_refusesAnInstance_whenItsReferencesDoNotMatch() {
        platform.launch("project_owner", "pattern").send().expect(202);
        var relicVersion = "'01900000-0000-7000-8000-00000000a002'::uuid";

        platform.database().execute(copyWith("org_id", "org_id"));
        assertRefusedBy(PROJECT_OF_ORGANIZATION, copyWith("org_id", uuid(DemoData.OTHER_ORG)));
        assertRefusedBy(PROJECT_OF_ORGANIZATION, copyWith("project_id", uuid(DemoData.OTHER_PROJECT)));
        assertRefused(FOREIGN_KEY, copyWith("project_id", uuid(DemoData.SIBLING_PROJECT)));
        assertRefused(FOREIGN_KEY, copyWith("operator_service_account_id", uuid(DemoData.OTHER_OPERATOR)));
        assertRefused(FOREIGN_KEY, copyWith("app_version_id", relicVersion));
        assertRefused(FOREIGN_KEY, copyWith("requested_by_user_id", "gen_random_uuid()"));
        assertRefused("23514", copyWith("status", "'paused'"));
        assertRefused("23514", copyWith("operating_mode", "'shared'"));
    }

    @Test
    @Proves("1.99")
    void database_hasTheRequiredIndexes() {
        assertThat(indexed("instances.app_instances", "project_id, status, created_at DESC"))
                .isTrue();
        assertThat(indexed("instances.app_instances", "org_id, status")).isTrue();
        assertThat(indexed("catalog.project_app_entitlements", "project_id")).isTrue();
        assertThat(indexed("catalog.app_versions", "app_id, status, created_at DESC"))
                .isTrue();
    }

    @Test
    @Proves({"1.104", "3.28"})
    void database_refusesAService_inTheSchemaOfAnother() {
        for (var service : SERVICES) {
            // The owner of the tables runs the migrations.
            assertThat(platform.database()
                            .query("SELECT string_agg(DISTINCT tableowner, ' ') FROM pg_tables WHERE schemaname = '"
                                    + service + "'"))
                    .isEqualTo("slipway_" + service + "_owner");
            for (var role : List.of("slipway_" + service, "slipway_" + service + "_owner")) {
                for (var schema : SERVICES) {
                    var sql = "SET ROLE " + role + "; SELECT count(*) FROM " + schema + ".outbox";
                    if (schema.equals(service)) {
                        platform.database().execute(sql);
                    } else {
                        assertRefused(NO_PRIVILEGE, sql);
                        assertRefused(
                                NO_PRIVILEGE, "SET ROLE " + role + "; CREATE TABLE " + schema + ".unwanted (id int)");
                    }
                }
            }
            assertRefused(
                    NO_PRIVILEGE, "SET ROLE slipway_" + service + "; CREATE TABLE " + service + ".unwanted (id int)");
        }
        assertRefused(NO_PRIVILEGE, "SET ROLE slipway_audit; DELETE FROM audit.audit_records");
        assertRefused(NO_PRIVILEGE, "SET ROLE slipway_audit; UPDATE audit.audit_records SET title = 'other'");
    }

    /** By this constraint and no other: several may be violated. */
    private static void assertRefusedBy(String constraint, String sql) {
        assertThatThrownBy(() -> platform.database().execute(sql)).as(sql).hasStackTraceContaining(constraint);
    }

    private static void assertRefused(String sqlState, String sql) {
        assertThatThrownBy(() -> platform.database().execute(sql))
                .as(sql)
                .hasCauseInstanceOf(SQLException.class)
                .satisfies(e -> assertThat(((SQLException) e.getCause()).getSQLState())
                        .as("%s: %s", sql, e.getCause())
                        .isEqualTo(sqlState));
    }

    /** Copies an instance with another value in one column. */
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

    /** Returns whether an index without a condition has these columns; it may include others. */
    private static boolean indexed(String table, String columns) {
        var definition = "%" + table.toLowerCase(Locale.ROOT) + " USING btree (" + columns + ")";
        return platform.database()
                .query("SELECT count(*) > 0 FROM pg_indexes WHERE indexdef LIKE '" + definition + "' OR indexdef LIKE '"
                        + definition + " INCLUDE (%)'")
                .equals("t");
    }
}

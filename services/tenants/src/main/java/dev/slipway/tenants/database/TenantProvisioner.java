package dev.slipway.tenants.database;

import dev.slipway.tenants.tenant.domain.IsolationLevel;
import dev.slipway.tenants.tenant.domain.Tenant;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import static dev.slipway.tenants.tenant.domain.SqlText.identifier;
import static dev.slipway.tenants.tenant.domain.SqlText.literal;

/** Creates the database, schema and roles of a tenant. Every step can be repeated: it leaves alone what exists. */
public final class TenantProvisioner {
    /** A table with one row that describes the tenant, for tools that connect to the database. */
    public static final String INFO_TABLE = "slipway_tenant_info";

    /** Changes of rights on the shared database would otherwise conflict with each other. */
    private static final String LOCK_SHARED_DATABASE = "SELECT pg_advisory_xact_lock(7531)";

    private static final String UPSERT_INFO = """
            INSERT INTO %s (id, display_name, plan, region) VALUES ($1, $2, $3, $4)
            ON CONFLICT (id) DO UPDATE SET display_name = $2, plan = $3, region = $4
            """;

    private final TenantDatabases databases;

    public TenantProvisioner(TenantDatabases databases) {
        this.databases = databases;
    }

    /** Returns the role that can only read the tables of a tenant with roles of its own. */
    static String readRole(Tenant tenant) {
        return tenant.names().role() + "_ro";
    }

    public Future<Void> createDatabase(Tenant tenant) {
        return databases.createIfMissing(tenant.names().database());
    }

    public Future<Void> createRoles(Tenant tenant) {
        var names = tenant.names();
        var statements = new ArrayList<String>();
        statements.add(LOCK_SHARED_DATABASE);
        statements.addAll(databases.createRoles(names.owner(), names.role()));
        statements.add(TenantDatabases.createRole(readRole(tenant), "NOLOGIN"));
        statements.add("GRANT " + identifier(readRole(tenant)) + " TO CURRENT_USER");
        statements.add("GRANT CONNECT ON DATABASE " + identifier(names.database()) + " TO " + identifier(names.role())
                + ", " + identifier(readRole(tenant)));
        return runInTransaction(names.database(), statements);
    }

    /** Creates the schema and the table that describes the tenant. */
    public Future<Void> createSchema(Tenant tenant) {
        var names = tenant.names();
        return (names.isShared()
                        ? Future.<Void>succeededFuture()
                        : runInTransaction(
                                names.database(),
                                List.of(
                                        "REVOKE ALL ON SCHEMA public FROM PUBLIC",
                                        "CREATE SCHEMA IF NOT EXISTS " + identifier(names.schema()) + " AUTHORIZATION "
                                                + identifier(names.owner()))))
                .compose(ok -> createInfoTable(tenant));
    }

    private Future<Void> createInfoTable(Tenant tenant) {
        var table = tenant.names().table(INFO_TABLE);
        return databases.inTransaction(tenant, connection -> connection
                .preparedQuery("SELECT to_regclass($1) IS NOT NULL AS table_exists")
                .execute(Tuple.of(identifier(table)))
                .compose(found -> {
                    var statements = new ArrayList<String>();
                    if (!found.iterator().next().getBoolean("table_exists")) {
                        statements.add(
                                "CREATE TABLE " + identifier(table)
                                        + " (id uuid PRIMARY KEY, display_name text NOT NULL, plan text NOT NULL, region text)");
                        statements.addAll(RowSecurity.statements(tenant, table));
                    }
                    return AdminConnections.runAll(connection, statements);
                }));
    }

    /** Grants the roles of the tenant the rights on its tables, present and future. */
    public Future<Void> applyPolicies(Tenant tenant) {
        var names = tenant.names();
        return names.isShared()
                ? new TenantAccess(databases).allow(tenant)
                : databases.execute(
                        tenant,
                        List.of(
                                "GRANT USAGE ON SCHEMA " + identifier(names.schema()) + " TO "
                                        + identifier(names.role()) + ", " + identifier(readRole(tenant)),
                                "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "
                                        + identifier(names.schema()) + " TO " + identifier(names.role()),
                                "GRANT SELECT ON ALL TABLES IN SCHEMA " + identifier(names.schema()) + " TO "
                                        + identifier(readRole(tenant)),
                                "ALTER DEFAULT PRIVILEGES IN SCHEMA " + identifier(names.schema())
                                        + " GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO "
                                        + identifier(names.role()),
                                "ALTER DEFAULT PRIVILEGES IN SCHEMA " + identifier(names.schema())
                                        + " GRANT SELECT ON TABLES TO " + identifier(readRole(tenant))));
    }

    public Future<Void> seedData(Tenant tenant) {
        var sql = UPSERT_INFO.formatted(identifier(tenant.names().table(INFO_TABLE)));
        return databases.inTransaction(tenant, connection -> connection
                .preparedQuery(sql)
                .execute(Tuple.of(
                        tenant.id(), tenant.displayName(), tenant.plan().text(), tenant.region()))
                .<Void>mapEmpty());
    }

    /** Deletes the database, schema, tables and roles of the tenant, and terminates their connections. */
    public Future<Void> drop(Tenant tenant) {
        var names = tenant.names();
        return switch (tenant.isolationLevel()) {
            case ISOLATED_DB ->
                databases
                        .admin()
                        .with(databases.platformDatabase(), connection -> connection
                                .query("DROP DATABASE IF EXISTS " + identifier(names.database()) + " WITH (FORCE)")
                                .execute()
                                .<Void>mapEmpty())
                        .compose(ok -> dropRoles(tenant));
            case ISOLATED_SCHEMA ->
                new TenantAccess(databases)
                        .terminate(tenant)
                        .compose(ok -> runInTransaction(names.database(), dropSchema(tenant)))
                        .compose(ok -> dropRoles(tenant));
            case SHARED_SCHEMA -> dropTables(tenant);
        };
    }

    private List<String> dropSchema(Tenant tenant) {
        var names = tenant.names();
        var statements = new ArrayList<String>();
        statements.add(LOCK_SHARED_DATABASE);
        statements.add("DROP SCHEMA IF EXISTS " + identifier(names.schema()) + " CASCADE");
        for (var role : List.of(names.owner(), names.role(), readRole(tenant))) {
            statements.add("""
                    DO $$ BEGIN
                      IF EXISTS (SELECT FROM pg_roles WHERE rolname = %s) THEN
                        DROP OWNED BY %s;
                      END IF;
                    END $$
                    """.formatted(literal(role), identifier(role)));
        }
        return statements;
    }

    /** Credentials are members of the roles, so their names begin with those of the roles. */
    private Future<Void> dropRoles(Tenant tenant) {
        return databases.admin().with(databases.platformDatabase(), connection -> connection
                .preparedQuery("SELECT rolname::text AS role FROM pg_roles WHERE starts_with(rolname::text, $1)")
                .execute(Tuple.of(tenant.names().role()))
                .compose(found -> {
                    var statements = new ArrayList<String>();
                    found.forEach(row -> statements.add("DROP ROLE IF EXISTS " + identifier(row.getString("role"))));
                    return AdminConnections.runAll(connection, statements);
                }));
    }

    private Future<Void> dropTables(Tenant tenant) {
        return new TenantAccess(databases)
                .deny(tenant)
                .compose(ok -> databases.inTransaction(tenant, connection -> connection
                        .preparedQuery(TenantDatabases.LOCK_TENANT)
                        .execute(Tuple.of(tenant.id().toString()))
                        .compose(locked -> listTables(connection, tenant))
                        .compose(found -> {
                            var statements = new ArrayList<String>();
                            found.forEach(row -> statements.add(
                                    "DROP TABLE IF EXISTS " + identifier(row.getString("name")) + " CASCADE"));
                            return AdminConnections.runAll(connection, statements);
                        })));
    }

    private static Future<RowSet<Row>> listTables(SqlConnection connection, Tenant tenant) {
        return connection
                .preparedQuery(
                        "SELECT tablename::text AS name FROM pg_tables WHERE schemaname = $1 AND starts_with(tablename::text, $2)")
                .execute(Tuple.of(tenant.names().schema(), tenant.names().tablePrefix()));
    }

    /** Returns the bytes that the tables and indexes of the tenant occupy. */
    public Future<Long> measureStorage(Tenant tenant) {
        var sql = tenant.isolationLevel() == IsolationLevel.ISOLATED_DB
                ? "SELECT pg_database_size(current_database()) AS bytes"
                : """
                SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint AS bytes FROM pg_class c
                JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname = current_schema() AND c.relkind = 'r' AND starts_with(c.relname::text, %s)
                """.formatted(literal(tenant.names().tablePrefix()));
        return databases.inTransaction(
                tenant, connection -> connection.query(sql).execute().map(rows -> rows.iterator()
                        .next()
                        .getLong("bytes")));
    }

    /** Counts the records of the objects. */
    public Future<Map<String, Long>> countRecords(Tenant tenant, List<String> objects) {
        return databases.inTransaction(tenant, connection -> {
            var counts = new LinkedHashMap<String, Long>();
            var chain = Future.<Void>succeededFuture();
            for (var object : objects) {
                var sql = "SELECT count(*) AS records FROM "
                        + identifier(tenant.names().table(object));
                chain = chain.compose(ok -> connection.query(sql).execute().map(rows -> {
                    counts.put(object, rows.iterator().next().getLong("records"));
                    return null;
                }));
            }
            return chain.map(counts);
        });
    }

    private Future<Void> runInTransaction(String database, List<String> statements) {
        return databases.admin().with(database, connection -> connection
                .begin()
                .compose(transaction ->
                        AdminConnections.runAll(connection, statements).compose(ok -> transaction.commit())));
    }
}

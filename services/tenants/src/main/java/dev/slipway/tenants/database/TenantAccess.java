package dev.slipway.tenants.database;

import dev.slipway.tenants.tenant.domain.Tenant;
import io.vertx.core.Future;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.Tuple;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import static dev.slipway.tenants.tenant.domain.SqlText.identifier;
import static dev.slipway.tenants.tenant.domain.SqlText.literal;

/** Allows and denies access to the data of a tenant, in the database itself: neither a cache nor an open connection gets around it. */
public final class TenantAccess {
    private static final String TERMINATE = """
            SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
            WHERE datname = $1 AND starts_with(usename::text, $2) AND pid <> pg_backend_pid()
            """;
    private static final String FIND_CREDENTIALS = """
            SELECT rolname::text AS role FROM pg_roles WHERE rolcanlogin AND starts_with(rolname::text, $1) AND rolname <> $2
            """;
    private static final String INSERT_ACCESS =
            "INSERT INTO " + RowSecurity.ACCESS_TABLE + " (tenant_id) VALUES ($1) ON CONFLICT DO NOTHING";
    private static final String DELETE_ACCESS = "DELETE FROM " + RowSecurity.ACCESS_TABLE + " WHERE tenant_id = $1";

    private static final String LOCK_NOT_AVAILABLE = "55P03";
    /** The connections that a credential can have open at a time. */
    private static final int CREDENTIAL_CONNECTIONS = 10;

    private final TenantDatabases databases;

    public TenantAccess(TenantDatabases databases) {
        this.databases = databases;
    }

    /** Makes the tables writable again. Credentials that were revoked stay revoked. */
    public Future<Void> allow(Tenant tenant) {
        var names = tenant.names();
        return names.isShared()
                ? inShared(tenant, INSERT_ACCESS)
                : databases
                        .executeRepeatable(
                                tenant,
                                List.of("GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "
                                        + identifier(names.schema()) + " TO " + identifier(names.role())))
                        .compose(ok ->
                                alterRoles(List.of(names.role()), "RESET default_transaction_read_only", "LOGIN"));
    }

    /**
     * Disables all logins, including those of the platform, terminates all connections and makes the tables read-only. Returns false if a
     * migration has locked a table, so that the last part has to be repeated; nobody but the platform can log in until then.
     */
    public Future<Boolean> deny(Tenant tenant) {
        var names = tenant.names();
        return names.isShared()
                ? inShared(tenant, DELETE_ACCESS).map(true)
                : alterRoles(List.of(names.role()), "NOLOGIN", "SET default_transaction_read_only = on")
                        .compose(ok -> revokeCredentials(tenant))
                        .compose(ok -> terminate(tenant))
                        .compose(ok -> revokeWrites(tenant));
    }

    private Future<Boolean> revokeWrites(Tenant tenant) {
        var names = tenant.names();
        return databases
                .executeRepeatable(
                        tenant,
                        List.of(
                                "SET LOCAL lock_timeout = '500ms'",
                                "REVOKE INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA " + identifier(names.schema())
                                        + " FROM " + identifier(names.role())))
                .map(true)
                .recover(e -> e instanceof PgException rejected && LOCK_NOT_AVAILABLE.equals(rejected.getSqlState())
                        ? Future.succeededFuture(false)
                        : Future.failedFuture(e));
    }

    /** Terminates the connections of the tenant's roles and credentials. */
    Future<Void> terminate(Tenant tenant) {
        var names = tenant.names();
        return databases.admin().with(databases.platformDatabase(), connection -> connection
                .preparedQuery(TERMINATE)
                .execute(Tuple.of(names.database(), names.role()))
                .<Void>mapEmpty());
    }

    /** Creates a role that can log in until the given time. */
    public Future<Void> createCredential(
            Tenant tenant, String username, String password, boolean writes, Instant expiresAt) {
        var group = writes ? tenant.names().role() : TenantProvisioner.readRole(tenant);
        var role = identifier(username);
        return databases
                .admin()
                .with(
                        databases.platformDatabase(),
                        connection -> AdminConnections.runAll(
                                connection,
                                List.of(
                                        "CREATE ROLE " + role + " LOGIN CONNECTION LIMIT " + CREDENTIAL_CONNECTIONS
                                                + " PASSWORD " + literal(password) + " VALID UNTIL "
                                                + literal(expiresAt.toString()) + " IN ROLE " + identifier(group),
                                        "GRANT " + role + " TO CURRENT_USER",
                                        "ALTER ROLE " + role + " SET search_path = "
                                                + identifier(tenant.names().schema()))));
    }

    /** Deletes the role of a credential and terminates its connections. Does nothing if it does not exist. */
    public Future<Void> dropCredential(Tenant tenant, String username) {
        return databases.admin().with(databases.platformDatabase(), connection -> connection
                .preparedQuery(TERMINATE)
                .execute(Tuple.of(tenant.names().database(), username))
                .compose(ok -> connection
                        .query("DROP ROLE IF EXISTS " + identifier(username))
                        .execute())
                .<Void>mapEmpty());
    }

    private Future<Void> revokeCredentials(Tenant tenant) {
        return databases
                .admin()
                .with(databases.platformDatabase(), connection -> connection
                        .preparedQuery(FIND_CREDENTIALS)
                        .execute(Tuple.of(tenant.names().role(), tenant.names().role())))
                .compose(found -> {
                    var roles = new ArrayList<String>();
                    found.forEach(row -> roles.add(row.getString("role")));
                    return roles.isEmpty() ? Future.succeededFuture() : alterRoles(roles, "NOLOGIN");
                });
    }

    private Future<Void> inShared(Tenant tenant, String sql) {
        return databases.inTransaction(tenant, connection -> connection
                .preparedQuery(sql)
                .execute(Tuple.of(tenant.id()))
                .<Void>mapEmpty());
    }

    private Future<Void> alterRoles(List<String> roles, String... changes) {
        var statements = new ArrayList<String>();
        for (var role : roles) {
            for (var change : changes) {
                statements.add("ALTER ROLE " + identifier(role) + " " + change);
            }
        }
        return databases
                .admin()
                .with(databases.platformDatabase(), connection -> AdminConnections.runAll(connection, statements));
    }
}

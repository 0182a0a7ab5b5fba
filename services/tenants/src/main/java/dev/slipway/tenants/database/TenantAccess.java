package dev.slipway.tenants.database;

import dev.slipway.tenants.tenant.domain.Tenant;
import io.vertx.core.Future;
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
            SELECT rolname::text FROM pg_roles WHERE rolcanlogin AND starts_with(rolname::text, $1) AND rolname <> $2
            """;
    private static final String INSERT_ACCESS =
            "INSERT INTO " + RowSecurity.ACCESS_TABLE + " (tenant_id) VALUES ($1) ON CONFLICT DO NOTHING";
    private static final String DELETE_ACCESS = "DELETE FROM " + RowSecurity.ACCESS_TABLE + " WHERE tenant_id = $1";

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
                        .execute(
                                tenant,
                                List.of("GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "
                                        + identifier(names.schema()) + " TO " + identifier(names.role())))
                        .compose(ok -> alterRole(names.role(), "RESET default_transaction_read_only"))
                        .compose(ok -> alterRole(names.role(), "LOGIN"));
    }

    /** Makes the tables read-only, disables all logins, including those of the platform, and terminates all connections. */
    public Future<Void> deny(Tenant tenant) {
        var names = tenant.names();
        return names.isShared()
                ? inShared(tenant, DELETE_ACCESS)
                : databases
                        .execute(
                                tenant,
                                List.of("REVOKE INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "
                                        + identifier(names.schema()) + " FROM " + identifier(names.role())))
                        .compose(ok -> alterRole(names.role(), "SET default_transaction_read_only = on"))
                        .compose(ok -> alterRole(names.role(), "NOLOGIN"))
                        .compose(ok -> revokeCredentials(tenant))
                        .compose(ok -> terminate(tenant));
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
                                        "CREATE ROLE " + role + " LOGIN PASSWORD " + literal(password) + " VALID UNTIL "
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
        return databases.admin().with(databases.platformDatabase(), connection -> connection
                .preparedQuery(FIND_CREDENTIALS)
                .execute(Tuple.of(tenant.names().role(), tenant.names().role()))
                .compose(found -> {
                    var statements = new ArrayList<String>();
                    found.forEach(row -> statements.add("ALTER ROLE " + identifier(row.getString(0)) + " NOLOGIN"));
                    return AdminConnections.runAll(connection, statements);
                }));
    }

    private Future<Void> inShared(Tenant tenant, String sql) {
        return databases.inTransaction(tenant, connection -> connection
                .preparedQuery(sql)
                .execute(Tuple.of(tenant.id()))
                .<Void>mapEmpty());
    }

    private Future<Void> alterRole(String role, String change) {
        return databases.admin().with(databases.platformDatabase(), connection -> connection
                .query("ALTER ROLE " + identifier(role) + " " + change)
                .execute()
                .<Void>mapEmpty());
    }
}

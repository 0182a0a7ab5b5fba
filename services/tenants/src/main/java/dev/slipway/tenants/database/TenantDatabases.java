package dev.slipway.tenants.database;

import dev.slipway.messaging.Failures.NotReadyException;
import dev.slipway.service.DatabaseSettings;
import dev.slipway.tenants.tenant.domain.DatabaseNames;
import dev.slipway.tenants.tenant.domain.IsolationLevel;
import dev.slipway.tenants.tenant.domain.Tenant;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;

import static dev.slipway.tenants.tenant.domain.SqlText.identifier;
import static dev.slipway.tenants.tenant.domain.SqlText.literal;

/** Runs statements in the databases of tenants as the role that owns their tables, and gives clients their connection options. */
public final class TenantDatabases {
    /** Locks a tenant until the end of the transaction: migrations and the deletion of its tables exclude each other. */
    public static final String LOCK_TENANT = "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))";

    private static final String TRY_LOCK_TENANT = "SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS locked";
    private static final String SHARED_DATABASE_SUFFIX = "_tenants";
    private static final int MAX_PLATFORM_NAME_LENGTH =
            DatabaseNames.MAX_IDENTIFIER_LENGTH - SHARED_DATABASE_SUFFIX.length();
    private static final long SETUP_LOCK = 0x7E_4A_47_53L;

    private final DatabaseSettings settings;
    private final AdminConnections admin;
    private final String sharedDatabase;

    private TenantDatabases(Vertx vertx, DatabaseSettings settings) {
        this.settings = settings;
        this.admin = new AdminConnections(vertx, settings);
        var platform = settings.administratorOptions().getDatabase();
        this.sharedDatabase =
                platform.substring(0, Math.min(platform.length(), MAX_PLATFORM_NAME_LENGTH)) + SHARED_DATABASE_SUFFIX;
    }

    /** Creates the administrative role and the shared database, if they are missing. Safe to run in several processes at once. */
    public static Future<TenantDatabases> open(Vertx vertx, DatabaseSettings settings) {
        var databases = new TenantDatabases(vertx, settings);
        return databases
                .admin
                .createRole()
                .compose(ok -> databases.createIfMissing(databases.sharedDatabase))
                .compose(ok -> databases.createSharedSchema())
                .map(databases);
    }

    /** Returns the names of the database, schema and roles of a new tenant. */
    public DatabaseNames names(UUID tenantId, IsolationLevel isolationLevel) {
        return DatabaseNames.of(tenantId, isolationLevel, sharedDatabase);
    }

    /**
     * Runs statements in one transaction as the role that owns the tenant's tables. Unqualified names are those of the tenant's schema. In a
     * shared schema the rows of the tenant are visible, and no others.
     */
    public Future<Void> execute(Tenant tenant, List<String> statements) {
        return inTransaction(tenant, connection -> AdminConnections.runAll(connection, statements));
    }

    /** Runs work in one transaction as the role that owns the tenant's tables. */
    public <T> Future<T> inTransaction(Tenant tenant, Function<SqlConnection, Future<T>> work) {
        return asOwner(tenant, connection -> connection.begin().compose(transaction -> work.apply(connection)
                .compose(result -> transaction.commit().map(result))
                .recover(e -> transaction.rollback().transform(done -> Future.failedFuture(e)))));
    }

    /**
     * Runs statements that PostgreSQL does not allow in a transaction, such as CREATE INDEX CONCURRENTLY, however long they take. Fails if
     * another worker migrates the tenant: to wait for it would delay the building of its index.
     */
    public Future<Void> executeOutsideTransaction(Tenant tenant, List<String> statements) {
        return asOwner(tenant, connection -> connection
                .preparedQuery(TRY_LOCK_TENANT)
                .execute(Tuple.of(tenant.id().toString()))
                .compose(rows -> rows.iterator().next().getBoolean("locked")
                        ? connection.query("SET statement_timeout = 0").execute()
                        : Future.failedFuture(new NotReadyException("another worker migrates the tenant")))
                .compose(ok -> AdminConnections.runAll(connection, statements)));
    }

    /** Runs statements that can be repeated, in one transaction, again if another session changed the same tables. */
    Future<Void> executeRepeatable(Tenant tenant, List<String> statements) {
        return admin.retry(() -> execute(tenant, statements), 1);
    }

    private <T> Future<T> asOwner(Tenant tenant, Function<SqlConnection, Future<T>> work) {
        var names = tenant.names();
        return admin.once(names.database(), connection -> connection
                .query("SET ROLE " + identifier(names.owner()) + "; SET search_path = "
                        + identifier(names.schema()) + "; SET " + RowSecurity.CURRENT_TENANT + " = "
                        + literal(tenant.id().toString()))
                .execute()
                .compose(ok -> work.apply(connection)));
    }

    /** Returns the options of a connection that reads and writes the tenant's tables, and has no other rights. */
    public PgConnectOptions clientOptions(Tenant tenant) {
        var names = tenant.names();
        var options = settings.administratorOptions()
                .setUser(names.role())
                .setPassword(settings.password(names.role()))
                .setDatabase(names.database())
                .addProperty("search_path", names.schema())
                .addProperty("application_name", "slipway-tenant")
                .addProperty("statement_timeout", "10000")
                .addProperty("lock_timeout", "5000")
                .addProperty("idle_in_transaction_session_timeout", "30000")
                .addProperty(RowSecurity.CURRENT_TENANT, tenant.id().toString())
                .setCachePreparedStatements(true);
        options.setMetricsName("tenants.data");
        return options;
    }

    /** Returns the address of the tenant's database without credentials. */
    public String connectionUrl(Tenant tenant) {
        var server = settings.administratorOptions();
        return switch (tenant.databaseProvider()) {
            case MEMORY -> "memory:" + tenant.id();
            case POSTGRES, TURSO ->
                "postgresql://" + server.getHost() + ":" + server.getPort() + "/"
                        + tenant.names().database()
                        + (tenant.isolationLevel() == IsolationLevel.ISOLATED_DB
                                ? ""
                                : "?currentSchema=" + tenant.names().schema());
        };
    }

    AdminConnections admin() {
        return admin;
    }

    String password(String role) {
        return settings.password(role);
    }

    String platformDatabase() {
        return Objects.requireNonNull(settings.administratorOptions().getDatabase());
    }

    /** Creates a database that only its roles can connect to. */
    Future<Void> createIfMissing(String database) {
        return admin.with(platformDatabase(), connection -> connection
                .preparedQuery("SELECT FROM pg_database WHERE datname = $1")
                .execute(Tuple.of(database))
                .compose(found -> found.size() > 0
                        ? Future.succeededFuture()
                        : connection
                                .query("CREATE DATABASE " + identifier(database) + " TEMPLATE template0")
                                .execute())
                .compose(ok -> connection
                        .query("REVOKE ALL ON DATABASE " + identifier(database) + " FROM PUBLIC")
                        .execute())
                .<Void>mapEmpty());
    }

    private Future<Void> createSharedSchema() {
        var owner = DatabaseNames.SHARED_OWNER;
        var role = DatabaseNames.SHARED_ROLE;
        var schema = DatabaseNames.SHARED_SCHEMA;
        var statements = new ArrayList<String>();
        statements.add("SET client_min_messages = warning");
        statements.addAll(createRoles(owner, role));
        statements.addAll(List.of(
                "GRANT CONNECT ON DATABASE " + identifier(sharedDatabase) + " TO " + role,
                "REVOKE ALL ON SCHEMA public FROM PUBLIC",
                "CREATE SCHEMA IF NOT EXISTS " + schema + " AUTHORIZATION " + owner,
                "SET ROLE " + owner,
                "GRANT USAGE ON SCHEMA " + schema + " TO " + role,
                "CREATE TABLE IF NOT EXISTS " + schema + "." + RowSecurity.ACCESS_TABLE
                        + " (tenant_id uuid PRIMARY KEY)",
                "GRANT SELECT ON " + schema + "." + RowSecurity.ACCESS_TABLE + " TO " + role,
                RowSecurity.createFunction(schema),
                "ALTER DEFAULT PRIVILEGES FOR ROLE " + owner + " IN SCHEMA " + schema
                        + " GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO " + role));
        return admin.with(sharedDatabase, connection -> connection
                .query("SELECT pg_advisory_lock(" + SETUP_LOCK + ")")
                .execute()
                .compose(ok -> AdminConnections.runAll(connection, statements)));
    }

    /** Returns statements that create the owner of tables, who cannot log in, and the role of clients, whose password is derived. */
    List<String> createRoles(String owner, String role) {
        return List.of(
                createRole(owner, "NOLOGIN"),
                createRole(role, "LOGIN"),
                "ALTER ROLE " + identifier(role) + " PASSWORD " + literal(settings.password(role)),
                "GRANT " + identifier(owner) + " TO CURRENT_USER",
                "GRANT " + identifier(role) + " TO CURRENT_USER");
    }

    static String createRole(String role, String options) {
        return """
                DO $$ BEGIN
                  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = %s) THEN
                    CREATE ROLE %s %s;
                  END IF;
                END $$
                """.formatted(literal(role), identifier(role), options);
    }
}

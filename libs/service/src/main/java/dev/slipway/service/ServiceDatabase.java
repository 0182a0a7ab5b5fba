package dev.slipway.service;

import dev.slipway.messaging.ServerRejectedException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.tracing.TracingPolicy;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.SqlClient;
import org.flywaydb.core.Flyway;

import java.util.Set;

/**
 * The schema of a service: migrated by its owner role, and accessed with connections of its runtime role, which cannot change the schema or
 * see the schema of another service.
 */
public final class ServiceDatabase {
    private static final long SETUP_LOCK = 0x51_19_7A_79L;
    private static final int SETUP_ATTEMPTS = 10;
    private static final int CONNECT_ATTEMPTS = 5;
    /** The errors of the slower of two sessions that change the same role: unique violation, duplicate object, internal error. */
    private static final Set<String> CONCURRENT_ROLE_CHANGE_STATES = Set.of("23505", "42710", "XX000");

    private static final String INSUFFICIENT_PRIVILEGE = "42501";

    private final Pool transactions;
    private final SqlClient reads;
    private final PgConnectOptions options;

    private ServiceDatabase(Vertx vertx, PgConnectOptions options, String service, int poolSize) {
        this.options = options;
        var pool = new PoolOptions()
                .setName(service)
                .setMaxSize(poolSize)
                .setConnectionTimeout(5)
                .setMaxWaitQueueSize(5_000);
        // Statements of a transaction find rows by key: one plan fits all values, and planning takes longer than
        // running.
        // Reads page through lists, where the plan depends on the presence of a cursor.
        var planned = new PgConnectOptions(options).addProperty("plan_cache_mode", "force_generic_plan");
        this.transactions =
                PgBuilder.pool().using(vertx).connectingTo(planned).with(pool).build();
        // Single statements are pipelined on shared connections.
        this.reads = PgBuilder.client()
                .using(vertx)
                .connectingTo(options)
                .with(new PoolOptions()
                        .setName(service + ".reads")
                        .setMaxSize(Math.max(2, poolSize / 4))
                        .setConnectionTimeout(5))
                .build();
    }

    /** Creates missing roles and the schema, migrates and connects. Safe to run in several processes at once. */
    public static Future<ServiceDatabase> open(Vertx vertx, DatabaseSettings settings, String service, boolean traced) {
        var policy = traced ? TracingPolicy.PROPAGATE : TracingPolicy.IGNORE;
        return setUp(vertx, settings, service, 1)
                .compose(ok -> migrate(vertx, settings, service))
                .map(ok -> new ServiceDatabase(
                        vertx, settings.runtimeOptions(service).setTracingPolicy(policy), service, settings.poolSize()))
                .compose(database -> database.connect(CONNECT_ATTEMPTS));
    }

    /**
     * Connects both pools. On a machine that is busy starting, the first connection can take longer than a statement waits for one; that
     * must not end the start.
     */
    private Future<ServiceDatabase> connect(int attempts) {
        return Future.join(
                        transactions.query("SELECT 1").execute(),
                        reads.query("SELECT 1").execute())
                .map(this)
                .recover(e -> attempts > 1 ? connect(attempts - 1) : Future.failedFuture(e));
    }

    /** Returns the pool for transactions; use it through {@link dev.slipway.messaging.Outbox}. */
    public Pool transactions() {
        return transactions;
    }

    /** Returns the client for single statements. */
    public SqlClient reads() {
        return reads;
    }

    PgConnectOptions options() {
        return options;
    }

    public Future<Void> close() {
        return Future.join(transactions.close(), reads.close()).mapEmpty();
    }

    /** The lock is per database, but roles belong to the server: a platform on another database may create the same ones. */
    private static Future<Void> setUp(Vertx vertx, DatabaseSettings settings, String service, int attempt) {
        return PgConnection.connect(vertx, settings.administratorOptions())
                .compose(connection -> connection
                        .query("SELECT pg_advisory_lock(" + SETUP_LOCK + ")")
                        .execute()
                        .compose(ok ->
                                connection.query(setUpSql(settings, service)).execute())
                        .eventually(connection::close)
                        .<Void>mapEmpty())
                .recover(e -> {
                    var state = e instanceof PgException rejected ? String.valueOf(rejected.getSqlState()) : "";
                    if (attempt < SETUP_ATTEMPTS && CONCURRENT_ROLE_CHANGE_STATES.contains(state)) {
                        return setUp(vertx, settings, service, attempt + 1);
                    }
                    return Future.failedFuture(
                            state.equals(INSUFFICIENT_PRIVILEGE) ? insufficientPrivilege(settings, e) : e);
                });
    }

    private static ServerRejectedException insufficientPrivilege(DatabaseSettings settings, Throwable cause) {
        return new ServerRejectedException(
                "PostgreSQL at " + settings.address()
                        + " does not allow its user to create the schemas and roles of the services, or to"
                        + " change those that another user created: " + cause.getMessage(),
                cause);
    }

    /** Names and passwords need no quoting: they consist of letters, digits, '_' and '-'. */
    private static String setUpSql(DatabaseSettings settings, String service) {
        var schema = DatabaseSettings.schema(service);
        var owner = DatabaseSettings.ownerRole(service);
        var runtime = DatabaseSettings.runtimeRole(service);
        return """
                SET client_min_messages = warning; -- no notices about existing objects
                DO $$ BEGIN
                  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '%2$s') THEN
                    CREATE ROLE %2$s LOGIN;
                  END IF;
                  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '%4$s') THEN
                    CREATE ROLE %4$s LOGIN;
                  END IF;
                END $$;
                ALTER ROLE %2$s PASSWORD '%3$s';
                ALTER ROLE %4$s PASSWORD '%5$s';
                GRANT %2$s TO CURRENT_USER;
                CREATE SCHEMA IF NOT EXISTS %1$s AUTHORIZATION %2$s;
                REVOKE ALL ON SCHEMA %1$s FROM PUBLIC;
                GRANT USAGE ON SCHEMA %1$s TO %4$s;
                ALTER DEFAULT PRIVILEGES FOR ROLE %2$s IN SCHEMA %1$s GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO %4$s;
                ALTER DEFAULT PRIVILEGES FOR ROLE %2$s IN SCHEMA %1$s GRANT USAGE ON SEQUENCES TO %4$s;
                """.formatted(schema, owner, settings.password(owner), runtime, settings.password(runtime));
    }

    private static Future<Void> migrate(Vertx vertx, DatabaseSettings settings, String service) {
        return vertx.executeBlocking(
                () -> {
                    var owner = settings.ownerOptions(service);
                    var result = Flyway.configure(ServiceDatabase.class.getClassLoader())
                            .dataSource(settings.jdbcUrl(), owner.getUser(), owner.getPassword())
                            .defaultSchema(DatabaseSettings.schema(service))
                            .locations(DatabaseSettings.migrations(service))
                            .load()
                            .migrate();
                    if (!result.success) {
                        throw new IllegalStateException("migration of " + service + " failed");
                    }
                    return null;
                },
                false);
    }
}

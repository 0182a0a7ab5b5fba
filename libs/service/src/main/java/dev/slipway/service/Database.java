package dev.slipway.service;

import dev.slipway.messaging.NotLetInException;
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
 * A service's own part of the database: its schema, brought up to date by its owner role, and connections of its runtime role, which
 * cannot change the schema nor see another service's.
 */
public final class Database {
    private static final long SETUP_LOCK = 0x51_19_7A_79L;
    private static final int SETUP_ATTEMPTS = 10;
    /** What PostgreSQL answers to the slower of two that change the same role: unique violation, duplicate, internal error. */
    private static final Set<String> ROLE_RACES = Set.of("23505", "42710", "XX000");

    private static final String NOT_ALLOWED = "42501";

    private final Pool transactions;
    private final SqlClient reads;
    private final PgConnectOptions options;

    private Database(Vertx vertx, PgConnectOptions options, String service, int poolSize) {
        this.options = options;
        var pool = new PoolOptions()
                .setName(service)
                .setMaxSize(poolSize)
                .setConnectionTimeout(5)
                .setMaxWaitQueueSize(5_000);
        // Statements of a transaction find rows by their keys: one plan suits all values, and making it takes longer
        // than
        // to run it. Reads page through lists, where the plan depends on whether there is a cursor.
        var planned = new PgConnectOptions(options).addProperty("plan_cache_mode", "force_generic_plan");
        this.transactions =
                PgBuilder.pool().using(vertx).connectingTo(planned).with(pool).build();
        // Single statements share connections: many can be in flight on each.
        this.reads = PgBuilder.client()
                .using(vertx)
                .connectingTo(options)
                .with(new PoolOptions()
                        .setName(service + ".reads")
                        .setMaxSize(Math.max(2, poolSize / 4))
                        .setConnectionTimeout(5))
                .build();
    }

    /** Makes what is missing of roles and schema, migrates, connects. Several processes may do so at once. */
    public static Future<Database> open(Vertx vertx, DatabaseSettings settings, String service, boolean traced) {
        var policy = traced ? TracingPolicy.PROPAGATE : TracingPolicy.IGNORE;
        return setUp(vertx, settings, service, 1)
                .compose(ok -> migrate(vertx, settings, service))
                .map(ok -> new Database(
                        vertx, settings.runtime(service).setTracingPolicy(policy), service, settings.poolSize()));
    }

    /** For transactions; use it through {@link dev.slipway.messaging.Outbox}. */
    public Pool transactions() {
        return transactions;
    }

    /** For single reads. */
    public SqlClient reads() {
        return reads;
    }

    PgConnectOptions options() {
        return options;
    }

    public Future<Void> close() {
        return Future.join(transactions.close(), reads.close()).mapEmpty();
    }

    /** The lock is the database's, but roles are the server's: another database's service may be making the same ones. */
    private static Future<Void> setUp(Vertx vertx, DatabaseSettings settings, String service, int attempt) {
        return PgConnection.connect(vertx, settings.administrator())
                .compose(connection -> connection
                        .query("SELECT pg_advisory_lock(" + SETUP_LOCK + ")")
                        .execute()
                        .compose(ok ->
                                connection.query(setUpSql(settings, service)).execute())
                        .eventually(connection::close)
                        .<Void>mapEmpty())
                .recover(e -> {
                    var state = e instanceof PgException said ? String.valueOf(said.getSqlState()) : "";
                    if (attempt < SETUP_ATTEMPTS && ROLE_RACES.contains(state)) {
                        return setUp(vertx, settings, service, attempt + 1);
                    }
                    return Future.failedFuture(state.equals(NOT_ALLOWED) ? notAllowed(settings, e) : e);
                });
    }

    private static NotLetInException notAllowed(DatabaseSettings settings, Throwable cause) {
        return new NotLetInException(
                "PostgreSQL at " + settings.place() + " does not let its user make the services' schemas and roles, or"
                        + " change those that another has made: " + cause.getMessage(),
                cause);
    }

    /** Names and passwords are ours and need no quoting: letters, digits, '_' and '-'. */
    private static String setUpSql(DatabaseSettings settings, String service) {
        var schema = DatabaseSettings.schema(service);
        var owner = DatabaseSettings.ownerRole(service);
        var runtime = DatabaseSettings.runtimeRole(service);
        return """
                SET client_min_messages = warning; -- that a thing is there already is no news
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
                    var owner = settings.owner(service);
                    var result = Flyway.configure(Database.class.getClassLoader())
                            .dataSource(settings.jdbcUrl(), owner.getUser(), owner.getPassword())
                            .defaultSchema(DatabaseSettings.schema(service))
                            .locations(DatabaseSettings.migrations(service))
                            .load()
                            .migrate();
                    if (!result.success) {
                        throw new IllegalStateException("the migrations of " + service + " failed");
                    }
                    return null;
                },
                false);
    }
}

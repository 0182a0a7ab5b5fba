package dev.slipway.tenants.database;

import dev.slipway.service.DatabaseSettings;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.SqlConnection;

import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Connections of the role that creates databases and roles of tenants. It can create them and is a member of the roles that it created, but it
 * is not a superuser and has no access to the schemas of services.
 */
final class AdminConnections {
    static final String ROLE = "slipway_tenants_admin";
    private static final int ATTEMPTS = 10;
    private static final long RETRY_MS = 20;
    /** The errors of the slower of two sessions that change the same role or database. */
    private static final Set<String> CONCURRENT_CHANGE_STATES = Set.of("23505", "42710", "42P04", "XX000", "40P01");

    private final Vertx vertx;
    private final DatabaseSettings settings;

    AdminConnections(Vertx vertx, DatabaseSettings settings) {
        this.vertx = vertx;
        this.settings = settings;
    }

    /** Creates the role, as the administrator of the platform. */
    Future<Void> createRole() {
        var sql = """
                SET client_min_messages = warning;
                DO $$ BEGIN
                  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '%1$s') THEN
                    CREATE ROLE %1$s LOGIN CREATEDB CREATEROLE;
                  END IF;
                END $$;
                ALTER ROLE %1$s PASSWORD '%2$s';
                GRANT CONNECT ON DATABASE "%3$s" TO %1$s;
                """.formatted(
                ROLE, settings.password(ROLE), settings.administratorOptions().getDatabase());
        return retry(
                () -> PgConnection.connect(vertx, settings.administratorOptions())
                        .compose(connection -> connection
                                .query(sql)
                                .execute()
                                .eventually(connection::close)
                                .<Void>mapEmpty()),
                1);
    }

    /** Runs the work on a connection to the database, again if another session changed the same role or database. */
    <T> Future<T> with(String database, Function<SqlConnection, Future<T>> work) {
        return retry(() -> once(database, work), 1);
    }

    /** Runs the work on a connection to the database, once: its errors are those of the work itself. */
    <T> Future<T> once(String database, Function<SqlConnection, Future<T>> work) {
        return PgConnection.connect(vertx, options(database))
                .compose(connection -> work.apply(connection).eventually(connection::close));
    }

    /** Runs statements that are not parameterized, one after the other. */
    static Future<Void> runAll(SqlConnection connection, Iterable<String> statements) {
        var chain = Future.<Void>succeededFuture();
        for (var statement : statements) {
            chain = chain.compose(ok -> connection.query(statement).execute().mapEmpty());
        }
        return chain;
    }

    PgConnectOptions options(String database) {
        return settings.administratorOptions()
                .setUser(ROLE)
                .setPassword(settings.password(ROLE))
                .setDatabase(database)
                .addProperty("application_name", "slipway-tenants-admin")
                .addProperty("statement_timeout", "30000")
                .addProperty("lock_timeout", "10000");
    }

    <T> Future<T> retry(Supplier<Future<T>> work, int attempt) {
        return work.get()
                .recover(e -> attempt < ATTEMPTS
                                && e instanceof PgException rejected
                                && CONCURRENT_CHANGE_STATES.contains(String.valueOf(rejected.getSqlState()))
                        ? vertx.timer(RETRY_MS * attempt).compose(ok -> retry(work, attempt + 1))
                        : Future.failedFuture(e));
    }
}

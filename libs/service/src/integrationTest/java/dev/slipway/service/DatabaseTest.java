package dev.slipway.service;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.messaging.ServerRejectedException;
import dev.slipway.testkit.FreshDatabase;
import dev.slipway.testkit.Proves;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.Tuple;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class DatabaseTest {
    private static final String INSUFFICIENT_PRIVILEGE = "42501";
    private static Vertx vertx;
    private static FreshDatabase fresh;
    private static ServiceDatabase alpha;
    private static ServiceDatabase beta;

    @BeforeAll
    static void open() {
        vertx = Vertx.vertx();
        fresh = FreshDatabase.create();
        alpha = await(ServiceDatabase.open(vertx, new DatabaseSettings(fresh.url(), 4), "alpha", false));
        beta = await(ServiceDatabase.open(vertx, new DatabaseSettings(fresh.url(), 4), "beta", false));
    }

    @AfterAll
    static void close() {
        await(Future.join(alpha.close(), beta.close()));
        await(vertx.close());
        fresh.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CREATE TABLE mine (id integer)",
                "CREATE TABLE public.mine (id integer)",
                "CREATE SCHEMA mine",
                "ALTER TABLE things ADD COLUMN more text",
                "DROP TABLE things",
                "TRUNCATE things",
                "CREATE INDEX ix ON things (times)",
                "CREATE ROLE mine",
                "SET ROLE slipway_alpha_owner"
            })
    void runtimeRole_cannotChangeSchema(String sql) {
        assertThatThrownBy(() -> run(alpha, sql))
                .hasRootCauseInstanceOf(PgException.class)
                .rootCause()
                .satisfies(DatabaseTest::isForbidden);
    }

    @Test
    void longStatements_arePreparedOnce() {
        var sql = "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%find me%' AND $1 /* "
                + "long ".repeat(2_000) + "*/ AND from_sql = false AND statement LIKE '%find me%'";

        var prepared = await(alpha.transactions().withConnection(connection -> connection
                .preparedQuery(sql)
                .execute(Tuple.of(true))
                .compose(ok -> connection.preparedQuery(sql).execute(Tuple.of(true)))
                .map(rows -> rows.iterator().next().getLong(0))));

        assertThat(prepared).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT * FROM beta.things",
                "INSERT INTO beta.things VALUES ('a', 1)",
                "SELECT * FROM beta.outbox",
                "DELETE FROM beta.idempotency",
                "SET ROLE slipway_beta"
            })
    @Proves("3.28")
    void runtimeRole_cannotAccessTablesOfOtherServices(String sql) {
        assertThatThrownBy(() -> run(alpha, sql)).rootCause().satisfies(DatabaseTest::isForbidden);
    }

    @Test
    void runtimeRole_readsAndWritesOwnTables() {
        run(alpha, "INSERT INTO things VALUES ('a', 1)");
        run(alpha, "UPDATE things SET times = 2");

        assertThat(await(alpha.reads().query("SELECT times FROM things").execute())
                        .iterator()
                        .next()
                        .getInteger(0))
                .isEqualTo(2);
        assertThat(fresh.query("SELECT count(*) FROM beta.things")).isEqualTo("0");
        run(alpha, "DELETE FROM things");
    }

    @Test
    void open_succeeds_whenCalledConcurrently() {
        try (var one = FreshDatabase.create()) {
            openAll(List.of(one, one, one, one));
            assertThat(one.query("SELECT count(*) FROM alpha.flyway_schema_history WHERE success"))
                    .isEqualTo(fresh.query("SELECT count(*) FROM alpha.flyway_schema_history WHERE success"));
        }
    }

    /** Roles belong to the server: two platforms on one server create the same ones. */
    @Test
    void open_succeeds_whenTwoDatabasesOfOneServerAreOpenedConcurrently() {
        try (var one = FreshDatabase.create();
                var two = FreshDatabase.create()) {
            for (var round = 0; round < 3; round++) {
                openAll(List.of(one, two, one, two));
            }
        }
    }

    @Test
    void open_fails_whenServerIsUnavailable() {
        var nowhere = new DatabaseSettings("postgresql://a:b@127.0.0.1:1/x", 2);

        assertThatThrownBy(() -> await(ServiceDatabase.open(vertx, nowhere, "alpha", false)))
                .rootCause()
                .hasMessageContaining("refused")
                .hasMessageNotContaining("a:b");
    }

    /** The rights that managed PostgreSQL services give their customers. */
    @Test
    void open_succeeds_whenUserIsNoSuperuserButCanCreateRoles() {
        try (var own = FreshDatabase.create()) {
            var settings = new DatabaseSettings(own.urlOfNewUser("x", "CREATEROLE"), 2);
            var service = "own_" + UUID.randomUUID().toString().substring(0, 8);

            var opened = await(ServiceDatabase.open(vertx, settings, service, false));

            run(opened, "SELECT * FROM outbox");
            await(opened.close());
        }
    }

    @ParameterizedTest
    @CsvSource({"NOCREATEROLE, alone", "CREATEROLE, alpha"}) // the second's roles are the superuser's
    void open_fails_whenUserCannotCreateRoles(String right, String service) {
        try (var own = FreshDatabase.create()) {
            var settings = new DatabaseSettings(own.urlOfNewUser("x", right), 2);

            assertThatThrownBy(() -> await(ServiceDatabase.open(vertx, settings, service, false)))
                    .hasRootCauseInstanceOf(PgException.class)
                    .cause()
                    .cause()
                    .isInstanceOf(ServerRejectedException.class)
                    .hasMessageContaining("PostgreSQL at ")
                    .hasMessageContaining("permission denied");
        }
    }

    private static void openAll(List<FreshDatabase> where) {
        var opening = new ArrayList<Future<ServiceDatabase>>();
        for (var database : where) {
            opening.add(ServiceDatabase.open(vertx, new DatabaseSettings(database.url(), 2), "alpha", false));
        }
        await(Future.join(opening));
        opening.forEach(opened -> await(opened.result().close()));
    }

    private static void isForbidden(Throwable failure) {
        assertThat(failure).isInstanceOfSatisfying(PgException.class, e -> assertThat(e.getSqlState())
                .as(e.getMessage())
                .isEqualTo(INSUFFICIENT_PRIVILEGE));
    }

    private static void run(ServiceDatabase serviceDatabase, String sql) {
        await(serviceDatabase.reads().query(sql).execute());
    }

    @CanIgnoreReturnValue
    static <T> T await(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}

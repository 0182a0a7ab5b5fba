package dev.slipway.service;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.authz.Principal;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.Failures;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.telemetry.Telemetry;
import dev.slipway.testkit.FaultyLink;
import dev.slipway.testkit.FreshDatabase;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Tuple;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import static dev.slipway.service.DatabaseTest.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class MutationsTest {
    private static final int CONCURRENT_REQUESTS = 8;
    private static final UUID CALLER = Ids.next();
    private static Vertx vertx;
    private static Telemetry telemetry;
    private static FreshDatabase fresh;
    private static ServiceDatabase serviceDatabase;
    private static Mutations mutations;

    @BeforeAll
    static void open() {
        vertx = Vertx.vertx();
        telemetry = Telemetry.start(Map.of());
        fresh = FreshDatabase.create();
        serviceDatabase = await(
                ServiceDatabase.open(vertx, new DatabaseSettings(fresh.url(), CONCURRENT_REQUESTS), "alpha", false));
        mutations = new Mutations(
                new Outbox(serviceDatabase.transactions(), telemetry.traces(), Clock.systemUTC(), () -> {}));
    }

    @AfterAll
    static void close() {
        await(serviceDatabase.close());
        await(vertx.close());
        telemetry.close();
        fresh.close();
    }

    @BeforeEach
    void empty() {
        fresh.execute("TRUNCATE alpha.things, alpha.idempotency, alpha.outbox");
        fresh.execute("INSERT INTO alpha.things VALUES ('counter', 0)");
    }

    @Test
    void run_isRejected_whenKeyIsReusedWithAnotherRequest() {
        await(mutations.run(request("k", "p1", "one"), MutationsTest::count));

        var otherBody = await(mutations.run(request("k", "p1", "two"), MutationsTest::count));
        var otherPath = await(mutations.run(request("k", "p2", "one"), MutationsTest::count));

        assertThat(code(otherBody)).isEqualTo(ErrorCode.IDEMPOTENCY_CONFLICT);
        assertThat(code(otherPath)).isEqualTo(ErrorCode.IDEMPOTENCY_CONFLICT);
        assertThat(counted()).isEqualTo("1");
    }

    @Test
    void run_storesNothing_whenWorkFails() {
        assertThatThrownBy(() -> await(mutations.run(request("k", "p", "b"), unit -> {
            publishEvent(unit);
            return Future.failedFuture(
                    Problem.of(ErrorCode.INSTANCE_STATE_CONFLICT, "not now").asException());
        })));

        var second = await(mutations.run(request("k", "p", "b"), MutationsTest::count));

        assertThat(text(second)).isEqualTo("{\"count\":1}");
        assertThat(fresh.query("SELECT count(*) FROM alpha.outbox")).isEqualTo("1");
    }

    @Test
    void run_executesEachTime_withoutKey() {
        await(mutations.run(request(null, "p", "b"), MutationsTest::count));
        await(mutations.run(request(null, "p", "b"), MutationsTest::count));

        assertThat(counted()).isEqualTo("2");
        assertThat(fresh.query("SELECT count(*) FROM alpha.idempotency")).isEqualTo("0");
    }

    @Test
    void run_replaysReply_whenKeyIsRepeated() {
        var first = await(mutations.run(request("k", "p", "b"), MutationsTest::count));

        var second = await(mutations.run(request("k", "p", "b"), MutationsTest::count));

        assertThat(text(second)).isEqualTo(text(first)).isEqualTo("{\"count\":1}");
        assertThat(second.location()).isEqualTo("/things/counter");
        assertThat(counted()).isEqualTo("1");
        assertThat(fresh.query("SELECT count(*) FROM alpha.outbox")).isEqualTo("1");
    }

    @Test
    void run_replaysReply_whenWorkWouldFailNow() {
        await(mutations.run(request("k", "p", "b"), MutationsTest::count));

        var second = await(mutations.run(request("k", "p", "b"), unit -> lock(unit)
                .compose(ok -> Future.failedFuture(Problem.of(ErrorCode.INSTANCE_STATE_CONFLICT, "it is gone")
                        .asException()))));

        assertThat(text(second)).isEqualTo("{\"count\":1}");
    }

    @Test
    void run_replaysReply_withoutRepeatingExternalCall() {
        var looked = new AtomicInteger();
        Supplier<Future<Integer>> look = () -> looked.incrementAndGet() == 1
                ? Future.succeededFuture(7)
                : Future.failedFuture(new IllegalStateException("it is gone"));

        var first = await(mutations.run(request("k", "p", "b"), look, (unit, seen) -> count(unit)));
        var second = await(mutations.run(request("k", "p", "b"), look, (unit, seen) -> count(unit)));
        var other = await(mutations.run(request("k", "p", "c"), look, (unit, seen) -> count(unit)));

        assertThat(text(second)).isEqualTo(text(first)).isEqualTo("{\"count\":1}");
        assertThat(code(other)).isEqualTo(ErrorCode.IDEMPOTENCY_CONFLICT);
        assertThat(looked).hasValue(1);
        assertThat(counted()).isEqualTo("1");
    }

    @Test
    void run_executes_whenKeyBelongsToOtherCallerOrOperation() {
        await(mutations.run(request("k", "p", "b"), MutationsTest::count));

        await(mutations.run(request("deleteAppInstance", CALLER, "k", "p", "b"), MutationsTest::count));
        await(mutations.run(request("createAppInstance", Ids.next(), "k", "p", "b"), MutationsTest::count));

        assertThat(counted()).isEqualTo("3");
    }

    @Test
    void run_executesOnce_whenRequestsAreConcurrent() {
        var replies = new ArrayList<Future<Reply>>();
        for (var i = 0; i < CONCURRENT_REQUESTS; i++) {
            replies.add(mutations.run(request("k", "p", "b"), MutationsTest::count));
        }
        await(Future.join(replies));

        assertThat(replies).allSatisfy(reply -> assertThat(text(reply.result())).isEqualTo("{\"count\":1}"));
        assertThat(counted()).isEqualTo("1");
        assertThat(fresh.query("SELECT count(*) FROM alpha.outbox")).isEqualTo("1");
    }

    @Test
    void run_executesOnce_whenRequestsAreConcurrent_withoutLock() {
        var replies = new ArrayList<Future<Reply>>();
        for (var i = 0; i < CONCURRENT_REQUESTS; i++) {
            replies.add(mutations.run(request("k", "p", "b"), unit -> {
                var id = Ids.next().toString();
                unit.write("INSERT INTO things VALUES ($1, 1)", Tuple.of(id));
                publishEvent(unit);
                return Future.succeededFuture(Reply.of(Json.object().put("id", id)));
            }));
        }
        await(Future.join(replies));

        assertThat(replies)
                .extracting(reply -> text(reply.result()))
                .containsOnly(text(replies.get(0).result()));
        assertThat(fresh.query("SELECT count(*) FROM alpha.things")).isEqualTo("2");
        assertThat(fresh.query("SELECT count(*) FROM alpha.outbox")).isEqualTo("1");
    }

    /** The work fails because it was done before, and the stored reply cannot be read: the caller must retry, not report an internal error. */
    @Test
    void run_isRetryable_whenStoredReplyCannotBeRead() {
        await(mutations.run(request("k", "p", "b"), MutationsTest::count));
        try (var link = FaultyLink.toDatabase(fresh.url())) {
            var settings = new DatabaseSettings(link.through(fresh.url()), 1);
            var linked = await(ServiceDatabase.open(vertx, settings, "alpha", false));
            var outbox = new Outbox(linked.transactions(), telemetry.traces(), Clock.systemUTC(), () -> {});

            var repeated = new Mutations(outbox).run(request("k", "p", "b"), unit -> {
                link.cut();
                return Future.failedFuture(new IllegalStateException("done before"));
            });

            assertThat(Failures.isRetryable(failureOf(repeated))).isTrue();
            link.heal();
            await(linked.close());
        }
        assertThat(counted()).isEqualTo("1");
    }

    private static Throwable failureOf(Future<Reply> future) {
        return await(future.transform(result -> Future.succeededFuture(result.cause())));
    }

    /** A typical handler: lock, decide, write, publish, reply. */
    private static Future<Reply> count(UnitOfWork unit) {
        return lock(unit).map(times -> {
            unit.write("UPDATE things SET times = $1 WHERE name = 'counter'", Tuple.of(times + 1));
            publishEvent(unit);
            return Reply.of(Json.object().put("count", times + 1), "/things/counter");
        });
    }

    private static Future<Integer> lock(UnitOfWork unit) {
        return unit.query("SELECT times FROM things WHERE name = 'counter' FOR UPDATE", Tuple.tuple())
                .map(rows -> rows.iterator().next().getInteger(0));
    }

    private static void publishEvent(UnitOfWork unit) {
        unit.publish("things", "counter", "test.counted", Json.object());
    }

    private static Request request(String key, String path, String body) {
        return request("createAppInstance", CALLER, key, path, body);
    }

    private static Request request(String operation, UUID caller, String key, String path, String body) {
        var headers = new HashMap<String, String>();
        if (key != null) {
            headers.put("idempotency-key", key);
        }
        JsonNode json = Json.object().put("text", body);
        var call = new Call(operation, "c-1", null, Map.of("project_id", path), Map.of(), headers, json);
        var principal = Principal.user(caller, "Somebody");
        return new Request(call, principal, null, null, new ChangeContext("c-1", Context.root()));
    }

    private static ErrorCode code(Reply reply) {
        assertThat(reply.problem()).isNotNull();
        return reply.problem().code();
    }

    private static String text(Reply reply) {
        return new String(reply.body(), StandardCharsets.UTF_8);
    }

    private static String counted() {
        return fresh.query("SELECT times FROM alpha.things WHERE name = 'counter'");
    }
}

package dev.slipway.messaging;

import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.pgclient.PgConnection;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import static dev.slipway.messaging.Stage.await;
import static dev.slipway.messaging.Stage.because;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

class RelayTest {
    private static final String LEADER = """
            SELECT coalesce(max(l.pid), 0) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
            WHERE l.locktype = 'advisory' AND l.granted AND d.datname = current_database()
            """;
    private static final String NOBODY = "0";
    /** All of a row but its number. */
    private static final String COLUMNS =
            "event_id, event_type, topic, key, occurred_at, correlation_id, traceparent, value";

    private static Stage stage;

    private final List<Relay> relays = new ArrayList<>();
    private final Outbox outbox = stage.outbox(() -> relays.forEach(Relay::wake));
    private final String topic = stage.topic();

    @BeforeAll
    static void open() {
        stage = new Stage();
    }

    @AfterAll
    static void close() {
        stage.close();
    }

    @AfterEach
    void stop() {
        relays.forEach(relay -> await(relay.stop()));
        stage.database.execute("TRUNCATE outbox");
    }

    @Test
    void relay_keepsTheRow_whenTheBrokerRefusesIt_andPublishesItOnceMended() {
        start(stage.options().addProperty("application_name", "refused"));
        var before = failures();
        var id = announce("not a topic", "a", 1);
        eventually(() -> assertThat(failures()).isGreaterThan(before));
        assertThat(stage.outboxRows()).isEqualTo(1);
        for (var i = 0; i < 100; i++) {
            relays.get(0).wake();
            LockSupport.parkNanos(10_000_000);
        }
        assertThat(failures())
                .as("it waits longer each time, whatever is committed")
                .isLessThan(before + 10);

        stage.database.execute("UPDATE outbox SET topic = '" + topic + "'");

        eventually(() -> assertThat(published()).containsExactly(id));
        eventually(() -> assertThat(stage.outboxRows()).isZero());
    }

    @Test
    void relay_publishesInOrderPerKey_andEmptiesTheOutbox() {
        var expected = new ArrayList<UUID>();
        IntStream.range(0, 30).forEach(n -> expected.add(announce(topic, n % 3 == 0 ? "a" : "b", n)));

        start(stage.options());

        eventually(() -> assertThat(stage.outboxRows()).isZero());
        var records = stage.read(topic);
        assertThat(records).extracting(r -> r.envelope().eventId()).containsExactlyElementsOf(expected);
        assertThat(records).allSatisfy(r -> assertThat(r.key())
                .isEqualTo(r.envelope().payload().path("n").asInt() % 3 == 0 ? "a" : "b"));
    }

    @Test
    void relay_describesEveryRecord_withItsCloudEventItsTraceAndItsCorrelation() {
        var trace = "0af7651916cd43dd8448eb211c80319c";
        var span = SpanContext.create(trace, "b7ad6b7169203331", TraceFlags.getSampled(), TraceState.getDefault());
        var cause = new Cause("c-9", Context.root().with(Span.wrap(span)));
        start(stage.options());

        var id = await(outbox.transaction(
                cause, unit -> Future.succeededFuture(unit.announce(topic, "a", "test.thing", Json.object()))));

        eventually(() -> assertThat(published()).containsExactly(id));
        var record = stage.read(topic).get(0);
        assertThat(record.headers())
                .containsEntry("content-type", "application/json")
                .containsEntry("ce_specversion", "1.0")
                .containsEntry("ce_id", id.toString())
                .containsEntry("ce_type", "test.thing")
                .containsEntry("ce_source", "slipway/test")
                .containsEntry("ce_subject", "a")
                .containsEntry("ce_time", record.envelope().occurredAt().toString())
                .containsEntry("ce_correlationid", "c-9")
                .containsEntry("baggage", "correlation_id=c-9");
        assertThat(record.headers().get("traceparent")).startsWith("00-" + trace + "-");
        assertThat(record.envelope().correlationId()).isEqualTo("c-9");
    }

    @Test
    void relay_publishesATombstone_whereTheTopicIsToForgetTheKey() {
        start(stage.options());
        var told = announce(topic, "a", 1);

        await(outbox.transaction(because("c"), unit -> {
            unit.forget(topic, "a", "test.thing");
            return Future.succeededFuture();
        }));

        eventually(() -> assertThat(stage.read(topic)).hasSize(2));
        var records = stage.read(topic);
        assertThat(records).extracting(Incoming::key).containsOnly("a");
        assertThat(records.get(0).envelope().eventId()).isEqualTo(told);
        assertThat(records.get(1).value()).isNull();
        assertThat(records.get(1).headers()).containsEntry("ce_type", "test.thing");
    }

    @Test
    void relay_publishesMoreThanOneBatch() {
        await(outbox.transaction(because("c"), unit -> {
            IntStream.range(0, 1_201)
                    .forEach(n -> unit.announce(
                            topic, "a", "test.thing", Json.object().put("n", n)));
            return Future.succeededFuture();
        }));

        start(stage.options());

        eventually(() -> assertThat(stage.outboxRows()).isZero());
        assertThat(stage.read(topic))
                .extracting(r -> r.envelope().payload().path("n").asInt())
                .containsExactlyElementsOf(IntStream.range(0, 1_201).boxed().toList());
    }

    /** Numbers are taken before they are committed: what comes late lies below what was published in the meantime. */
    @Test
    void relay_publishesWhatCommitsLate_belowWhatItReadSecondsBefore() {
        var id = announce(topic, "late", 0);
        var late = await(PgConnection.connect(stage.vertx, stage.options()));
        await(late.query("BEGIN").execute());
        await(late.query("INSERT INTO outbox (" + COLUMNS + ") SELECT " + COLUMNS + " FROM outbox")
                .execute());
        start(stage.options());
        var longAfter = Instant.now().plusSeconds(4); // the relay's floor rises by the second
        var early = new ArrayList<UUID>();
        eventually(() -> {
            early.add(announce(topic, "early", early.size()));
            assertThat(Instant.now()).isAfter(longAfter);
        });
        eventually(() -> assertThat(stage.outboxRows()).isZero());
        assertThat(published()).containsOnlyOnce(id).containsAll(early);

        await(late.query("COMMIT").execute());

        eventually(() -> assertThat(published()).filteredOn(id::equals).hasSize(2));
        eventually(() -> assertThat(stage.outboxRows()).isZero());
        await(late.close());
    }

    /** The leader's account is closed first, so that it cannot come back: the other one has to take over. */
    @Test
    void relay_takesOver_whenTheLeadersConnectionIsKilled_andNothingIsLost() {
        var account = "relay_" + Ids.next().toString().replace("-", "");
        stage.database.execute("CREATE ROLE " + account + " LOGIN PASSWORD 'p'; GRANT ALL ON outbox TO " + account);
        start(stage.options().setUser(account).setPassword("p"));
        eventually(() -> assertThat(leader()).isNotEqualTo(NOBODY));
        var first = leader();
        start(stage.options());
        var expected = new HashSet<UUID>();
        IntStream.range(0, 20).forEach(n -> expected.add(announce(topic, "a", n)));

        stage.database.execute("ALTER ROLE " + account + " NOLOGIN");
        stage.database.execute("SELECT pg_terminate_backend(" + first + ")");
        IntStream.range(20, 40).forEach(n -> expected.add(announce(topic, "a", n)));

        eventually(() -> assertThat(new HashSet<>(published())).isEqualTo(expected));
        eventually(() -> assertThat(stage.outboxRows()).isZero());
        assertThat(leader()).isNotIn(first, NOBODY);
        stage.database.execute("DROP OWNED BY " + account + "; DROP ROLE " + account);
    }

    @Test
    void relay_leadsAlone_howeverManyThereAre() {
        start(stage.options());
        start(stage.options());
        start(stage.options());
        var expected =
                IntStream.range(0, 200).mapToObj(n -> announce(topic, "a", n)).toList();

        eventually(() -> assertThat(stage.outboxRows()).isZero());

        // Two that shared the work would have sent some twice, or in another order.
        assertThat(published()).containsExactlyElementsOf(expected);
    }

    @Test
    void wake_notifiesTheLeader_whenAnotherProcessLeads() {
        start(stage.options());
        eventually(() -> assertThat(leader()).isNotEqualTo(NOBODY));
        start(stage.options());
        var heard = Promise.<String>promise();
        var listener = await(PgConnection.connect(stage.vertx, stage.options()));
        listener.notificationHandler(note -> heard.tryComplete(note.getChannel()));
        await(listener.query("LISTEN outbox_test").execute());

        // It may not have connected yet, and then has nobody to tell: the commit after that wakes it again.
        eventually(() -> {
            relays.get(1).wake();
            assertThat(heard.future().isComplete()).isTrue();
        });

        assertThat(heard.future().result()).isEqualTo("outbox_test");
        await(listener.close());
    }

    @Test
    void stop_publishesWhatIsThere_andLetsGoOfTheLead() {
        start(stage.options());
        eventually(() -> assertThat(leader()).isNotEqualTo(NOBODY));
        var expected =
                IntStream.range(0, 20).mapToObj(n -> announce(topic, "a", n)).toList();

        await(relays.get(0).stop());

        assertThat(published()).containsExactlyElementsOf(expected);
        eventually(() -> assertThat(leader()).isEqualTo(NOBODY));
        relays.clear();
    }

    private void start(io.vertx.pgclient.PgConnectOptions options) {
        var relay = new Relay(stage.vertx, options, stage.kafka, stage.traces(), stage.metrics(), "test");
        relays.add(relay);
        relay.start();
    }

    private UUID announce(String to, String key, int n) {
        return await(outbox.transaction(
                because("c"),
                unit -> Future.succeededFuture(
                        unit.announce(to, key, "test.thing", Json.object().put("n", n)))));
    }

    private List<UUID> published() {
        return stage.read(topic).stream().map(r -> r.envelope().eventId()).toList();
    }

    private static double failures() {
        return stage.metrics()
                .counter("slipway.relay.failures", "service", "test")
                .count();
    }

    private static String leader() {
        return stage.database.query(LEADER);
    }
}

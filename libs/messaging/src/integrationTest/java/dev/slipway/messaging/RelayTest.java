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

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;

import static dev.slipway.messaging.MessagingFixture.await;
import static dev.slipway.messaging.MessagingFixture.changeContext;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

class RelayTest {
    private static final String LEADER = """
            SELECT coalesce(max(l.pid), 0) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
            WHERE l.locktype = 'advisory' AND l.granted AND d.datname = current_database()
            """;
    private static final String NOBODY = "0";
    /** A relay that has tried to take the lock is connected. */
    private static final String FOLLOWERS = """
            SELECT count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND application_name = 'follower' AND query LIKE '%pg_try_advisory_lock%'
            """;

    private static final String TABLE_SCANS =
            "SELECT seq_scan FROM pg_stat_user_tables WHERE relid = 'outbox'::regclass";

    private static final String INDEX_SCANS =
            "SELECT idx_scan FROM pg_stat_user_tables WHERE relid = 'outbox'::regclass";
    /** When the leader last compared the running transactions, to advance its watermark. */
    private static final String WATERMARK_STEP = """
            SELECT coalesce(max(query_start)::text, '') FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE '%pg_current_snapshot()%'
            """;
    /** All columns except the sequence number. */
    private static final String COLUMNS =
            "event_id, event_type, topic, key, occurred_at, correlation_id, traceparent, value";

    private static MessagingFixture fixture;

    private final List<Relay> relays = new ArrayList<>();
    private final Outbox outbox = fixture.outbox(() -> relays.forEach(Relay::wake));
    private final String topic = fixture.createTopic();

    @BeforeAll
    static void open() {
        fixture = new MessagingFixture();
    }

    @AfterAll
    static void close() {
        fixture.close();
    }

    @AfterEach
    void stop() {
        relays.forEach(relay -> await(relay.stop()));
        fixture.database.execute("TRUNCATE outbox");
    }

    @Test
    void relay_keepsRowAndRetries_whenBrokerRejectsIt() {
        start(fixture.options());
        var before = failures();

        var id = publish("not a topic", "a", 1);

        eventually(() -> assertThat(failures()).isGreaterThan(before));
        assertThat(fixture.countOutboxRows()).isEqualTo(1);
        fixture.database.execute("UPDATE outbox SET topic = '" + topic + "'");
        eventually(() -> assertThat(published()).containsExactly(id));
        eventually(() -> assertThat(fixture.countOutboxRows()).isZero());
    }

    @Test
    void wake_doesNotShortenBackoff_whenPublishingFails() {
        start(fixture.options());
        var before = failures();
        var start = System.nanoTime();
        var unused = publish("not a topic", "a", 1);
        var waking = fixture.vertx.setPeriodic(5, timer -> relays.forEach(Relay::wake));

        eventually(() -> assertThat(failures()).isGreaterThanOrEqualTo(before + 4));

        fixture.vertx.cancelTimer(waking);
        var elapsedMs = (System.nanoTime() - start) / 1_000_000;
        assertThat(elapsedMs).isGreaterThanOrEqualTo(Relay.backoffMs(1) + Relay.backoffMs(2) + Relay.backoffMs(3));
    }

    @Test
    void relay_publishesInOrderPerKey_andEmptiesOutbox() {
        var expected = new ArrayList<UUID>();
        IntStream.range(0, 30).forEach(n -> expected.add(publish(topic, n % 3 == 0 ? "a" : "b", n)));

        start(fixture.options());

        eventually(() -> assertThat(fixture.countOutboxRows()).isZero());
        var records = fixture.read(topic);
        assertThat(records).extracting(r -> r.envelope().eventId()).containsExactlyElementsOf(expected);
        assertThat(records).allSatisfy(r -> assertThat(r.key())
                .isEqualTo(r.envelope().payload().path("n").asInt() % 3 == 0 ? "a" : "b"));
    }

    @Test
    void relay_addsCloudEventTraceAndCorrelationHeaders() {
        var trace = "0af7651916cd43dd8448eb211c80319c";
        var span = SpanContext.create(trace, "b7ad6b7169203331", TraceFlags.getSampled(), TraceState.getDefault());
        var changeContext = new ChangeContext("c-9", Context.root().with(Span.wrap(span)));
        start(fixture.options());

        var id = await(outbox.transaction(
                changeContext, unit -> Future.succeededFuture(unit.publish(topic, "a", "test.thing", Json.object()))));

        eventually(() -> assertThat(published()).containsExactly(id));
        var record = fixture.read(topic).get(0);
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
    void relay_publishesTombstone_whenKeyIsDeleted() {
        start(fixture.options());
        var published = publish(topic, "a", 1);

        await(outbox.transaction(changeContext("c"), unit -> {
            unit.publishTombstone(topic, "a", "test.thing");
            return Future.succeededFuture();
        }));

        eventually(() -> assertThat(fixture.read(topic)).hasSize(2));
        var records = fixture.read(topic);
        assertThat(records).extracting(ReceivedRecord::key).containsOnly("a");
        assertThat(records.get(0).envelope().eventId()).isEqualTo(published);
        assertThat(records.get(1).value()).isNull();
        assertThat(records.get(1).headers()).containsEntry("ce_type", "test.thing");
    }

    @Test
    void relay_publishesAllRows_whenTheyExceedOneBatch() {
        await(outbox.transaction(changeContext("c"), unit -> {
            IntStream.range(0, 1_201)
                    .forEach(n ->
                            unit.publish(topic, "a", "test.thing", Json.object().put("n", n)));
            return Future.succeededFuture();
        }));

        start(fixture.options());

        eventually(() -> assertThat(fixture.countOutboxRows()).isZero());
        assertThat(fixture.read(topic))
                .extracting(r -> r.envelope().payload().path("n").asInt())
                .containsExactlyElementsOf(IntStream.range(0, 1_201).boxed().toList());
    }

    /** PostgreSQL would scan the whole table, because it was almost empty when the reads were planned. */
    @Test
    void relay_readsByIndex_whenTableWasEmptyAtStart() {
        fixture.database.execute("VACUUM ANALYZE outbox");
        var scans = fixture.database.query(TABLE_SCANS);
        start(fixture.options());

        for (var i = 0; i < 10; i++) {
            var id = publish(topic, "a", i);
            eventually(() -> assertThat(published()).contains(id));
        }

        eventually(() -> assertThat(Integer.parseInt(fixture.database.query(INDEX_SCANS)))
                .isGreaterThanOrEqualTo(10));
        assertThat(fixture.database.query(TABLE_SCANS)).isEqualTo(scans);
    }

    /** Sequence numbers are assigned before the commit, so a late commit can be below rows that were already published. */
    @Test
    void relay_publishesLateCommit_belowRowsPublishedSecondsBefore() {
        var id = publish(topic, "late", 0);
        var late = await(PgConnection.connect(fixture.vertx, fixture.options()));
        await(late.query("BEGIN").execute());
        await(late.query("INSERT INTO outbox (" + COLUMNS + ") SELECT " + COLUMNS + " FROM outbox")
                .execute());
        start(fixture.options());
        var early = new ArrayList<UUID>();
        for (var i = 0; i < 4; i++) { // without the open transaction, the watermark would pass the row in two steps
            var lastStep = fixture.database.query(WATERMARK_STEP);
            early.add(publish(topic, "early", i));
            eventually(() -> assertThat(fixture.database.query(WATERMARK_STEP)).isNotIn(lastStep, ""));
        }
        eventually(() -> assertThat(fixture.countOutboxRows()).isZero());
        assertThat(published()).containsOnlyOnce(id).containsAll(early);

        await(late.query("COMMIT").execute());

        eventually(() -> assertThat(published()).filteredOn(id::equals).hasSize(2));
        eventually(() -> assertThat(fixture.countOutboxRows()).isZero());
        await(late.close());
    }

    /** The leader's account is locked first, so that it cannot reconnect and the other relay has to take over. */
    @Test
    void relay_takesOverWithoutLoss_whenConnectionOfLeaderIsKilled() {
        var account = "relay_" + Ids.next().toString().replace("-", "");
        fixture.database.execute("CREATE ROLE " + account + " LOGIN PASSWORD 'p'; GRANT ALL ON outbox TO " + account);
        start(fixture.options().setUser(account).setPassword("p"));
        eventually(() -> assertThat(leader()).isNotEqualTo(NOBODY));
        var first = leader();
        start(fixture.options());
        var expected = new HashSet<UUID>();
        IntStream.range(0, 20).forEach(n -> expected.add(publish(topic, "a", n)));

        fixture.database.execute("ALTER ROLE " + account + " NOLOGIN");
        fixture.database.execute("SELECT pg_terminate_backend(" + first + ")");
        IntStream.range(20, 40).forEach(n -> expected.add(publish(topic, "a", n)));

        eventually(() -> assertThat(new HashSet<>(published())).isEqualTo(expected));
        eventually(() -> assertThat(fixture.countOutboxRows()).isZero());
        assertThat(leader()).isNotIn(first, NOBODY);
        fixture.database.execute("DROP OWNED BY " + account + "; DROP ROLE " + account);
    }

    @Test
    void relay_publishesOnceAndInOrder_whenSeveralRelaysRun() {
        start(fixture.options());
        start(fixture.options());
        start(fixture.options());
        var expected =
                IntStream.range(0, 200).mapToObj(n -> publish(topic, "a", n)).toList();

        eventually(() -> assertThat(fixture.countOutboxRows()).isZero());

        // Two leaders would have sent some events twice or out of order.
        assertThat(published()).containsExactlyElementsOf(expected);
    }

    @Test
    void wake_notifiesLeader_whenAnotherProcessLeads() {
        start(fixture.options());
        eventually(() -> assertThat(leader()).isNotEqualTo(NOBODY));
        start(fixture.options().addProperty("application_name", "follower"));
        eventually(() -> assertThat(fixture.database.query(FOLLOWERS)).isEqualTo("1"));
        var notified = Promise.<String>promise();
        var listener = await(PgConnection.connect(fixture.vertx, fixture.options()));
        listener.notificationHandler(note -> notified.tryComplete(note.getChannel()));
        await(listener.query("LISTEN outbox_test").execute());

        relays.get(1).wake();

        assertThat(await(notified.future())).isEqualTo("outbox_test");
        await(listener.close());
    }

    @Test
    void stop_publishesRemainingEvents_andReleasesLeadership() {
        start(fixture.options());
        eventually(() -> assertThat(leader()).isNotEqualTo(NOBODY));
        var expected =
                IntStream.range(0, 20).mapToObj(n -> publish(topic, "a", n)).toList();

        await(relays.get(0).stop());

        assertThat(published()).containsExactlyElementsOf(expected);
        eventually(() -> assertThat(leader()).isEqualTo(NOBODY));
        relays.clear();
    }

    private void start(io.vertx.pgclient.PgConnectOptions options) {
        var relay = new Relay(fixture.vertx, options, fixture.kafka, fixture.traces(), fixture.metrics(), "test");
        relays.add(relay);
        relay.start();
    }

    private UUID publish(String to, String key, int n) {
        return await(outbox.transaction(
                changeContext("c"),
                unit -> Future.succeededFuture(
                        unit.publish(to, key, "test.thing", Json.object().put("n", n)))));
    }

    private List<UUID> published() {
        return fixture.read(topic).stream().map(r -> r.envelope().eventId()).toList();
    }

    private static double failures() {
        return fixture.metrics()
                .counter("slipway.relay.failures", "service", "test")
                .count();
    }

    private static String leader() {
        return fixture.database.query(LEADER);
    }
}

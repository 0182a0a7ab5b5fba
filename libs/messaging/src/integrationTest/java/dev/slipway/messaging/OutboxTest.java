package dev.slipway.messaging;

import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.testkit.Proves;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.Tuple;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import static dev.slipway.messaging.MessagingFixture.await;
import static dev.slipway.messaging.MessagingFixture.changeContext;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class OutboxTest {
    private static final String INSERT = "INSERT INTO things (name, times) VALUES ($1, 1)";
    private static MessagingFixture fixture;

    private final AtomicInteger woken = new AtomicInteger();
    private final Outbox outbox = fixture.outbox(woken::incrementAndGet);

    @BeforeAll
    static void open() {
        fixture = new MessagingFixture();
    }

    @AfterAll
    static void close() {
        fixture.close();
    }

    @BeforeEach
    void empty() {
        fixture.database.execute("TRUNCATE things, outbox");
    }

    @Test
    void transaction_rollsBack_whenWorkFails() {
        assertFails(
                unit -> {
                    insert(unit, "a");
                    publish(unit, "a");
                    return Future.failedFuture(new IllegalStateException("no"));
                },
                IllegalStateException.class);
    }

    @Test
    void transaction_rollsBack_whenWorkThrows() {
        assertFails(
                unit -> {
                    insert(unit, "a");
                    publish(unit, "a");
                    throw new IllegalStateException("no");
                },
                IllegalStateException.class);
    }

    @Test
    void transaction_rollsBack_whenDeferredWriteFails() {
        assertFails(
                unit -> {
                    insert(unit, "a");
                    insert(unit, "a"); // violates the primary key, after the work has completed
                    publish(unit, "a");
                    return Future.succeededFuture();
                },
                PgException.class);
    }

    @Test
    void transaction_rollsBack_whenEventCannotBeStored() {
        assertFails(
                unit -> {
                    insert(unit, "a");
                    // PostgreSQL text cannot contain this character.
                    unit.publish("things", "key\u0000", "test.thing", Json.object());
                    return Future.succeededFuture();
                },
                PgException.class);
    }

    /** PostgreSQL answers the COMMIT of an aborted transaction with a ROLLBACK, not with an error. */
    @Test
    void transaction_fails_whenWorkIgnoresFailedStatement() {
        assertFails(
                unit -> {
                    insert(unit, "a");
                    return unit.query("SELECT 1 / (count(*) - 1) FROM things", Tuple.tuple())
                            .<Void>mapEmpty()
                            .otherwiseEmpty();
                },
                PgException.class);
    }

    @Test
    void transaction_releasesConnection_whenItFails() {
        var small = PgBuilder.pool()
                .using(fixture.vertx)
                .connectingTo(fixture.options())
                .with(new PoolOptions().setMaxSize(1))
                .build();
        var one = new Outbox(small, fixture.traces(), Clock.systemUTC(), woken::incrementAndGet);
        for (var i = 0; i < 3; i++) {
            assertThatThrownBy(() -> await(one.transaction(changeContext("c"), unit -> {
                insert(unit, "a");
                insert(unit, "a");
                return Future.succeededFuture();
            })));
            assertThatThrownBy(() -> await(one.transaction(changeContext("c"), unit -> {
                throw new IllegalStateException("no");
            })));
        }

        await(one.transaction(changeContext("c"), unit -> {
            insert(unit, "b");
            return Future.succeededFuture();
        }));

        assertThat(fixture.countThings()).isEqualTo(1);
        await(small.close());
    }

    @Test
    @Proves("C.16")
    void transaction_commitsStateAndEventTogether() {
        var span = SpanContext.create(
                "0af7651916cd43dd8448eb211c80319c",
                "b7ad6b7169203331",
                TraceFlags.getSampled(),
                TraceState.getDefault());
        var changeContext = new ChangeContext("c-7", Context.root().with(Span.wrap(span)));

        var id = await(outbox.transaction(changeContext, unit -> {
            insert(unit, "a");
            return Future.succeededFuture(
                    unit.publish("things", "a", "test.thing", Json.object().put("n", 1)));
        }));

        assertThat(fixture.countThings()).isEqualTo(1);
        assertThat(woken).hasValue(1);
        assertThat(fixture.database.query(
                        "SELECT concat_ws('|', event_id, event_type, topic, key, correlation_id) FROM outbox"))
                .isEqualTo(id + "|test.thing|things|a|c-7");
        assertThat(fixture.database.query("SELECT traceparent FROM outbox"))
                .startsWith("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-");
        var value = fixture.database.query("SELECT convert_from(value, 'UTF8') FROM outbox");
        var event = Envelope.fromBytes(value.getBytes(java.nio.charset.StandardCharsets.UTF_8));
        assertThat(event.eventId()).isEqualTo(id);
        assertThat(event.correlationId()).isEqualTo("c-7");
        assertThat(event.payload().path("n").asInt()).isEqualTo(1);
    }

    @Test
    void transaction_keepsOrderOfEvents() {
        await(outbox.transaction(changeContext("c"), unit -> {
            for (var i = 0; i < 20; i++) {
                unit.publish("things", "k" + i, "test.thing", Json.object());
            }
            return Future.succeededFuture();
        }));

        assertThat(fixture.database.query("SELECT string_agg(key, ',' ORDER BY seq) FROM outbox"))
                .isEqualTo("k0,k1,k2,k3,k4,k5,k6,k7,k8,k9,k10,k11,k12,k13,k14,k15,k16,k17,k18,k19");
    }

    @Test
    void transaction_doesNotWakeRelay_whenItHasNoEvents() {
        await(outbox.transaction(changeContext("c"), unit -> {
            insert(unit, "a");
            return Future.succeededFuture();
        }));

        assertThat(fixture.countThings()).isEqualTo(1);
        assertThat(woken).hasValue(0);
    }

    @Test
    void query_seesEarlierWrites() {
        var counts = await(outbox.transaction(changeContext("c"), unit -> {
            insert(unit, "a");
            insert(unit, "b");
            var first = count(unit);
            insert(unit, "c");
            var second = count(unit);
            return Future.all(first, second).map(both -> both.<Long>resultAt(0) + "," + both.<Long>resultAt(1));
        }));

        assertThat(counts).isEqualTo("2,3");
    }

    @Test
    void insert_keepsOrder_amongOtherWrites() {
        await(outbox.transaction(changeContext("c"), unit -> {
            insert(unit, "a");
            unit.write("UPDATE things SET times = 5", Tuple.tuple());
            insert(unit, "b");
            publish(unit, "b");
            return Future.succeededFuture();
        }));

        assertThat(fixture.database.query("SELECT string_agg(name || times, ',' ORDER BY name) FROM things"))
                .isEqualTo("a5,b1");
        assertThat(fixture.countOutboxRows()).isEqualTo(1);
    }

    @Test
    void insert_canReferToRowOfMergedInsert() {
        fixture.database.execute("CREATE TABLE parts (of text NOT NULL REFERENCES things (name))");

        await(outbox.transaction(changeContext("c"), unit -> {
            insert(unit, "whole");
            unit.insert("INSERT INTO parts VALUES ($1)", Tuple.of("whole"));
            return Future.succeededFuture();
        }));

        assertThat(fixture.database.query("SELECT of FROM parts")).isEqualTo("whole");
        fixture.database.execute("DROP TABLE parts");
    }

    @Test
    void now_isConstantInMicroseconds() {
        var times = await(outbox.transaction(changeContext("c"), unit -> {
            var before = unit.now();
            return count(unit)
                    .map(ok -> before.equals(unit.now()) && before.equals(before.truncatedTo(ChronoUnit.MICROS)));
        }));

        assertThat(times).isTrue();
    }

    private void assertFails(Function<UnitOfWork, Future<Void>> work, Class<? extends Throwable> with) {
        assertThatThrownBy(() -> await(outbox.transaction(changeContext("c"), work)))
                .hasRootCauseInstanceOf(with);

        assertThat(fixture.countThings()).isZero();
        assertThat(fixture.countOutboxRows()).isZero();
        assertThat(woken).hasValue(0);
    }

    private static void insert(UnitOfWork unit, String name) {
        unit.insert(INSERT, Tuple.of(name));
    }

    private static void publish(UnitOfWork unit, String key) {
        unit.publish(
                "things", key, "test.thing", Json.object().put("id", Ids.next().toString()));
    }

    private static Future<Long> count(UnitOfWork unit) {
        return unit.query("SELECT count(*) FROM things", Tuple.tuple())
                .map(rows -> rows.iterator().next().getLong(0));
    }
}

package dev.slipway.metering.runtimehours;

import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
import dev.slipway.messaging.ReceivedRecord;
import dev.slipway.metering.usage.UsageFixture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import static dev.slipway.metering.usage.UsageFixture.ORG;
import static dev.slipway.metering.usage.UsageFixture.PROJECT;
import static dev.slipway.metering.usage.UsageFixture.await;
import static dev.slipway.metering.usage.UsageFixture.context;
import static org.assertj.core.api.Assertions.assertThat;

class RuntimeHoursEmitterTest {
    private static final Instant START = Instant.parse("2026-10-05T10:30:00Z");

    private final UsageFixture fixture = new UsageFixture();
    private final RuntimeHoursStore store = new RuntimeHoursStore();
    private final RuntimeHoursEmitter emitter = new RuntimeHoursEmitter(
            fixture.vertx(), store, fixture.ingest::prepareAndApply, fixture.outbox, fixture.meters());
    private final LifecycleConsumer instances = new LifecycleConsumer(new RunningTimeStore(fixture.reads()));
    private final SharedRuntimeConsumer runtimes = new SharedRuntimeConsumer(store);
    private final UUID instance = Ids.next();
    private final UUID runtime = Ids.next();

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void emit_countsEachHourOnce_howeverOftenItRuns() {
        heartbeat(START.minusSeconds(60), START);
        apply("apps.instance.running", 1, START);
        heartbeat(START.minusSeconds(60), START.plusSeconds(3 * 3_600));

        assertThat(await(emitter.emit())).isEqualTo(3);
        assertThat(await(emitter.emit())).isZero();
        assertThat(fixture.total()).isEqualTo("2.5");

        apply("apps.instance.deleting", 2, START.plusSeconds(3 * 3_600 - 900));
        assertThat(await(emitter.emit())).isEqualTo(1);
        assertThat(fixture.total()).isEqualTo("2.75");
        fixture.database.execute("UPDATE metering.running_intervals SET emitted_until = NULL");
        await(emitter.emit());
        assertThat(fixture.total()).isEqualTo("2.75");
        assertThat(fixture.differences()).isEqualTo("0");
        assertThat(fixture.database.query(
                        "SELECT DISTINCT unit || ' ' || correlation_id || ' ' || app_slug FROM metering.usage_facts"))
                .isEqualTo("app_uptime_hour launch echo");
    }

    /** Usage that is older than three years is rejected, however often it is tried. */
    @Test
    void emit_countsTheHoursOfOthers_whenThoseOfAnIntervalAreRejected() {
        var old = START.minus(4 * 365, ChronoUnit.DAYS);
        var failing = Ids.next();
        heartbeat(old, old);
        apply(failing, "apps.instance.running", 1, old);
        apply("apps.instance.running", 1, START);
        heartbeat(old, START.plusSeconds(3 * 3_600));

        assertThat(await(emitter.emit())).isEqualTo(3);

        assertThat(fixture.database.query("SELECT DISTINCT app_instance_id::text FROM metering.usage_facts"))
                .isEqualTo(instance.toString());
        assertThat(fixture.database.query(
                        "SELECT emit_after > now() AND emitted_until IS NULL FROM metering.running_intervals WHERE app_instance_id = '"
                                + failing + "'"))
                .isEqualTo("t");
        assertThat(fixture.meters()
                        .get("slipway.usage.runtime.hours.age")
                        .gauge()
                        .value())
                .isGreaterThan(4 * 365 * 86_400.0);
    }

    @Test
    void emit_countsALongInterval_inSeveralTransactions() {
        heartbeat(START, START);
        apply("apps.instance.running", 1, START);
        heartbeat(START, START.plus(3, ChronoUnit.DAYS));

        assertThat(await(emitter.emit())).isEqualTo(72);

        assertThat(fixture.countingTransactions()).isGreaterThan(1);
        apply("apps.instance.failed", 2, START.plusSeconds(3_600));
        await(emitter.emit());
        assertThat(fixture.total()).isEqualTo("1");
        assertThat(fixture.differences()).isEqualTo("0");
    }

    @Test
    void emit_doesNotCount_theTimeWithoutAnAdapter() {
        heartbeat(START, START);
        apply("apps.instance.running", 1, START);
        heartbeat(START, START.plusSeconds(1_800));
        assertThat(await(emitter.emit())).isZero(); // 11:00 is confirmed, but events may be on their way

        // Down from 11:00; the adapter starts again at 14:00. It never reported that the instance failed.
        apply("apps.instance.deleting", 2, START.plusSeconds(4 * 3_600));
        assertThat(await(emitter.emit())).isZero();
        heartbeat(START.plusSeconds(12_600), START.plusSeconds(12_610));
        heartbeat(START.plusSeconds(12_600), START.plusSeconds(5 * 3_600));
        await(emitter.emit());

        assertThat(fixture.total()).isEqualTo("1");
    }

    @Test
    void emit_countsTheWholeTime_whenTheAdapterKeptRunningWhileThePlatformWasDown() {
        heartbeat(START, START);
        apply("apps.instance.running", 1, START);
        heartbeat(START, START.plusSeconds(8 * 3_600));
        apply("apps.instance.deleting", 2, START.plusSeconds(8 * 3_600));

        await(emitter.emit());

        assertThat(fixture.total()).isEqualTo("8");
    }

    @Test
    void emit_correctsHours_whenTheEndArrivesLate() {
        heartbeat(START, START);
        apply("apps.instance.running", 1, START);
        heartbeat(START, START.plusSeconds(6 * 3_600));
        await(emitter.emit());
        assertThat(fixture.total()).isEqualTo("5.5");

        apply("apps.instance.failed", 2, START.plusSeconds(3_600));
        await(emitter.emit());

        assertThat(fixture.total()).isEqualTo("1");
        assertThat(fixture.database.query(
                        "SELECT count(*) FROM metering.usage_facts WHERE corrects_fact_id IS NOT NULL"))
                .isEqualTo("5");
        assertThat(await(emitter.emit())).isZero();
        assertThat(fixture.differences()).isEqualTo("0");
    }

    @Test
    void emit_countsTheControllerOfASharedRuntime_withoutAProject() {
        heartbeat(START, START);
        applyRuntime("apps.shared_runtime.requested", 1, START);
        applyRuntime("apps.shared_runtime.running", 2, START);
        applyRuntime("apps.shared_runtime.deleting", 3, START.plusSeconds(1_800));
        applyRuntime("apps.shared_runtime.deleting", 3, START.plusSeconds(7_200));
        heartbeat(START, START.plusSeconds(3_600));

        await(emitter.emit());

        assertThat(fixture.database.query("""
                SELECT concat_ws(' ', trim_scale(quantity), org_id, shared_runtime_id, app_slug, control_plane_scope, project_id IS NULL)
                FROM metering.usage_facts""")).isEqualTo("0.5 " + ORG + " " + runtime + " slurm tenant t");
    }

    private void heartbeat(Instant startedAt, Instant receivedAt) {
        await(fixture.outbox.transaction(
                context(), unit -> store.recordHeartbeat(unit, "bare_metal", receivedAt, startedAt)));
    }

    private void apply(String type, long sequence, Instant at) {
        apply(instance, type, sequence, at);
    }

    private void apply(UUID id, String type, long sequence, Instant at) {
        var payload = Json.object()
                .put("org_id", ORG.toString())
                .put("project_id", PROJECT.toString())
                .put("app_instance_id", id.toString())
                .put("app_slug", "echo")
                .put("operating_mode", "tenant_dedicated")
                .put("control_plane_scope", "project")
                .put("runtime_backend", "bare_metal")
                .put("sequence", sequence);
        var event = event(new Envelope(Ids.next(), type, at, 1, "launch", payload));
        await(fixture.outbox.transaction(context(), unit -> instances.apply(unit, List.of(event))));
    }

    private void applyRuntime(String type, long sequence, Instant at) {
        var payload = Json.object()
                .put("org_id", ORG.toString())
                .put("shared_runtime_id", runtime.toString())
                .put("app_slug", "slurm")
                .put("operating_mode", "tenant_dedicated")
                .put("control_plane_scope", "tenant")
                .put("runtime_backend", "bare_metal")
                .put("sequence", sequence);
        var event = event(new Envelope(Ids.next(), type, at, 1, "create", payload));
        await(fixture.outbox.transaction(context(), unit -> runtimes.apply(unit, List.of(event))));
    }

    private static ReceivedEvent event(Envelope envelope) {
        return new ReceivedEvent(
                new ReceivedRecord("instances.events", 0, 0, Instant.now(), "key", envelope.toBytes(), Map.of()),
                envelope);
    }
}

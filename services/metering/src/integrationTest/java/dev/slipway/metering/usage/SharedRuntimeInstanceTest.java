package dev.slipway.metering.usage;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
import dev.slipway.messaging.ReceivedRecord;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.metering.runtimehours.LifecycleConsumer;
import dev.slipway.metering.runtimehours.RunningTimeStore;
import dev.slipway.metering.runtimehours.RuntimeHoursEmitter;
import dev.slipway.metering.runtimehours.RuntimeHoursStore;
import dev.slipway.metering.runtimehours.SharedRuntimeConsumer;
import dev.slipway.testkit.Proves;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BiFunction;

import static dev.slipway.metering.usage.UsageFixture.ORG;
import static dev.slipway.metering.usage.UsageFixture.PROJECT;
import static dev.slipway.metering.usage.UsageFixture.account;
import static dev.slipway.metering.usage.UsageFixture.await;
import static dev.slipway.metering.usage.UsageFixture.context;
import static dev.slipway.metering.usage.UsageFixture.fact;
import static dev.slipway.metering.usage.UsageFixture.outcomes;
import static org.assertj.core.api.Assertions.assertThat;

/** Usage of an app instance that uses a shared runtime (control_plane_scope tenant) names both, whoever reports it. */
class SharedRuntimeInstanceTest {
    private static final Instant START = Instant.parse("2026-10-05T10:00:00Z");
    private static final String ANCHORS = """
            SELECT string_agg(DISTINCT concat_ws(' ', source, org_id, project_id, app_instance_id, shared_runtime_id, attachment_id, app_slug,
                control_plane_scope), ';' ORDER BY concat_ws(' ', source, org_id, project_id, app_instance_id, shared_runtime_id,
                attachment_id, app_slug, control_plane_scope)) FROM metering.usage_facts""";

    private final UsageFixture fixture = new UsageFixture();
    private final LifecycleConsumer lifecycle = new LifecycleConsumer(new RunningTimeStore(fixture.reads()));
    private final RuntimeHoursStore hours = new RuntimeHoursStore();
    private final SharedRuntimeConsumer runtimes = new SharedRuntimeConsumer(hours);
    private final AdapterUsageConsumer adapters = new AdapterUsageConsumer(
            fixture.ingest, fixture.store, new UsageMetrics(new SimpleMeterRegistry(), Clock.systemUTC(), () -> 0));
    private final UUID instance = Ids.next();
    private final UUID runtime = Ids.next();
    private final UUID attachment = Ids.next();

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    @Proves({"0.45", "1.37"})
    void usage_namesTheInstanceAndTheSharedRuntime_ofEverySource() {
        attach();
        lifecycle("apps.instance.running", 1, START, runtime);
        lifecycle("apps.instance.deleting", 2, START.plusSeconds(3_600), runtime);

        await(new RuntimeHoursEmitter(
                        fixture.vertx(), hours, fixture.ingest::prepareAndApply, fixture.outbox, fixture.meters())
                .emit());
        reportByAdapter();
        var reported = fact("a").put("app_instance_id", instance.toString());
        assertThat(outcomes(fixture.report(account(ORG, PROJECT), "factory", List.of(reported))))
                .containsExactly("accepted");

        assertThat(fixture.database.query(ANCHORS))
                .isEqualTo(anchors(PROJECT + "/factory") + ";" + anchors("adapter") + ";" + anchors("lifecycle"));
    }

    @Test
    void usage_namesTheSharedRuntime_ofAnInstanceWhoseEarlierEventsDidNot() {
        attach();
        lifecycle("apps.instance.running", 1, START, null);
        lifecycle("apps.instance.deleting", 2, START.plusSeconds(3_600), runtime);

        reportByAdapter();

        assertThat(fixture.database.query(ANCHORS)).isEqualTo(anchors("adapter"));
    }

    @Test
    void report_isRejected_whenItNamesAnotherSharedRuntime() {
        attach();
        lifecycle("apps.instance.running", 1, START, runtime);
        var other = Ids.next();
        fixture.addRuntime(other, ORG, Ids.next(), PROJECT);

        var response = fixture.report(
                fact("a").put("app_instance_id", instance.toString()).put("shared_runtime_id", other.toString()));

        assertThat(response.at("/items/0/field").asText()).isEqualTo("shared_runtime_id");
    }

    private String anchors(String source) {
        return String.join(
                " ",
                source,
                ORG.toString(),
                PROJECT.toString(),
                instance.toString(),
                runtime.toString(),
                attachment.toString(),
                "echo",
                "tenant");
    }

    private void attach() {
        apply("apps.shared_runtime.requested", START, runtimePayload("slurm"), runtimes::apply);
        var payload = Json.object()
                .put("attachment_id", attachment.toString())
                .put("shared_runtime_id", runtime.toString())
                .put("project_id", PROJECT.toString())
                .put("sequence", 2);
        apply("apps.shared_runtime.attachment.attached", START, payload, runtimes::apply);
    }

    private ObjectNode runtimePayload(String app) {
        return Json.object()
                .put("org_id", ORG.toString())
                .put("shared_runtime_id", runtime.toString())
                .put("app_slug", app)
                .put("operating_mode", "tenant_dedicated")
                .put("control_plane_scope", "tenant")
                .put("runtime_backend", "bare_metal")
                .put("sequence", 1);
    }

    private void lifecycle(String type, long sequence, Instant at, @Nullable UUID sharedRuntimeId) {
        var payload = runtimePayload("echo")
                .put("project_id", PROJECT.toString())
                .put("app_instance_id", instance.toString())
                .put("sequence", sequence);
        if (sharedRuntimeId == null) {
            payload.remove("shared_runtime_id");
        }
        apply(type, at, payload, lifecycle::apply);
    }

    private void reportByAdapter() {
        var payload = Json.object()
                .put("org_id", ORG.toString())
                .put("project_id", PROJECT.toString())
                .put("app_slug", "echo")
                .put("app_instance_id", instance.toString())
                .put("shared_runtime_id", runtime.toString())
                .put("usage_id", Ids.next().toString())
                .put("unit", "token")
                .put("quantity", "5")
                .put("window_start", START.toString())
                .put("window_end", START.plusSeconds(60).toString());
        apply("apps.instance_usage.reported", START, payload, adapters::apply);
    }

    private void apply(
            String type,
            Instant at,
            ObjectNode payload,
            BiFunction<UnitOfWork, List<ReceivedEvent>, Future<Void>> consumer) {
        var envelope = new Envelope(Ids.next(), type, at, 1, "launch", payload);
        var event = new ReceivedEvent(
                new ReceivedRecord("instances.events", 0, 0, Instant.now(), "key", envelope.toBytes(), Map.of()),
                envelope);
        await(fixture.outbox.transaction(context(), unit -> consumer.apply(unit, List.of(event))));
    }
}

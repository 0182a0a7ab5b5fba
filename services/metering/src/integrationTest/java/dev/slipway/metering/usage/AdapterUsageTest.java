package dev.slipway.metering.usage;

import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.messaging.Failures.NotReadyException;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
import dev.slipway.messaging.ReceivedRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import static dev.slipway.metering.usage.UsageFixture.ORG;
import static dev.slipway.metering.usage.UsageFixture.PROJECT;
import static dev.slipway.metering.usage.UsageFixture.await;
import static dev.slipway.metering.usage.UsageFixture.context;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Reports of adapters that cannot be counted: one that can never be counted must not delay the others. */
class AdapterUsageTest {
    private final UsageFixture fixture = new UsageFixture();
    private final UsageMetrics metrics = new UsageMetrics(fixture.meters(), Clock.systemUTC(), () -> 0);
    private final AdapterUsageConsumer consumer = new AdapterUsageConsumer(fixture.ingest, fixture.store, metrics);
    private final UUID instance = Ids.next();

    @BeforeEach
    void addInstance() {
        fixture.addInstance(instance, ORG, PROJECT);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void report_isRefusedAtOnce_whenItsUnitIsRetired() {
        fixture.database.execute("UPDATE metering.usage_units SET lifecycle = 'retired' WHERE id = 'request'");

        apply(report(instance, "request"), report(instance, "token"));

        assertThat(fixture.get(fixture.queries::listRefusals, ORG, PROJECT, Map.of())
                        .path("items")
                        .findValuesAsText("field"))
                .containsExactly("unit");
        assertThat(fixture.total()).isEqualTo("7");
    }

    @Test
    void report_waits_whenItsUnitOrInstanceIsUnknown() {
        for (var report : List.of(report(instance, "no_such_unit"), report(Ids.next(), "token"))) {
            assertThatThrownBy(() -> apply(report)).hasRootCauseInstanceOf(NotReadyException.class);
        }
        assertThat(fixture.database.query("SELECT count(*) FROM metering.usage_refusals"))
                .isEqualTo("0");
    }

    /** An attempt that is rolled back is repeated, and must not be counted twice. */
    @Test
    void metrics_countFacts_onlyWhenTheyAreCommitted() {
        assertThatThrownBy(() -> apply(report(instance, "token"), report(Ids.next(), "token")))
                .hasRootCauseInstanceOf(NotReadyException.class);
        apply(report(instance, "token"));

        assertThat(fixture.meters()
                        .get("slipway.usage.facts")
                        .tag("outcome", "accepted")
                        .counter()
                        .count())
                .isEqualTo(1);
    }

    private void apply(ReceivedEvent... events) {
        await(fixture.outbox.transaction(context(), unit -> consumer.apply(unit, List.of(events))));
    }

    private static ReceivedEvent report(UUID instance, String unit) {
        var end = Instant.now();
        var payload = Json.object()
                .put("app_instance_id", instance.toString())
                .put("usage_id", Ids.next().toString())
                .put("org_id", ORG.toString())
                .put("project_id", PROJECT.toString())
                .put("app_slug", "echo")
                .put("unit", unit)
                .put("quantity", "7")
                .put("window_start", end.minusSeconds(60).toString())
                .put("window_end", end.toString());
        var envelope = new Envelope(Ids.next(), "apps.instance_usage.reported", end, 1, "correlation", payload);
        return new ReceivedEvent(
                new ReceivedRecord("usage.events", 0, 0, end, "key", envelope.toBytes(), Map.of()), envelope);
    }
}

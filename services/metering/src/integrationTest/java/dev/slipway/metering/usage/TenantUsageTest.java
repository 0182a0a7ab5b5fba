package dev.slipway.metering.usage;

import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
import dev.slipway.messaging.ReceivedRecord;
import dev.slipway.telemetry.Telemetry;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import static dev.slipway.metering.usage.UsageFixture.ORG;
import static dev.slipway.metering.usage.UsageFixture.await;
import static org.assertj.core.api.Assertions.assertThat;

class TenantUsageTest {
    private static final UUID TENANT = new UUID(7, 7);

    @Test
    void apply_countsTheRequestsOfAReportOnce_forTheOrganization() {
        try (var fixture = new UsageFixture();
                var telemetry = Telemetry.start(Map.of())) {
            var consumer =
                    new TenantUsageConsumer(fixture.ingest, fixture.store, new UsageMetrics(telemetry.metrics()));
            var first = report(250);
            for (var events : List.of(List.of(first), List.of(first, report(50)), List.of(report(0)))) {
                await(fixture.outbox.transaction(UsageFixture.context(), unit -> consumer.apply(unit, events)));
            }

            assertThat(fixture.total()).isEqualTo("300");
            assertThat(fixture.differences()).isEqualTo("0");
            assertThat(fixture.database.query("""
                    SELECT DISTINCT unit || ' ' || org_id || ' ' || coalesce(project_id::text, '-') || ' ' || resource_type || ' ' || resource_id
                    FROM metering.usage_facts
                    """)).isEqualTo("tenant_api_request " + ORG + " - tenant " + TENANT);
            assertThat(fixture.database.query("SELECT count(*) FROM metering.usage_refusals"))
                    .isEqualTo("0");
        }
    }

    private static ReceivedEvent report(long requests) {
        var now = Instant.now();
        var payload = Json.object()
                .put("usage_id", Ids.next().toString())
                .put("org_id", ORG.toString())
                .put("tenant_id", TENANT.toString())
                .put("plan", "pro")
                .put("measured_at", now.toString())
                .put("api_requests", requests);
        var envelope = new Envelope(Ids.next(), "tenants.usage.reported", now, 1, "correlation", payload);
        return new ReceivedEvent(
                new ReceivedRecord("tenants.events", 0, 0, now, null, new byte[0], Map.of()), envelope);
    }
}

package dev.slipway.metering.usage;

import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
import dev.slipway.messaging.ReceivedRecord;
import dev.slipway.service.ServiceLevelIndicator;
import dev.slipway.telemetry.Telemetry;
import dev.slipway.testkit.Proves;
import io.micrometer.core.instrument.distribution.CountAtBucket;
import io.vertx.core.Future;
import org.junit.jupiter.api.Test;

import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static dev.slipway.metering.usage.UsageFixture.ORG;
import static dev.slipway.metering.usage.UsageFixture.await;
import static org.assertj.core.api.Assertions.assertThat;

class TenantUsageTest {
    private static final UUID TENANT = new UUID(7, 7);

    @Test
    void apply_countsTheFactsOfAReportOnce_forTheOrganization() {
        try (var fixture = new UsageFixture();
                var telemetry = Telemetry.start(Map.of())) {
            var consumer = new TenantUsageConsumer(
                    fixture.ingest, fixture.store, new UsageMetrics(telemetry.metrics(), Clock.systemUTC(), () -> 0));
            var first = report(Map.of("tenant_api_request", "250", "tenant_hour", "0.016666667"));
            var second = report(Map.of("tenant_api_request", "50"));
            for (var events : List.of(List.of(first), List.of(first, second), List.of(report(Map.of())))) {
                await(fixture.outbox.transaction(UsageFixture.context(), unit -> consumer.apply(unit, events)));
            }

            assertThat(fixture.database.query("""
                    SELECT string_agg(line, ', ' ORDER BY line) FROM (
                        SELECT unit || ' ' || trim_scale(sum(quantity)) || ' ' || org_id || ' ' || coalesce(project_id::text, '-') || ' '
                            || resource_type || ' ' || resource_id AS line
                        FROM metering.usage_facts GROUP BY unit, org_id, project_id, resource_type, resource_id) AS lines
                    """))
                    .isEqualTo("tenant_api_request 300 " + ORG + " - tenant " + TENANT + ", tenant_hour 0.016666667 "
                            + ORG + " - tenant " + TENANT);
            assertThat(fixture.differences()).isEqualTo("0");
            assertThat(fixture.database.query("SELECT count(*) FROM metering.usage_refusals"))
                    .isEqualTo("0");
        }
    }

    @Test
    @Proves("3.83")
    void apply_measuresTheTimeUntilAReportIsCounted_onceWhenItIsCommitted() {
        try (var fixture = new UsageFixture();
                var telemetry = Telemetry.start(Map.of())) {
            var consumer = new TenantUsageConsumer(
                    fixture.ingest, fixture.store, new UsageMetrics(telemetry.metrics(), Clock.systemUTC(), () -> 0));
            var now = Instant.now();
            var events = List.of(
                    report(Map.of("tenant_api_request", "1"), now),
                    report(Map.of("tenant_api_request", "2"), now.minusSeconds(86_400)));
            var failed = fixture.outbox.transaction(UsageFixture.context(), unit -> consumer.apply(unit, events)
                    .compose(ok -> Future.<Void>failedFuture("not committed")));
            await(failed.otherwiseEmpty());
            var timer = ServiceLevelIndicator.timer(telemetry.metrics(), ServiceLevelIndicator.USAGE_INGEST);
            assertThat(timer.count()).isZero();

            await(fixture.outbox.transaction(UsageFixture.context(), unit -> consumer.apply(unit, events)));

            assertThat(timer.count()).isEqualTo(2);
            // The objective counts what is within its threshold, whatever the machine's load: one report is a day old.
            assertThat(Stream.of(timer.takeSnapshot().histogramCounts())
                            .filter(bucket -> bucket.bucket(TimeUnit.SECONDS) == 60)
                            .mapToDouble(CountAtBucket::count))
                    .singleElement()
                    .isEqualTo(1.0);
        }
    }

    private static ReceivedEvent report(Map<String, String> quantities) {
        return report(quantities, Instant.now());
    }

    private static ReceivedEvent report(Map<String, String> quantities, Instant now) {
        var usageId = Ids.next();
        var payload = Json.object()
                .put("usage_id", usageId.toString())
                .put("org_id", ORG.toString())
                .put("tenant_id", TENANT.toString())
                .put("resource_type", "tenant")
                .put("resource_id", TENANT.toString())
                .put("window_start", now.minusSeconds(60).toString())
                .put("window_end", now.toString());
        var facts = payload.putArray("facts");
        quantities.forEach((unit, quantity) -> facts.addObject()
                .put("id", usageId + ":" + unit)
                .put("unit", unit)
                .put("quantity", quantity));
        var envelope = new Envelope(Ids.next(), "tenants.usage.reported", now, 1, "correlation", payload);
        return new ReceivedEvent(
                new ReceivedRecord("tenants.events", 0, 0, now, null, new byte[0], Map.of()), envelope);
    }
}

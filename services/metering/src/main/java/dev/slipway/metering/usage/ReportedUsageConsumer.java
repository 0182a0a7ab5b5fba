package dev.slipway.metering.usage;

import dev.slipway.contract.Envelope;
import dev.slipway.contract.Json;
import dev.slipway.messaging.ReceivedRecord;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.UUID;

/** Stores the usage that adapters report. */
public final class ReportedUsageConsumer {
    /** The payload of {@code apps.instance_usage.reported}. */
    record UsageReport(
            UUID appInstanceId,
            UUID usageId,
            UUID orgId,
            UUID projectId,
            String appSlug,
            String unit,
            BigDecimal quantity,
            Instant windowStart,
            Instant windowEnd) {}

    public Future<Void> apply(UnitOfWork unit, ReceivedRecord record, Envelope event) {
        if (event.eventType().equals("apps.instance_usage.reported")) {
            var report = Json.toRecord(event.payload(), UsageReport.class);
            ReportedUsageStore.insert(unit, report, event.correlationId());
        }
        return Future.succeededFuture();
    }
}

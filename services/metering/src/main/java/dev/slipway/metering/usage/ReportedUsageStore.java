package dev.slipway.metering.usage;

import dev.slipway.messaging.UnitOfWork;
import dev.slipway.metering.usage.ReportedUsageConsumer.UsageReport;
import io.vertx.sqlclient.Tuple;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;

/** Stores usage reports, each once by the id that its adapter chose. */
final class ReportedUsageStore {
    private static final String INSERT = """
            INSERT INTO reported_usage (app_instance_id, usage_id, org_id, project_id, app_slug, unit, quantity, window_start, window_end,
                correlation_id)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
            ON CONFLICT (app_instance_id, usage_id) DO NOTHING
            """;

    private ReportedUsageStore() {}

    static void insert(UnitOfWork unit, UsageReport report, String correlationId) {
        unit.write(INSERT, Tuple.from(new Object[] {
            report.appInstanceId(),
            report.usageId(),
            report.orgId(),
            report.projectId(),
            report.appSlug(),
            report.unit(),
            report.quantity(),
            time(report.windowStart()),
            time(report.windowEnd()),
            correlationId
        }));
    }

    private static OffsetDateTime time(Instant instant) {
        return instant.atOffset(ZoneOffset.UTC);
    }
}

package dev.slipway.metering.usage;

import dev.slipway.contract.Envelope;
import dev.slipway.messaging.Incoming;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;

import java.math.BigDecimal;
import java.time.OffsetDateTime;
import java.util.UUID;

/** Counts what adapters report, each once, by the id that they gave it. */
public final class ReportedUsageStore {
    private static final String COUNT = """
            INSERT INTO reported_usage (app_instance_id, usage_id, org_id, project_id, app_slug, unit, quantity, window_start, window_end,
                correlation_id)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
            ON CONFLICT (app_instance_id, usage_id) DO NOTHING
            """;

    public Future<Void> apply(UnitOfWork unit, Incoming record, Envelope event) {
        if (event.eventType().equals("apps.instance_usage.reported")) {
            unit.write(COUNT, Tuple.from(new Object[] {
                id(event, "app_instance_id"),
                id(event, "usage_id"),
                id(event, "org_id"),
                id(event, "project_id"),
                text(event, "app_slug"),
                text(event, "unit"),
                new BigDecimal(text(event, "quantity")),
                OffsetDateTime.parse(text(event, "window_start")),
                OffsetDateTime.parse(text(event, "window_end")),
                event.correlationId()
            }));
        }
        return Future.succeededFuture();
    }

    private static UUID id(Envelope event, String field) {
        return UUID.fromString(text(event, field));
    }

    private static String text(Envelope event, String field) {
        return event.payload().path(field).asText();
    }
}

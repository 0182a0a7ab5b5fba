package dev.slipway.catalog.launched;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Json;
import dev.slipway.messaging.InboxConsumer.Event;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Keeps instances from their events. Of an instance's events the one with the highest sequence tells how it is. */
public final class LaunchedStore {
    private static final String PREFIX = "apps.instance.";
    private static final String KEEP = """
            INSERT INTO launched_instances (id, org_id, project_id, app_slug, app_version, status, operating_mode,
                control_plane_scope, region, sku, gpu_count, policy_version, sequence)
            SELECT * FROM jsonb_to_recordset($1::text::jsonb) AS r (app_instance_id uuid, org_id uuid, project_id uuid, app_slug text,
                app_version text, status text, operating_mode text, control_plane_scope text, region text, sku text,
                gpu_count integer, policy_version text, sequence bigint)
            ON CONFLICT (id) DO UPDATE SET app_version = EXCLUDED.app_version, status = EXCLUDED.status, region = EXCLUDED.region,
                sku = EXCLUDED.sku, gpu_count = EXCLUDED.gpu_count, policy_version = EXCLUDED.policy_version,
                sequence = EXCLUDED.sequence
            WHERE launched_instances.sequence < EXCLUDED.sequence
            """;

    private static final String LIVE = """
            SELECT v.id, count(i.id) AS live
            FROM app_versions v JOIN app_catalog a ON a.id = v.app_id
            LEFT JOIN launched_instances i ON i.app_slug = a.slug AND i.app_version = v.version AND i.status <> 'deleted'
            WHERE v.id = ANY($1) GROUP BY v.id
            """;

    private final SqlClient reads;

    public LaunchedStore(SqlClient reads) {
        this.reads = reads;
    }

    public Future<Void> keep(UnitOfWork unit, List<Event> events) {
        var latest = new LinkedHashMap<String, JsonNode>();
        for (var event : events) {
            var payload = event.envelope().payload();
            // What an operation or a member did to an instance has no status of its own.
            if (event.envelope().eventType().startsWith(PREFIX)
                    && payload.path("status").isTextual()
                    && payload.has("app_version")) {
                latest.merge(
                        payload.path("app_instance_id").asText(),
                        payload,
                        (one, two) -> sequence(one) > sequence(two) ? one : two);
            }
        }
        if (!latest.isEmpty()) {
            var rows = Json.array();
            latest.values().forEach(payload -> rows.add(row(payload)));
            unit.write(KEEP, Tuple.of(Json.text(rows)));
        }
        return Future.succeededFuture();
    }

    Future<Map<UUID, Long>> live(List<UUID> versionIds) {
        return reads.preparedQuery(LIVE)
                .execute(Tuple.tuple().addArrayOfUUID(versionIds.toArray(UUID[]::new)))
                .map(rows -> {
                    var counts = new HashMap<UUID, Long>();
                    rows.forEach(row -> counts.put(row.getUUID("id"), row.getLong("live")));
                    return counts;
                });
    }

    private static JsonNode row(JsonNode payload) {
        var row = Json.object();
        for (var field : List.of(
                "app_instance_id",
                "org_id",
                "project_id",
                "app_slug",
                "app_version",
                "status",
                "operating_mode",
                "control_plane_scope",
                "policy_version",
                "sequence")) {
            row.set(field, payload.get(field));
        }
        var placement = payload.path("placement_intent");
        for (var field : List.of("region", "sku", "gpu_count")) {
            row.set(field, placement.get(field));
        }
        return row;
    }

    private static long sequence(JsonNode payload) {
        return payload.path("sequence").longValue();
    }
}

package dev.slipway.instances.appinstance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Cursor;
import dev.slipway.contract.Json;
import dev.slipway.instances.appinstance.domain.PastEvent;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Reads instances of all tenants with their events, in one statement, so that both are of the same time. */
public final class ConsistencyStore {
    private static final String LIST = """
            WITH chosen AS (
                SELECT i.id, i.created_at, i.updated_at, i.deleted_at, jsonb_build_object(
                    'id', i.id, 'resource_name', i.resource_name, 'org_id', i.org_id, 'project_id', i.project_id, 'app_slug', a.slug,
                    'version', v.version, 'display_name', i.display_name, 'operating_mode', i.operating_mode,
                    'control_plane_scope', i.control_plane_scope, 'tenant_boundary_mode', i.tenant_boundary_mode,
                    'runtime_backend', v.runtime_backend, 'status', i.status, 'requested_by_user_id', i.requested_by_user_id,
                    'requested_by_principal_id', i.requested_by_principal_id,
                    'operator_service_account_id', i.operator_service_account_id, 'runtime_state', i.runtime_state,
                    'failure_reason', i.failure_reason, 'placement_intent', i.placement_intent, 'policy_version', i.policy_version,
                    'config', i.config, 'generation', i.generation, 'sequence', i.sequence)
                    || CASE WHEN i.registry_versions IS NULL THEN '{}'
                            ELSE jsonb_build_object('registry_versions', i.registry_versions) END AS state
                FROM app_instances i JOIN app_catalog a ON a.id = i.app_id JOIN app_versions v ON v.id = i.app_version_id
                WHERE i.created_at >= $1 AND i.created_at < $2
                    AND ($3::timestamptz IS NULL OR (i.created_at, i.id) > ($3, $4::uuid))
                ORDER BY i.created_at, i.id LIMIT $5)
            SELECT c.id, c.created_at, c.updated_at, c.deleted_at, e.sequence, e.event_type, e.occurred_at,
                   CASE WHEN row_number() OVER (PARTITION BY c.id ORDER BY e.sequence) = 1 THEN c.state::text END AS state,
                   CASE WHEN e.event_type LIKE 'apps.instance.%' THEN e.payload::text
                        ELSE jsonb_strip_nulls(jsonb_build_object('instance_generation', e.payload -> 'instance_generation'))::text
                   END AS payload
            FROM chosen c LEFT JOIN instance_events e ON e.app_instance_id = c.id
            ORDER BY c.created_at, c.id, e.sequence
            """;

    private final SqlClient reads;

    /** The row of an instance, as JSON texts by their names in responses, and all of its events. */
    record StoredInstance(UUID id, Instant createdAt, Map<String, String> row, List<PastEvent> events) {}

    public ConsistencyStore(SqlClient reads) {
        this.reads = reads;
    }

    /** Returns the next instances that were created in the range, the oldest first. */
    Future<List<StoredInstance>> list(Instant from, Instant to, @Nullable Cursor after, int size) {
        var parameters = Tuple.of(
                from.atOffset(ZoneOffset.UTC),
                to.atOffset(ZoneOffset.UTC),
                after == null ? null : after.createdAt().atOffset(ZoneOffset.UTC),
                after == null ? null : after.id(),
                size);
        return reads.preparedQuery(LIST).execute(parameters).map(rows -> {
            var found = new LinkedHashMap<UUID, StoredInstance>();
            rows.forEach(row -> {
                var stored = found.computeIfAbsent(row.getUUID("id"), id -> toStored(id, row));
                if (row.getLong("sequence") != null) {
                    stored.events.add(toEvent(row));
                }
            });
            return new ArrayList<>(found.values());
        });
    }

    private static StoredInstance toStored(UUID id, Row row) {
        var state = Json.parseStoredObject(row.getString("state"));
        var fields = new HashMap<String, String>();
        state.properties().forEach(field -> fields.put(field.getKey(), Json.text(field.getValue())));
        for (var time : List.of("created_at", "updated_at", "deleted_at")) {
            fields.put(time, time(row, time));
        }
        return new StoredInstance(id, row.getOffsetDateTime("created_at").toInstant(), fields, new ArrayList<>());
    }

    private static String time(Row row, String column) {
        var at = row.getOffsetDateTime(column);
        return at == null ? "null" : "\"" + at.toInstant() + "\"";
    }

    private static PastEvent toEvent(Row row) {
        JsonNode payload = Json.parseStoredObject(row.getString("payload"));
        return HistoryJson.pastEvent(
                row.getString("event_type"),
                row.getLong("sequence"),
                row.getOffsetDateTime("occurred_at").toInstant(),
                payload);
    }
}

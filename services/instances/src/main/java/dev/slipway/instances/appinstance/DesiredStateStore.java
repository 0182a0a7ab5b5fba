package dev.slipway.instances.appinstance;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Cursor;
import dev.slipway.contract.Json;
import dev.slipway.operations.CommandStore;
import dev.slipway.service.Page;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.UUID;

/** Reads the desired state of all instances of a backend, across tenants, for its adapter. */
public final class DesiredStateStore {
    private static final String LIST = """
            SELECT i.id, i.created_at, jsonb_build_object('app_instance_id', i.id, 'org_id', i.org_id, 'project_id', i.project_id,
                'app_slug', a.slug, 'app_version', v.version, 'resource_name', i.resource_name,
                'operator_service_account_id', i.operator_service_account_id, 'generation', i.generation, 'status', i.status,
                'desired', CASE i.status WHEN 'deleting' THEN 'deleted' ELSE 'running' END, 'manifest', v.manifest, 'config', i.config,
                'placement_intent', i.placement_intent,
                'members', coalesce((SELECT jsonb_agg(jsonb_build_object('member_id', m.id, 'component', m.component,
                        'generation', m.generation, 'component_key', m.component_key, 'desired_state', m.desired_state,
                        'labels', m.labels, 'cordoned', m.cordoned)
                        ORDER BY m.created_at, m.id)
                    FROM app_instance_members m WHERE m.app_instance_id = i.id AND m.observed_state <> 'removed'), '[]'),
                'command_id', last.command_id, 'correlation_id', last.correlation_id,
                'open_commands', coalesce((SELECT jsonb_agg(jsonb_build_object('event_id', c.command_id, 'event_type', c.event_type,
                        'occurred_at', to_char(c.occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'version', 1,
                        'correlation_id', c.correlation_id, 'payload', c.payload, 'traceparent', c.traceparent) ORDER BY c.occurred_at)
                    FROM runtime_commands c WHERE c.app_instance_id = i.id
                        AND (c.due_at IS NOT NULL OR c.event_type NOT %1$s)), '[]'))::text AS item
            FROM app_instances i JOIN app_catalog a ON a.id = i.app_id JOIN app_versions v ON v.id = i.app_version_id
            LEFT JOIN runtime_commands last ON last.app_instance_id = i.id AND last.event_type %1$s
            WHERE v.runtime_backend = $1 AND i.status <> 'deleted'
            AND ($2::timestamptz IS NULL OR (i.created_at, i.id) < ($2, $3::uuid))
            ORDER BY i.created_at DESC, i.id DESC LIMIT $4
            """.formatted(CommandStore.STARTS_GENERATION);

    private final SqlClient reads;

    public DesiredStateStore(SqlClient reads) {
        this.reads = reads;
    }

    private record DesiredInstance(Cursor at, ObjectNode item) {}

    public Future<Page<ObjectNode>> list(String backend, @Nullable Cursor after, int limit) {
        var parameters = Tuple.of(
                backend,
                after == null ? null : after.createdAt().atOffset(java.time.ZoneOffset.UTC),
                after == null ? null : after.id(),
                limit + 1);
        return reads.preparedQuery(LIST).execute(parameters).map(rows -> {
            var found = new ArrayList<DesiredInstance>(rows.size());
            rows.forEach(row -> found.add(fromRow(row)));
            var page = Page.of(found, limit, DesiredInstance::at);
            return new Page<>(page.items().stream().map(DesiredInstance::item).toList(), page.next());
        });
    }

    private static DesiredInstance fromRow(Row row) {
        UUID id = row.getUUID("id");
        var at = new Cursor(row.getOffsetDateTime("created_at").toInstant(), id);
        return new DesiredInstance(at, Json.parseStoredObject(row.getString("item")));
    }
}

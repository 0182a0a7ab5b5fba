package dev.slipway.instances.appinstance;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Cursor;
import dev.slipway.contract.Json;
import dev.slipway.messaging.SqlTime;
import dev.slipway.operations.CommandStore;
import dev.slipway.service.Page;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;

/** Reads the desired state of all instances and shared runtimes of a backend, across tenants, for its adapter. */
public final class DesiredStateStore {
    /** The parts that instances and shared runtimes have in common; their own fields take the place of <code>{fields}</code>. */
    private static final String LIST = """
            SELECT s.id, s.created_at, jsonb_build_object('org_id', s.org_id, 'app_slug', a.slug, 'app_version', v.version,
                'resource_name', s.resource_name, 'generation', s.generation, 'status', s.status,
                'desired', CASE s.status WHEN 'deleting' THEN 'deleted' ELSE 'running' END, 'manifest', v.manifest, 'config', s.config,
                'placement_intent', s.placement_intent, {fields},
                'command_id', last.command_id, 'correlation_id', last.correlation_id,
                'open_commands', coalesce((SELECT jsonb_agg(jsonb_build_object('event_id', c.command_id, 'event_type', c.event_type,
                        'occurred_at', to_char(c.occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'version', 1,
                        'correlation_id', c.correlation_id, 'payload', c.payload, 'traceparent', c.traceparent) ORDER BY c.occurred_at)
                    FROM {commands} c WHERE c.{id} = s.id
                        AND (c.due_at IS NOT NULL OR c.event_type NOT {starts_generation})), '[]'))::text AS item
            FROM {subjects} s JOIN app_catalog a ON a.id = s.app_id JOIN app_versions v ON v.id = s.app_version_id
            LEFT JOIN {commands} last ON last.{id} = s.id AND last.event_type {starts_generation}
            WHERE v.runtime_backend = $1 AND s.status <> 'deleted'
            AND ($2::timestamptz IS NULL OR (s.created_at, s.id) < ($2, $3::uuid))
            ORDER BY s.created_at DESC, s.id DESC LIMIT $4
            """.replace("{starts_generation}", CommandStore.STARTS_GENERATION);

    private static final String LIST_INSTANCES = fill("app_instances", "app_instance_id", "runtime_commands", """
            'app_instance_id', s.id, 'project_id', s.project_id, 'operator_service_account_id', s.operator_service_account_id,
                'members', coalesce((SELECT jsonb_agg(jsonb_build_object('member_id', m.id, 'component', m.component,
                        'generation', m.generation, 'component_key', m.component_key, 'desired_state', m.desired_state,
                        'labels', m.labels, 'cordoned', m.cordoned)
                        ORDER BY m.created_at, m.id)
                    FROM app_instance_members m WHERE m.app_instance_id = s.id AND m.observed_state <> 'removed'), '[]')""");

    private static final String LIST_SHARED_RUNTIMES =
            fill("shared_runtimes", "shared_runtime_id", "shared_runtime_commands", """
            'shared_runtime_id', s.id, 'operator_id', s.operator_id,
                'members', coalesce((SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object('member_id', w.id, 'component', w.component,
                        'generation', w.generation, 'component_key', w.component_key, 'desired_state', w.desired_state,
                        'labels', w.labels, 'cordoned', w.cordoned, 'source', w.source, 'source_project_id', w.source_project_id,
                        'attachment_id', w.attachment_id, 'allocation_ref', w.allocation_ref, 'region', w.region, 'sku', w.sku))
                        ORDER BY w.created_at, w.id)
                    FROM shared_runtime_workers w WHERE w.shared_runtime_id = s.id AND w.observed_state <> 'removed'), '[]'),
                'attachments', coalesce((SELECT jsonb_agg(jsonb_build_object('attachment_id', t.id, 'project_id', t.project_id,
                        'contribution_policy', coalesce(t.contribution_policy, s.contribution_policy),
                        'submission_policy', coalesce(t.submission_policy, s.submission_policy), 'app_policy', t.app_policy)
                        ORDER BY t.created_at, t.id)
                    FROM shared_runtime_attachments t WHERE t.shared_runtime_id = s.id AND t.status <> 'detached'), '[]')""");

    private final SqlClient reads;

    public DesiredStateStore(SqlClient reads) {
        this.reads = reads;
    }

    private record DesiredItem(Cursor at, ObjectNode item) {}

    private static String fill(String subjects, String id, String commands, String fields) {
        return LIST.replace("{subjects}", subjects)
                .replace("{id}", id)
                .replace("{commands}", commands)
                .replace("{fields}", fields);
    }

    public Future<Page<ObjectNode>> listInstances(String backend, @Nullable Cursor after, int limit) {
        return list(LIST_INSTANCES, backend, after, limit);
    }

    public Future<Page<ObjectNode>> listSharedRuntimes(String backend, @Nullable Cursor after, int limit) {
        return list(LIST_SHARED_RUNTIMES, backend, after, limit);
    }

    private Future<Page<ObjectNode>> list(String statement, String backend, @Nullable Cursor after, int limit) {
        var parameters = Tuple.of(
                backend,
                after == null ? null : SqlTime.of(after.createdAt()),
                after == null ? null : after.id(),
                limit + 1);
        return reads.preparedQuery(statement).execute(parameters).map(rows -> {
            var found = new ArrayList<DesiredItem>(rows.size());
            rows.forEach(row -> found.add(fromRow(row)));
            var page = Page.of(found, limit, DesiredItem::at);
            return new Page<>(page.items().stream().map(DesiredItem::item).toList(), page.next());
        });
    }

    private static DesiredItem fromRow(Row row) {
        var at = new Cursor(SqlTime.read(row, "created_at"), row.getUUID("id"));
        return new DesiredItem(at, Json.parseStoredObject(row.getString("item")));
    }
}

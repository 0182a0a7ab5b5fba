package dev.slipway.instances.sharedruntime;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Cursor;
import dev.slipway.contract.Json;
import dev.slipway.operations.CommandStore;
import dev.slipway.service.Page;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.ZoneOffset;
import java.util.ArrayList;

/** Reads the desired state of all shared runtimes of a backend, across tenants, for its adapter. */
public final class DesiredRuntimeStore {
    private static final String LIST = """
            SELECT r.id, r.created_at, jsonb_build_object('shared_runtime_id', r.id, 'org_id', r.org_id, 'app_slug', a.slug,
                'app_version', v.version, 'resource_name', r.resource_name, 'operator_id', r.operator_id, 'generation', r.generation,
                'status', r.status, 'desired', CASE r.status WHEN 'deleting' THEN 'deleted' ELSE 'running' END, 'manifest', v.manifest,
                'config', r.config, 'placement_intent', r.placement_intent,
                'members', coalesce((SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object('member_id', w.id, 'component', w.component,
                        'generation', w.generation, 'component_key', w.component_key, 'desired_state', w.desired_state,
                        'labels', w.labels, 'cordoned', w.cordoned, 'source', w.source, 'source_project_id', w.source_project_id, 'attachment_id', w.attachment_id,
                        'allocation_ref', w.allocation_ref, 'region', w.region, 'sku', w.sku)) ORDER BY w.created_at, w.id)
                    FROM shared_runtime_workers w WHERE w.shared_runtime_id = r.id AND w.observed_state <> 'removed'), '[]'),
                'attachments', coalesce((SELECT jsonb_agg(jsonb_build_object('attachment_id', t.id, 'project_id', t.project_id,
                        'contribution_policy', coalesce(t.contribution_policy, r.contribution_policy),
                        'submission_policy', coalesce(t.submission_policy, r.submission_policy), 'app_policy', t.app_policy)
                        ORDER BY t.created_at, t.id)
                    FROM shared_runtime_attachments t WHERE t.shared_runtime_id = r.id AND t.status <> 'detached'), '[]'),
                'command_id', last.command_id, 'correlation_id', last.correlation_id,
                'open_commands', coalesce((SELECT jsonb_agg(jsonb_build_object('event_id', c.command_id, 'event_type', c.event_type,
                        'occurred_at', to_char(c.occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'version', 1,
                        'correlation_id', c.correlation_id, 'payload', c.payload, 'traceparent', c.traceparent) ORDER BY c.occurred_at)
                    FROM shared_runtime_commands c WHERE c.shared_runtime_id = r.id
                        AND (c.due_at IS NOT NULL OR c.event_type NOT %1$s)), '[]'))::text AS item
            FROM shared_runtimes r JOIN app_catalog a ON a.id = r.app_id JOIN app_versions v ON v.id = r.app_version_id
            LEFT JOIN shared_runtime_commands last ON last.shared_runtime_id = r.id AND last.event_type %1$s
            WHERE v.runtime_backend = $1 AND r.status <> 'deleted'
            AND ($2::timestamptz IS NULL OR (r.created_at, r.id) < ($2, $3::uuid))
            ORDER BY r.created_at DESC, r.id DESC LIMIT $4
            """.formatted(CommandStore.STARTS_GENERATION);

    private final SqlClient reads;

    public DesiredRuntimeStore(SqlClient reads) {
        this.reads = reads;
    }

    private record DesiredRuntime(Cursor at, ObjectNode item) {}

    public Future<Page<ObjectNode>> list(String backend, @Nullable Cursor after, int limit) {
        var parameters = Tuple.of(
                backend,
                after == null ? null : after.createdAt().atOffset(ZoneOffset.UTC),
                after == null ? null : after.id(),
                limit + 1);
        return reads.preparedQuery(LIST).execute(parameters).map(rows -> {
            var found = new ArrayList<DesiredRuntime>(rows.size());
            rows.forEach(row -> found.add(new DesiredRuntime(
                    new Cursor(row.getOffsetDateTime("created_at").toInstant(), row.getUUID("id")),
                    Json.parseStoredObject(row.getString("item")))));
            var page = Page.of(found, limit, DesiredRuntime::at);
            return new Page<>(page.items().stream().map(DesiredRuntime::item).toList(), page.next());
        });
    }
}

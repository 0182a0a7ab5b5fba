package dev.slipway.iam.token;

import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Reads an adapter's credentials together with the command that it requests a token for, in one statement. */
public final class AdapterTokenStore {
    /** The actions of a task token for an instance. */
    private static final List<String> INSTANCE_TASK_ACTIONS = List.of("apps.instance.report", "apps.instance.read");

    private static final String ADAPTER =
            "SELECT a.display_name, a.disabled_at, c.id AS credential_id, c.secret_hash, c.last_used_at, ";
    private static final String CREDENTIALS = """
            JOIN credentials c ON c.owner_id = a.id AND c.owner_kind = 'adapter' AND c.revoked_at IS NULL
                AND (c.expires_at IS NULL OR c.expires_at > now())
            WHERE a.id = $1
            """;
    private static final String FOR_INSTANCE = ADAPTER + """
            o.operator_service_account_id AS subject_id, o.org_id, o.project_id, NULL::text[] AS actions,
            t.command_id IS NOT NULL OR NOT o.commands_known AS command_known, t.ended_at,
            EXISTS (SELECT FROM instance_operators x WHERE x.app_instance_id = $2 AND x.runtime_backend <> a.runtime_backend) AS other_backend
            FROM adapters a
            LEFT JOIN instance_operators o ON o.app_instance_id = $2 AND o.runtime_backend = a.runtime_backend
            LEFT JOIN runtime_tasks t ON t.command_id = $3 AND t.subject_id = $2
            """ + CREDENTIALS;
    private static final String FOR_SHARED_RUNTIME = ADAPTER + """
            o.id AS subject_id, o.org_id, NULL::uuid AS project_id, o.allowed_actions AS actions,
            t.command_id IS NOT NULL AS command_known, t.ended_at,
            EXISTS (SELECT FROM shared_runtime_operators x WHERE x.org_id = $2 AND x.shared_runtime_id = $3
                AND x.runtime_backend <> a.runtime_backend) AS other_backend
            FROM adapters a
            LEFT JOIN shared_runtime_operators o ON o.org_id = $2 AND o.shared_runtime_id = $3 AND o.state = 'active'
                AND o.runtime_backend = a.runtime_backend
            LEFT JOIN runtime_tasks t ON t.command_id = $4 AND t.subject_id = $3
            """ + CREDENTIALS;

    /**
     * An adapter with its active credentials, and the subject of the task token if its backend has the resource.
     *
     * @param otherBackend whether the resource belongs to another backend
     */
    record AdapterWithCredentials(
            String adapterName,
            boolean disabled,
            List<ActiveCredential> credentials,
            @Nullable TokenSubject subject,
            boolean otherBackend) {}

    record ActiveCredential(
            UUID id, byte[] secretHash, @Nullable Instant lastUsedAt) {}

    /**
     * The operator service account of an instance's project, or the operator of a shared runtime, which has no project.
     *
     * @param commandKnown whether the instance or shared runtime has the command
     * @param commandEndedAt when the command ended; null if it has not
     */
    record TokenSubject(
            UUID id,
            UUID orgId,
            @Nullable UUID projectId,
            List<String> actions,
            boolean commandKnown,
            @Nullable Instant commandEndedAt) {}

    Future<@Nullable AdapterWithCredentials> find(UnitOfWork unit, UUID adapterId) {
        return findForInstance(unit, adapterId, null, null);
    }

    Future<@Nullable AdapterWithCredentials> findForInstance(
            UnitOfWork unit, UUID adapterId, @Nullable UUID instanceId, @Nullable UUID commandId) {
        return unit.query(FOR_INSTANCE, Tuple.of(adapterId, instanceId, commandId))
                .map(AdapterTokenStore::toAdapter);
    }

    Future<@Nullable AdapterWithCredentials> findForSharedRuntime(
            UnitOfWork unit, UUID adapterId, UUID orgId, UUID sharedRuntimeId, UUID commandId) {
        return unit.query(FOR_SHARED_RUNTIME, Tuple.of(adapterId, orgId, sharedRuntimeId, commandId))
                .map(AdapterTokenStore::toAdapter);
    }

    private static @Nullable AdapterWithCredentials toAdapter(RowSet<Row> rows) {
        if (rows.size() == 0) {
            return null;
        }
        var active = new ArrayList<ActiveCredential>(rows.size());
        rows.forEach(row -> active.add(toActiveCredential(row)));
        var row = rows.iterator().next();
        return new AdapterWithCredentials(
                row.getString("display_name"),
                row.getOffsetDateTime("disabled_at") != null,
                active,
                toSubject(row),
                row.getBoolean("other_backend"));
    }

    private static @Nullable TokenSubject toSubject(Row row) {
        var id = row.getUUID("subject_id");
        var actions = row.getArrayOfStrings("actions");
        return id == null
                ? null
                : new TokenSubject(
                        id,
                        row.getUUID("org_id"),
                        row.getUUID("project_id"),
                        actions == null ? INSTANCE_TASK_ACTIONS : List.of(actions),
                        row.getBoolean("command_known"),
                        instant(row, "ended_at"));
    }

    private static ActiveCredential toActiveCredential(Row row) {
        return new ActiveCredential(
                row.getUUID("credential_id"), row.getBuffer("secret_hash").getBytes(), instant(row, "last_used_at"));
    }

    private static @Nullable Instant instant(Row row, String column) {
        var time = row.getOffsetDateTime(column);
        return time == null ? null : time.toInstant();
    }
}

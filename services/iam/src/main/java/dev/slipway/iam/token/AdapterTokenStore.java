package dev.slipway.iam.token;

import dev.slipway.contract.Json;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
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
import java.util.function.Function;

/** All SQL of adapter tasks and of the principals that adapters act as. */
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
            o.operator_service_account_id AS speaker_id, o.org_id, o.project_id, NULL::text[] AS actions
            FROM adapters a
            LEFT JOIN instance_operators o ON o.app_instance_id = $2 AND o.runtime_backend = a.runtime_backend
            """ + CREDENTIALS;
    private static final String FOR_SHARED_RUNTIME = ADAPTER + """
            o.id AS speaker_id, o.org_id, NULL::uuid AS project_id, o.allowed_actions AS actions
            FROM adapters a
            LEFT JOIN shared_runtime_operators o ON o.org_id = $2 AND o.shared_runtime_id = $3 AND o.state = 'active'
                AND o.runtime_backend = a.runtime_backend
            """ + CREDENTIALS;
    private static final String INSERT_LAUNCHES = """
            INSERT INTO instance_operators (app_instance_id, org_id, project_id, operator_service_account_id, runtime_backend)
            SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[]) ON CONFLICT DO NOTHING
            """;

    /** An adapter with its active credentials, and the subject of the task token if its backend has the resource. */
    record AdapterWithCredentials(
            String adapterName,
            boolean disabled,
            List<ActiveCredential> credentials,
            @Nullable TokenSubject subject) {}

    /** The payload of {@code apps.instance.requested}, as far as it is used here. */
    private record InstanceRequested(
            UUID appInstanceId, UUID orgId, UUID projectId, UUID operatorServiceAccountId, String runtimeBackend) {}

    record ActiveCredential(
            UUID id, byte[] secretHash, @Nullable Instant lastUsedAt) {}

    /** The operator service account of an instance's project, or the operator of a shared runtime, which has no project. */
    record TokenSubject(UUID id, UUID orgId, @Nullable UUID projectId, List<String> actions) {}

    Future<@Nullable AdapterWithCredentials> find(UnitOfWork unit, UUID adapterId) {
        return findForInstance(unit, adapterId, null);
    }

    Future<@Nullable AdapterWithCredentials> findForInstance(
            UnitOfWork unit, UUID adapterId, @Nullable UUID instanceId) {
        return unit.query(FOR_INSTANCE, Tuple.of(adapterId, instanceId)).map(AdapterTokenStore::toAdapter);
    }

    Future<@Nullable AdapterWithCredentials> findForSharedRuntime(
            UnitOfWork unit, UUID adapterId, UUID orgId, UUID sharedRuntimeId) {
        return unit.query(FOR_SHARED_RUNTIME, Tuple.of(adapterId, orgId, sharedRuntimeId))
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
                row.getString("display_name"), row.getOffsetDateTime("disabled_at") != null, active, toSubject(row));
    }

    private static @Nullable TokenSubject toSubject(Row row) {
        var id = row.getUUID("speaker_id");
        var actions = row.getArrayOfStrings("actions");
        return id == null
                ? null
                : new TokenSubject(
                        id,
                        row.getUUID("org_id"),
                        row.getUUID("project_id"),
                        actions == null ? INSTANCE_TASK_ACTIONS : List.of(actions));
    }

    /** Stores which service account operates each launched instance, from the events of the launches. */
    public Future<Void> recordLaunches(UnitOfWork unit, List<ReceivedEvent> events) {
        var launches = events.stream()
                .map(ReceivedEvent::envelope)
                .filter(event -> event.eventType().equals("apps.instance.requested"))
                .map(event -> Json.toRecord(event.payload(), InstanceRequested.class))
                .toList();
        if (!launches.isEmpty()) {
            unit.write(
                    INSERT_LAUNCHES,
                    Tuple.of(
                            ids(launches, InstanceRequested::appInstanceId),
                            ids(launches, InstanceRequested::orgId),
                            ids(launches, InstanceRequested::projectId),
                            ids(launches, InstanceRequested::operatorServiceAccountId),
                            launches.stream()
                                    .map(InstanceRequested::runtimeBackend)
                                    .toArray(String[]::new)));
        }
        return Future.succeededFuture();
    }

    private static UUID[] ids(List<InstanceRequested> launches, Function<InstanceRequested, UUID> id) {
        return launches.stream().map(id).toArray(UUID[]::new);
    }

    private static ActiveCredential toActiveCredential(Row row) {
        var lastUsedAt = row.getOffsetDateTime("last_used_at");
        return new ActiveCredential(
                row.getUUID("credential_id"),
                row.getBuffer("secret_hash").getBytes(),
                lastUsedAt == null ? null : lastUsedAt.toInstant());
    }
}

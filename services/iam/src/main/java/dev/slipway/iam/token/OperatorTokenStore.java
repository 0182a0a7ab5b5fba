package dev.slipway.iam.token;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Envelope;
import dev.slipway.messaging.InboxConsumer.Event;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** All SQL of adapters' tasks and of the identities that speak for what the tasks are on. */
public final class OperatorTokenStore {
    /** What the speaker of an instance may do with the token of a task. */
    private static final List<String> OF_INSTANCE = List.of("apps.instance.report", "apps.instance.read");

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
    private static final String KEEP = """
            INSERT INTO instance_operators (app_instance_id, org_id, project_id, operator_service_account_id, runtime_backend)
            SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[]) ON CONFLICT DO NOTHING
            """;

    /** An adapter, its live credentials, and if its backend has what it asks for, who speaks for that. */
    record Candidate(
            String adapterName,
            boolean disabled,
            List<Live> credentials,
            @Nullable Speaker speaker) {}

    record Live(UUID id, Buffer secretHash, @Nullable Instant lastUsedAt) {}

    /** The service account of an instance's project, or the operator of a shared runtime, which has no project but actions of its own. */
    record Speaker(UUID id, UUID orgId, @Nullable UUID projectId, List<String> actions) {}

    Future<@Nullable Candidate> find(UnitOfWork unit, UUID adapterId) {
        return forInstance(unit, adapterId, null);
    }

    Future<@Nullable Candidate> forInstance(UnitOfWork unit, UUID adapterId, @Nullable UUID instanceId) {
        return unit.query(FOR_INSTANCE, Tuple.of(adapterId, instanceId)).map(OperatorTokenStore::candidate);
    }

    Future<@Nullable Candidate> forSharedRuntime(UnitOfWork unit, UUID adapterId, UUID orgId, UUID sharedRuntimeId) {
        return unit.query(FOR_SHARED_RUNTIME, Tuple.of(adapterId, orgId, sharedRuntimeId))
                .map(OperatorTokenStore::candidate);
    }

    private static @Nullable Candidate candidate(RowSet<Row> rows) {
        if (rows.size() == 0) {
            return null;
        }
        var live = new ArrayList<Live>(rows.size());
        rows.forEach(row -> live.add(live(row)));
        var row = rows.iterator().next();
        return new Candidate(
                row.getString("display_name"), row.getOffsetDateTime("disabled_at") != null, live, speaker(row));
    }

    private static @Nullable Speaker speaker(Row row) {
        var id = row.getUUID("speaker_id");
        var actions = row.getArrayOfStrings("actions");
        return id == null
                ? null
                : new Speaker(
                        id,
                        row.getUUID("org_id"),
                        row.getUUID("project_id"),
                        actions == null ? OF_INSTANCE : List.of(actions));
    }

    /** Keeps who speaks for which instance, from the events of their launches. */
    public Future<Void> keep(UnitOfWork unit, List<Event> events) {
        var launches = events.stream()
                .map(Event::envelope)
                .filter(event -> event.eventType().equals("apps.instance.requested"))
                .map(Envelope::payload)
                .toList();
        if (!launches.isEmpty()) {
            unit.write(
                    KEEP,
                    Tuple.of(
                            ids(launches, "app_instance_id"),
                            ids(launches, "org_id"),
                            ids(launches, "project_id"),
                            ids(launches, "operator_service_account_id"),
                            launches.stream()
                                    .map(launch ->
                                            launch.path("runtime_backend").asText())
                                    .toArray(String[]::new)));
        }
        return Future.succeededFuture();
    }

    private static UUID[] ids(List<ObjectNode> payloads, String field) {
        return payloads.stream()
                .map(payload -> UUID.fromString(payload.path(field).asText()))
                .toArray(UUID[]::new);
    }

    private static Live live(Row row) {
        var lastUsedAt = row.getOffsetDateTime("last_used_at");
        return new Live(
                row.getUUID("credential_id"),
                row.getBuffer("secret_hash"),
                lastUsedAt == null ? null : lastUsedAt.toInstant());
    }
}

package dev.slipway.iam.token;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Envelope;
import dev.slipway.messaging.InboxConsumer.Event;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** All SQL of adapters' tasks and of the identities that speak for instances. */
public final class OperatorTokenStore {
    private static final String FIND = """
            SELECT a.display_name, a.disabled_at, o.org_id, o.project_id, o.operator_service_account_id,
                   c.id AS credential_id, c.secret_hash, c.last_used_at
            FROM adapters a
            LEFT JOIN instance_operators o ON o.app_instance_id = $2 AND o.runtime_backend = a.runtime_backend
            JOIN credentials c ON c.owner_id = a.id AND c.owner_kind = 'adapter' AND c.revoked_at IS NULL
                AND (c.expires_at IS NULL OR c.expires_at > now())
            WHERE a.id = $1
            """;
    private static final String KEEP = """
            INSERT INTO instance_operators (app_instance_id, org_id, project_id, operator_service_account_id, runtime_backend)
            SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[]) ON CONFLICT DO NOTHING
            """;

    /** An adapter, its live credentials, and if its backend has the instance that it asks for, who speaks for it. */
    record Candidate(
            String adapterName,
            boolean disabled,
            List<Live> credentials,
            @Nullable Operator operator) {}

    record Live(UUID id, Buffer secretHash, @Nullable Instant lastUsedAt) {}

    record Operator(UUID orgId, UUID projectId, UUID serviceAccountId) {}

    Future<@Nullable Candidate> find(UnitOfWork unit, UUID adapterId, @Nullable UUID instanceId) {
        return unit.query(FIND, Tuple.of(adapterId, instanceId)).map(rows -> {
            if (rows.size() == 0) {
                return null;
            }
            var live = new ArrayList<Live>(rows.size());
            rows.forEach(row -> live.add(live(row)));
            var row = rows.iterator().next();
            var project = row.getUUID("project_id");
            return new Candidate(
                    row.getString("display_name"),
                    row.getOffsetDateTime("disabled_at") != null,
                    live,
                    project == null
                            ? null
                            : new Operator(row.getUUID("org_id"), project, row.getUUID("operator_service_account_id")));
        });
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

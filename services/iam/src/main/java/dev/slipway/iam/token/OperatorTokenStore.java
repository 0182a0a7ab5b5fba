package dev.slipway.iam.token;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Envelope;
import dev.slipway.messaging.InboxConsumer.Event;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.UUID;

/** All SQL of adapters and of the identities that speak for instances. */
public final class OperatorTokenStore {
    private static final String FIND = """
            SELECT a.secret_hash, a.display_name, a.runtime_backend, o.org_id, o.project_id, o.operator_service_account_id
            FROM adapters a
            LEFT JOIN instance_operators o ON o.app_instance_id = $2 AND o.runtime_backend = a.runtime_backend
            WHERE a.id = $1
            """;
    private static final String KEEP = """
            INSERT INTO instance_operators (app_instance_id, org_id, project_id, operator_service_account_id, runtime_backend)
            SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[]) ON CONFLICT DO NOTHING
            """;

    /** An adapter and, if its backend has the instance, who speaks for it. */
    record Candidate(
            Buffer secretHash, String adapterName, @Nullable Operator operator) {}

    record Operator(UUID orgId, UUID projectId, UUID serviceAccountId) {}

    Future<@Nullable Candidate> find(UnitOfWork unit, UUID adapterId, UUID instanceId) {
        return unit.query(FIND, Tuple.of(adapterId, instanceId)).map(rows -> {
            if (rows.size() == 0) {
                return null;
            }
            var row = rows.iterator().next();
            var project = row.getUUID("project_id");
            return new Candidate(
                    row.getBuffer("secret_hash"),
                    row.getString("display_name"),
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
}

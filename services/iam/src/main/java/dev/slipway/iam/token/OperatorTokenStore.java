package dev.slipway.iam.token;

import dev.slipway.contract.Envelope;
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
            VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING
            """;

    /** An adapter, its live credentials, and if its backend has the instance, who speaks for it. */
    record Candidate(
            String adapterName,
            boolean disabled,
            List<Live> credentials,
            @Nullable Operator operator) {}

    record Live(UUID id, Buffer secretHash, @Nullable Instant lastUsedAt) {}

    record Operator(UUID orgId, UUID projectId, UUID serviceAccountId) {}

    Future<@Nullable Candidate> find(UnitOfWork unit, UUID adapterId, UUID instanceId) {
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

    /** Keeps who speaks for an instance, from the event of its launch. */
    public void keep(UnitOfWork unit, Envelope event) {
        if (event.eventType().equals("apps.instance.requested")) {
            var payload = event.payload();
            unit.write(
                    KEEP,
                    Tuple.of(
                            UUID.fromString(payload.path("app_instance_id").asText()),
                            UUID.fromString(payload.path("org_id").asText()),
                            UUID.fromString(payload.path("project_id").asText()),
                            UUID.fromString(
                                    payload.path("operator_service_account_id").asText()),
                            payload.path("runtime_backend").asText()));
        }
    }

    private static Live live(Row row) {
        var lastUsedAt = row.getOffsetDateTime("last_used_at");
        return new Live(
                row.getUUID("credential_id"),
                row.getBuffer("secret_hash"),
                lastUsedAt == null ? null : lastUsedAt.toInstant());
    }
}

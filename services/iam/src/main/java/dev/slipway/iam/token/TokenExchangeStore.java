package dev.slipway.iam.token;

import dev.slipway.contract.domain.ResourceState;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.iam.credential.domain.CredentialOwner.Kind;
import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** Reads a credential together with its owner, in one statement. */
public final class TokenExchangeStore {
    private static final String CREDENTIAL = "SELECT c.secret_hash, c.expires_at, c.revoked_at, c.last_used_at, ";
    private static final String OF_SERVICE_ACCOUNT = CREDENTIAL + """
            a.id, a.display_name, a.org_id, a.project_id, NULL::uuid AS shared_runtime_id, a.state, a.allowed_actions AS actions,
            p.suspended_at IS NOT NULL AS project_suspended
            FROM credentials c JOIN service_accounts a ON a.id = c.owner_id JOIN projects p ON p.id = a.project_id
            WHERE c.id = $1 AND c.owner_kind = 'service_account'
            """;
    private static final String OF_OPERATOR = CREDENTIAL + """
            o.id, o.display_name, o.org_id, NULL::uuid AS project_id, o.shared_runtime_id, o.state, o.allowed_actions AS actions,
            false AS project_suspended
            FROM credentials c JOIN shared_runtime_operators o ON o.id = c.owner_id
            WHERE c.id = $1 AND c.owner_kind = 'shared_runtime_operator'
            """;
    private static final String OF_API_KEY = CREDENTIAL + """
            u.id, u.display_name, NULL::uuid AS org_id, NULL::uuid AS project_id, NULL::uuid AS shared_runtime_id,
            'active' AS state, k.actions, false AS project_suspended
            FROM credentials c JOIN api_keys k ON k.id = c.id JOIN users u ON u.id = c.owner_id
            WHERE c.id = $1 AND c.owner_kind = 'api_key'
            """;

    /** A credential and the principal that owns it. */
    record CredentialWithOwner(
            byte[] secretHash,
            @Nullable Instant expiresAt,
            @Nullable Instant revokedAt,
            @Nullable Instant lastUsedAt,
            UUID id,
            String displayName,
            @Nullable UUID orgId,
            @Nullable UUID projectId,
            @Nullable UUID sharedRuntimeId,
            ResourceState state,
            List<String> actions,
            boolean projectSuspended) {}

    Future<@Nullable CredentialWithOwner> find(UnitOfWork unit, Kind kind, UUID credentialId) {
        var sql =
                switch (kind) {
                    case SERVICE_ACCOUNT -> OF_SERVICE_ACCOUNT;
                    case SHARED_RUNTIME_OPERATOR -> OF_OPERATOR;
                    case API_KEY -> OF_API_KEY;
                    case ADAPTER -> throw new IllegalArgumentException("adapters exchange their credentials for tasks");
                };
        return unit.query(sql, Tuple.of(credentialId))
                .map(rows -> rows.size() == 0
                        ? null
                        : toCredentialWithOwner(rows.iterator().next()));
    }

    private static CredentialWithOwner toCredentialWithOwner(Row row) {
        return new CredentialWithOwner(
                row.getBuffer("secret_hash").getBytes(),
                SqlTime.readNullable(row, "expires_at"),
                SqlTime.readNullable(row, "revoked_at"),
                SqlTime.readNullable(row, "last_used_at"),
                row.getUUID("id"),
                row.getString("display_name"),
                row.getUUID("org_id"),
                row.getUUID("project_id"),
                row.getUUID("shared_runtime_id"),
                TextEnum.parse(ResourceState.class, row.getString("state")),
                List.of(row.getArrayOfStrings("actions")),
                row.getBoolean("project_suspended"));
    }
}

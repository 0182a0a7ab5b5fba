package dev.slipway.iam.apikey;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.iam.credential.CredentialStore;
import dev.slipway.iam.credential.Owner;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** All SQL of API keys. Another person's key is not found. */
public final class ApiKeyStore {
    private static final int MAX_LIVE = 50;
    private static final String COUNT = """
            SELECT count(*) FROM api_keys k JOIN credentials c ON c.id = k.id
            WHERE k.user_id = $1 AND c.revoked_at IS NULL AND c.expires_at > now()
            """;
    private static final String INSERT = "INSERT INTO api_keys (id, user_id, name, actions) VALUES ($1, $2, $3, $4)";
    private static final String COLUMNS = """
            SELECT k.id, k.name, k.actions, c.created_at, c.expires_at, c.last_used_at, c.revoked_at
            FROM api_keys k JOIN credentials c ON c.id = k.id
            """;
    private static final String LIST =
            COLUMNS + " WHERE k.user_id = $1 ORDER BY c.created_at DESC, k.id DESC LIMIT 500";
    private static final String FIND = COLUMNS + " WHERE k.id = $1 AND k.user_id = $2";

    private final SqlClient reads;
    private final CredentialStore credentials;

    public ApiKeyStore(SqlClient reads, CredentialStore credentials) {
        this.reads = reads;
        this.credentials = credentials;
    }

    Future<Void> create(UnitOfWork unit, UUID userId, ApiKey key, String secret) {
        return unit.query(COUNT, Tuple.of(userId)).compose(rows -> {
            if (rows.iterator().next().getLong(0) >= MAX_LIVE) {
                return Future.failedFuture(Problem.of(
                                ErrorCode.CREDENTIAL_LIMIT, MAX_LIVE + " live API keys are the most. Revoke one first.")
                        .asException());
            }
            credentials.add(unit, new Owner(Owner.Kind.API_KEY, userId, null, null), key.id(), secret, key.expiresAt());
            unit.write(
                    INSERT, Tuple.of(key.id(), userId, key.name(), key.actions().toArray(String[]::new)));
            return Future.succeededFuture();
        });
    }

    Future<List<ApiKey>> list(UUID userId) {
        return reads.preparedQuery(LIST).execute(Tuple.of(userId)).map(rows -> {
            var items = new ArrayList<ApiKey>(rows.size());
            rows.forEach(row -> items.add(fromRow(row)));
            return items;
        });
    }

    Future<ApiKey> revoke(UnitOfWork unit, UUID userId, UUID id) {
        return credentials.revoke(unit, userId, id).compose(revoked -> unit.query(FIND, Tuple.of(id, userId))
                .map(rows -> fromRow(rows.iterator().next())));
    }

    private static ApiKey fromRow(Row row) {
        return new ApiKey(
                row.getUUID("id"),
                row.getString("name"),
                List.of(row.getArrayOfStrings("actions")),
                row.getOffsetDateTime("created_at").toInstant(),
                row.getOffsetDateTime("expires_at").toInstant(),
                instant(row, "last_used_at"),
                instant(row, "revoked_at"));
    }

    private static @Nullable Instant instant(Row row, String column) {
        var time = row.getOffsetDateTime(column);
        return time == null ? null : time.toInstant();
    }
}

package dev.slipway.iam.apikey;

import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** All SQL of API keys. A key of another user is not found. */
public final class ApiKeyStore {
    private static final String COUNT_ACTIVE = """
            SELECT count(*) AS count FROM api_keys k JOIN credentials c ON c.id = k.id
            WHERE k.user_id = $1 AND c.revoked_at IS NULL AND c.expires_at > now()
            """;
    private static final String INSERT = "INSERT INTO api_keys (id, user_id, name, actions) VALUES ($1, $2, $3, $4)";
    private static final String SELECT = """
            SELECT k.id, k.name, k.actions, c.created_at, c.expires_at, c.last_used_at, c.revoked_at
            FROM api_keys k JOIN credentials c ON c.id = k.id
            """;
    private static final String LIST = SELECT + " WHERE k.user_id = $1 ORDER BY c.created_at DESC, k.id DESC LIMIT 500";
    private static final String FIND = SELECT + " WHERE k.id = $1 AND k.user_id = $2";

    private final SqlClient reads;

    public ApiKeyStore(SqlClient reads) {
        this.reads = reads;
    }

    static Future<Long> countActive(UnitOfWork unit, UUID userId) {
        return unit.query(COUNT_ACTIVE, Tuple.of(userId))
                .map(rows -> rows.iterator().next().getLong("count"));
    }

    /** Inserts a key. Its credential must be inserted in the same transaction. */
    static void insert(UnitOfWork unit, UUID userId, ApiKey key) {
        unit.write(
                INSERT,
                Tuple.of(key.apiKeyId(), userId, key.name(), key.actions().toArray(String[]::new)));
    }

    static Future<ApiKey> load(UnitOfWork unit, UUID userId, UUID id) {
        return unit.query(FIND, Tuple.of(id, userId))
                .map(rows -> fromRow(rows.iterator().next()));
    }

    Future<List<ApiKey>> list(UUID userId) {
        return reads.preparedQuery(LIST).execute(Tuple.of(userId)).map(rows -> {
            var items = new ArrayList<ApiKey>(rows.size());
            rows.forEach(row -> items.add(fromRow(row)));
            return items;
        });
    }

    private static ApiKey fromRow(Row row) {
        return new ApiKey(
                row.getUUID("id"),
                row.getString("name"),
                List.of(row.getArrayOfStrings("actions")),
                row.getOffsetDateTime("created_at").toInstant(),
                row.getOffsetDateTime("expires_at").toInstant(),
                SqlTime.readNullable(row, "last_used_at"),
                SqlTime.readNullable(row, "revoked_at"));
    }
}

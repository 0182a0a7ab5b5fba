package dev.slipway.iam.credential;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.iam.credential.domain.Credential;
import dev.slipway.iam.credential.domain.CredentialOwner;
import dev.slipway.iam.credential.domain.SecretHash;
import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** All SQL of credentials, for every kind of owner. */
public final class CredentialStore {
    private static final String COLUMNS = "id, owner_id, created_at, expires_at, last_used_at, revoked_at";
    private static final String SELECT = "SELECT " + COLUMNS + " FROM credentials ";
    private static final String IS_ACTIVE = "revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)";
    private static final String COUNT_ACTIVE =
            "SELECT count(*) AS count FROM credentials WHERE owner_id = $1 AND " + IS_ACTIVE;
    private static final String INSERT = """
            INSERT INTO credentials (id, owner_kind, owner_id, org_id, project_id, secret_hash, created_at, expires_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            """;
    private static final String LIST = SELECT + "WHERE owner_id = $1 ORDER BY created_at DESC, id DESC LIMIT 500";
    private static final String LOCK = SELECT + "WHERE id = $1 AND owner_id = $2 FOR NO KEY UPDATE";
    private static final String REVOKE = "UPDATE credentials SET revoked_at = $3 WHERE id = $1 AND owner_id = $2";
    private static final String REVOKE_ALL =
            "UPDATE credentials SET revoked_at = $2 WHERE owner_id = $1 AND revoked_at IS NULL";
    private static final String RECORD_USE = """
            UPDATE credentials SET last_used_at = $2 WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $3)
            """;
    private static final String LIST_UNUSED = SELECT + "WHERE project_id = $1 AND " + IS_ACTIVE
            + " AND coalesce(last_used_at, created_at) < $3 ORDER BY created_at, id LIMIT 500";
    private static final String LIST_EXPIRING = SELECT + "WHERE project_id = $1 AND " + IS_ACTIVE
            + " AND expires_at < $3 ORDER BY expires_at, id LIMIT 500";

    private final SqlClient reads;

    public CredentialStore(SqlClient reads) {
        this.reads = reads;
    }

    static Future<Long> countActive(UnitOfWork unit, UUID ownerId) {
        return unit.query(COUNT_ACTIVE, Tuple.of(ownerId, SqlTime.of(unit.now())))
                .map(rows -> rows.iterator().next().getLong("count"));
    }

    public static void insert(
            UnitOfWork unit, CredentialOwner owner, UUID id, String secret, @Nullable Instant expiresAt) {
        unit.write(
                INSERT,
                Tuple.of(
                        id,
                        owner.kind().text(),
                        owner.id(),
                        owner.orgId(),
                        owner.projectId(),
                        Buffer.buffer(SecretHash.of(secret)),
                        SqlTime.of(unit.now()),
                        expiresAt == null ? null : SqlTime.of(expiresAt)));
    }

    static Future<Credential> lock(UnitOfWork unit, UUID ownerId, UUID id) {
        return unit.query(LOCK, Tuple.of(id, ownerId)).map(rows -> {
            if (rows.size() == 0) {
                throw Problem.of(
                                ErrorCode.NOT_FOUND,
                                "Credential " + id + " does not exist, or belongs to another principal.")
                        .asException();
            }
            return fromRow(rows.iterator().next());
        });
    }

    static void revoke(UnitOfWork unit, Credential revoked) {
        unit.write(REVOKE, Tuple.of(revoked.id(), revoked.ownerId(), SqlTime.of(unit.now())));
    }

    static void revokeAll(UnitOfWork unit, UUID ownerId) {
        unit.write(REVOKE_ALL, Tuple.of(ownerId, SqlTime.of(unit.now())));
    }

    static void recordUse(UnitOfWork unit, UUID id) {
        unit.write(RECORD_USE, Tuple.of(id, SqlTime.of(unit.now()), SqlTime.of(Credential.lastUseBefore(unit.now()))));
    }

    Future<List<Credential>> list(UUID ownerId) {
        return reads.preparedQuery(LIST).execute(Tuple.of(ownerId)).map(CredentialStore::all);
    }

    Future<List<Credential>> listUnused(UUID projectId, Instant now, Instant since) {
        return reads.preparedQuery(LIST_UNUSED)
                .execute(Tuple.of(projectId, SqlTime.of(now), SqlTime.of(since)))
                .map(CredentialStore::all);
    }

    Future<List<Credential>> listExpiring(UUID projectId, Instant now, Instant until) {
        return reads.preparedQuery(LIST_EXPIRING)
                .execute(Tuple.of(projectId, SqlTime.of(now), SqlTime.of(until)))
                .map(CredentialStore::all);
    }

    private static List<Credential> all(RowSet<Row> rows) {
        var all = new ArrayList<Credential>(rows.size());
        rows.forEach(row -> all.add(fromRow(row)));
        return all;
    }

    private static Credential fromRow(Row row) {
        return new Credential(
                row.getUUID("id"),
                row.getUUID("owner_id"),
                row.getOffsetDateTime("created_at").toInstant(),
                SqlTime.readNullable(row, "expires_at"),
                SqlTime.readNullable(row, "last_used_at"),
                SqlTime.readNullable(row, "revoked_at"));
    }
}

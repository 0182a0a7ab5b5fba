package dev.slipway.iam.credential;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.iam.revocation.RevocationStore;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** All SQL of credentials, whoever owns them. */
public final class CredentialStore {
    /** Two, so that one can be replaced while the other works. */
    static final int MAX_LIVE = 2;

    private static final Duration LAST_USED_EVERY = Duration.ofMinutes(1);
    private static final String COLUMNS = "id, owner_id, created_at, expires_at, last_used_at, revoked_at";
    private static final String LIVE = "revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)";
    private static final String COUNT = "SELECT count(*) FROM credentials WHERE owner_id = $1 AND " + LIVE;
    private static final String INSERT = """
            INSERT INTO credentials (id, owner_kind, owner_id, org_id, project_id, secret_hash, created_at, expires_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            """;
    private static final String LIST =
            "SELECT " + COLUMNS + " FROM credentials WHERE owner_id = $1 ORDER BY created_at DESC, id DESC LIMIT 500";
    private static final String LOCK =
            "SELECT " + COLUMNS + " FROM credentials WHERE id = $1 AND owner_id = $2 FOR NO KEY UPDATE";
    private static final String REVOKE = "UPDATE credentials SET revoked_at = $3 WHERE id = $1 AND owner_id = $2";
    private static final String REVOKE_ALL =
            "UPDATE credentials SET revoked_at = $2 WHERE owner_id = $1 AND revoked_at IS NULL";
    private static final String USED = """
            UPDATE credentials SET last_used_at = $2 WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $3)
            """;
    private static final String UNUSED = "SELECT " + COLUMNS + " FROM credentials WHERE project_id = $1 AND " + LIVE
            + " AND coalesce(last_used_at, created_at) < $3 ORDER BY created_at, id LIMIT 500";
    private static final String EXPIRING = "SELECT " + COLUMNS + " FROM credentials WHERE project_id = $1 AND " + LIVE
            + " AND expires_at < $3 ORDER BY expires_at, id LIMIT 500";

    private final SqlClient reads;
    private final RevocationStore revocations;
    private final Duration tokenLifetime;

    /** Where a token outlives the exchange it was made in by {@code tokenLifetime} at the most. */
    public CredentialStore(SqlClient reads, RevocationStore revocations, Duration tokenLifetime) {
        this.reads = reads;
        this.revocations = revocations;
        this.tokenLifetime = tokenLifetime;
    }

    /** Adds a credential to an owner that is locked, if it has room for one. */
    public Future<Credential> create(
            UnitOfWork unit, Owner owner, UUID id, String secret, @Nullable Instant expiresAt) {
        return unit.query(COUNT, Tuple.of(owner.id(), at(unit.now()))).compose(rows -> {
            if (rows.iterator().next().getLong(0) >= MAX_LIVE) {
                return Future.failedFuture(
                        Problem.of(ErrorCode.CREDENTIAL_LIMIT, "Two live credentials are the most. Revoke one first.")
                                .asException());
            }
            add(unit, owner, id, secret, expiresAt);
            return Future.succeededFuture(new Credential(id, owner.id(), unit.now(), expiresAt, null, null));
        });
    }

    public void add(UnitOfWork unit, Owner owner, UUID id, String secret, @Nullable Instant expiresAt) {
        unit.write(
                INSERT,
                Tuple.of(
                        id,
                        owner.kind().text(),
                        owner.id(),
                        owner.orgId(),
                        owner.projectId(),
                        Secrets.hash(secret),
                        at(unit.now()),
                        expiresAt == null ? null : at(expiresAt)));
    }

    Future<List<Credential>> list(UUID ownerId) {
        return reads.preparedQuery(LIST).execute(Tuple.of(ownerId)).map(CredentialStore::all);
    }

    /** Ends a credential and every token made with it; a second time changes nothing. */
    public Future<Credential> revoke(UnitOfWork unit, UUID ownerId, UUID id) {
        return unit.query(LOCK, Tuple.of(id, ownerId)).compose(rows -> {
            if (rows.size() == 0) {
                return Future.failedFuture(Problem.of(ErrorCode.NOT_FOUND, "There is no credential " + id + " here.")
                        .asException());
            }
            var found = fromRow(rows.iterator().next());
            if (found.revokedAt() != null) {
                return Future.succeededFuture(found);
            }
            unit.write(REVOKE, Tuple.of(id, ownerId, at(unit.now())));
            var lastTokenEnds = unit.now().plus(tokenLifetime).plusSeconds(60);
            return revocations
                    .revoke(unit, "credential", id, lastTokenEnds)
                    .map(ok -> new Credential(
                            id, ownerId, found.createdAt(), found.expiresAt(), found.lastUsedAt(), unit.now()));
        });
    }

    /** For an owner that is gone: its tokens are refused with it. */
    public void revokeAll(UnitOfWork unit, UUID ownerId) {
        unit.write(REVOKE_ALL, Tuple.of(ownerId, at(unit.now())));
    }

    /** Notes that a credential was used, once a minute: an exchange hardly ever writes to its row. */
    public void used(UnitOfWork unit, UUID id, @Nullable Instant lastUsedAt) {
        var before = unit.now().minus(LAST_USED_EVERY);
        if (lastUsedAt == null || lastUsedAt.isBefore(before)) {
            unit.write(USED, Tuple.of(id, at(unit.now()), at(before)));
        }
    }

    Future<List<Credential>> unused(UUID projectId, Instant now, Instant since) {
        return reads.preparedQuery(UNUSED)
                .execute(Tuple.of(projectId, at(now), at(since)))
                .map(CredentialStore::all);
    }

    Future<List<Credential>> expiring(UUID projectId, Instant now, Instant until) {
        return reads.preparedQuery(EXPIRING)
                .execute(Tuple.of(projectId, at(now), at(until)))
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
                instant(row, "expires_at"),
                instant(row, "last_used_at"),
                instant(row, "revoked_at"));
    }

    private static @Nullable Instant instant(Row row, String column) {
        var time = row.getOffsetDateTime(column);
        return time == null ? null : time.toInstant();
    }

    private static OffsetDateTime at(Instant instant) {
        return instant.atOffset(ZoneOffset.UTC);
    }
}

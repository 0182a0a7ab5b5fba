package dev.slipway.iam.revocation;

import dev.slipway.contract.Ids;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.iam.revision.domain.Revision;
import dev.slipway.iam.revocation.domain.Revocation;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.ZoneOffset;
import java.util.UUID;

/** All SQL of issued tokens and of revocations. */
public final class RevocationStore {
    private static final String INSERT_ISSUED_TOKEN =
            "INSERT INTO issued_tokens (jti, principal_id, org_id, project_id, expires_at) VALUES ($1, $2, $3, $4, $5)";
    private static final String FIND_BY_PRINCIPAL =
            "SELECT expires_at FROM issued_tokens WHERE jti = $1 AND principal_id = $2 AND expires_at > $3";
    private static final String FIND_IN_PROJECT =
            "SELECT expires_at FROM issued_tokens WHERE jti = $1 AND project_id = $2 AND expires_at > $3";
    private static final String FIND_IN_ORGANIZATION =
            "SELECT expires_at FROM issued_tokens WHERE jti = $1 AND org_id = $2 AND expires_at > $3";
    private static final String INSERT =
            "INSERT INTO revocations (id, kind, expires_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
    private static final String DELETE_EXPIRED_TOKENS = "DELETE FROM issued_tokens WHERE expires_at < now()";
    /** One minute late, for processes whose clock is behind; in batches, because there may be a hundred thousand. */
    private static final String DELETE_EXPIRED = """
            DELETE FROM revocations WHERE id IN (
                SELECT id FROM revocations WHERE expires_at < now() - interval '1 minute' LIMIT $1 FOR UPDATE SKIP LOCKED)
            RETURNING id
            """;

    private static final int DELETE_BATCH_SIZE = 1_000;
    private static final String EVENT_TYPE = "authz.revocation";

    /** Reads all current revocations page by page, for republishing. */
    public static final String AFTER =
            "SELECT id, kind, expires_at FROM revocations WHERE id > $1 AND expires_at > now() ORDER BY id LIMIT $2";

    private final SqlClient reads;
    private final Outbox outbox;

    public RevocationStore(SqlClient reads, Outbox outbox) {
        this.reads = reads;
        this.outbox = outbox;
    }

    /** Stores the owner of a token, so that the token can be revoked by its jti. Sent with the commit, without a round trip of its own. */
    public static void insertIssuedToken(
            UnitOfWork unit,
            UUID jti,
            UUID principalId,
            @Nullable UUID orgId,
            @Nullable UUID projectId,
            Instant expiresAt) {
        unit.insert(
                INSERT_ISSUED_TOKEN, Tuple.of(jti, principalId, orgId, projectId, expiresAt.atOffset(ZoneOffset.UTC)));
    }

    /** Returns the expiry of a valid token of the principal, or null if there is none. */
    static Future<@Nullable Instant> findExpiryByPrincipal(UnitOfWork unit, UUID jti, UUID principalId) {
        return findExpiry(unit, FIND_BY_PRINCIPAL, jti, principalId);
    }

    static Future<@Nullable Instant> findExpiryInProject(UnitOfWork unit, UUID jti, UUID projectId) {
        return findExpiry(unit, FIND_IN_PROJECT, jti, projectId);
    }

    static Future<@Nullable Instant> findExpiryInOrganization(UnitOfWork unit, UUID jti, UUID orgId) {
        return findExpiry(unit, FIND_IN_ORGANIZATION, jti, orgId);
    }

    /** Inserts and publishes a revocation. */
    public static void insert(UnitOfWork unit, Revision revision, Revocation revocation) {
        unit.write(
                INSERT,
                Tuple.of(
                        revocation.id(),
                        revocation.kind().text(),
                        revocation.expiresAt().atOffset(ZoneOffset.UTC)));
        appendRecord(revision, revocation);
    }

    /** Publishes a stored revocation. */
    public static void appendRecord(Revision revision, Row row) {
        appendRecord(
                revision,
                new Revocation(
                        TextEnum.parse(Revocation.Kind.class, row.getString("kind")),
                        row.getUUID("id"),
                        row.getOffsetDateTime("expires_at").toInstant()));
    }

    private static void appendRecord(Revision revision, Revocation revocation) {
        revision.publishAuthz(recordKey(revocation.id()), EVENT_TYPE, revocation);
    }

    /** Deletes expired tokens and revocations. Revocations are also deleted from the topic, so that starting processes need not read them. */
    Future<Void> deleteExpired() {
        return reads.query(DELETE_EXPIRED_TOKENS).execute().compose(ok -> deleteExpiredRevocations());
    }

    private Future<Void> deleteExpiredRevocations() {
        var context = new ChangeContext(Ids.next().toString(), Context.root());
        return outbox.transaction(context, unit -> unit.query(DELETE_EXPIRED, Tuple.of(DELETE_BATCH_SIZE))
                        .map(rows -> {
                            rows.forEach(row -> unit.publishTombstone(
                                    Topics.AUTHZ_STATE, recordKey(row.getUUID("id")), EVENT_TYPE));
                            return rows.size();
                        }))
                .compose(
                        deleted -> deleted < DELETE_BATCH_SIZE ? Future.succeededFuture() : deleteExpiredRevocations());
    }

    private static String recordKey(UUID id) {
        return "revocation:" + id;
    }

    private static Future<@Nullable Instant> findExpiry(UnitOfWork unit, String sql, UUID jti, UUID ownerId) {
        return unit.query(sql, Tuple.of(jti, ownerId, unit.now().atOffset(ZoneOffset.UTC)))
                .map(rows -> rows.size() == 0
                        ? null
                        : rows.iterator().next().getOffsetDateTime("expires_at").toInstant());
    }
}

package dev.slipway.iam.revocation;

import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.iam.revision.Revision;
import dev.slipway.iam.revision.RevisionStore;
import dev.slipway.messaging.Cause;
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

/** All SQL of tokens that were given, and of what was revoked. */
public final class RevocationStore {
    private static final String KEEP =
            "INSERT INTO issued_tokens (jti, principal_id, org_id, project_id, expires_at) VALUES ($1, $2, $3, $4, $5)";
    private static final String OF_PRINCIPAL =
            "SELECT expires_at FROM issued_tokens WHERE jti = $1 AND principal_id = $2 AND expires_at > $3";
    private static final String OF_PROJECT =
            "SELECT expires_at FROM issued_tokens WHERE jti = $1 AND project_id = $2 AND expires_at > $3";
    private static final String OF_ORGANIZATION =
            "SELECT expires_at FROM issued_tokens WHERE jti = $1 AND org_id = $2 AND expires_at > $3";
    private static final String REVOKE =
            "INSERT INTO revocations (id, kind, expires_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
    private static final String FORGET_TOKENS = "DELETE FROM issued_tokens WHERE expires_at < now()";
    /** A minute after their end, for clocks that are behind; some at a time, for there may be a hundred thousand. */
    private static final String FORGET_REVOCATIONS = """
            DELETE FROM revocations WHERE id IN (
                SELECT id FROM revocations WHERE expires_at < now() - interval '1 minute' LIMIT $1 FOR UPDATE SKIP LOCKED)
            RETURNING id
            """;

    private static final int FORGET_AT_ONCE = 1_000;

    /** Every revocation that still counts, page by page: after an id. */
    public static final String AFTER =
            "SELECT id, kind, expires_at FROM revocations WHERE id > $1 AND expires_at > now() ORDER BY id LIMIT $2";

    private final SqlClient reads;
    private final Outbox outbox;

    public RevocationStore(SqlClient reads, Outbox outbox) {
        this.reads = reads;
        this.outbox = outbox;
    }

    /** Keeps who has a token, so that it can be revoked by its jti; written with the commit, at no round trip of its own. */
    public void keep(
            UnitOfWork unit,
            UUID jti,
            UUID principalId,
            @Nullable UUID orgId,
            @Nullable UUID projectId,
            Instant expiresAt) {
        unit.insert(KEEP, Tuple.of(jti, principalId, orgId, projectId, expiresAt.atOffset(ZoneOffset.UTC)));
    }

    /** When a token that was given to the principal ends; null if there is none such. */
    Future<@Nullable Instant> endOfPrincipals(UnitOfWork unit, UUID jti, UUID principalId) {
        return end(unit, OF_PRINCIPAL, jti, principalId);
    }

    Future<@Nullable Instant> endOfProjects(UnitOfWork unit, UUID jti, UUID projectId) {
        return end(unit, OF_PROJECT, jti, projectId);
    }

    Future<@Nullable Instant> endOfOrganizations(UnitOfWork unit, UUID jti, UUID orgId) {
        return end(unit, OF_ORGANIZATION, jti, orgId);
    }

    /** Ends a token, or with a credential every token that was made with it, everywhere. */
    public Future<Void> revoke(UnitOfWork unit, String kind, UUID id, Instant expiresAt) {
        return RevisionStore.raised(unit, revision -> {
            unit.write(REVOKE, Tuple.of(id, kind, expiresAt.atOffset(ZoneOffset.UTC)));
            tell(revision, kind, id, expiresAt);
            return Future.succeededFuture();
        });
    }

    /** Announces a revocation as it stands. */
    public static void tell(Revision revision, Row row) {
        tell(
                revision,
                row.getString("kind"),
                row.getUUID("id"),
                row.getOffsetDateTime("expires_at").toInstant());
    }

    private static void tell(Revision revision, String kind, UUID id, Instant expiresAt) {
        revision.authz(
                recordKey(id),
                "authz.revocation",
                Json.object().put("kind", kind).put("id", id.toString()).put("expires_at", expiresAt.toString()));
    }

    /** Drops what has ended by itself, from the topic too: whoever starts does not read what means nothing any more. */
    Future<Void> forgetEnded() {
        return reads.query(FORGET_TOKENS).execute().compose(ok -> forgetRevocations());
    }

    private Future<Void> forgetRevocations() {
        var cause = new Cause(Ids.next().toString(), Context.root());
        return outbox.transaction(cause, unit -> unit.query(FORGET_REVOCATIONS, Tuple.of(FORGET_AT_ONCE))
                        .map(rows -> {
                            rows.forEach(row ->
                                    unit.forget(Topics.AUTHZ_STATE, recordKey(row.getUUID(0)), "authz.revocation"));
                            return rows.size();
                        }))
                .compose(forgotten -> forgotten < FORGET_AT_ONCE ? Future.succeededFuture() : forgetRevocations());
    }

    private static String recordKey(UUID id) {
        return "revocation:" + id;
    }

    private static Future<@Nullable Instant> end(UnitOfWork unit, String sql, UUID jti, UUID of) {
        return unit.query(sql, Tuple.of(jti, of, unit.now().atOffset(ZoneOffset.UTC)))
                .map(rows -> rows.size() == 0
                        ? null
                        : rows.iterator().next().getOffsetDateTime(0).toInstant());
    }
}

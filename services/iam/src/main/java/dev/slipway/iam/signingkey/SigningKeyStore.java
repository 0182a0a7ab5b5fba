package dev.slipway.iam.signingkey;

import dev.slipway.authz.IssuerKeySet;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.iam.revision.Revision;
import dev.slipway.iam.revision.RevisionStore;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** All SQL of the keys that tokens are signed with. */
public final class SigningKeyStore {
    private static final String COLUMNS = """
            SELECT kid, issuer, jwk::text AS jwk, private_key, signs_from, created_at, expires_at, revoked_at, audience, name_claim
            FROM signing_keys
            """;
    private static final String OWN = COLUMNS + """
            WHERE issuer = $1 AND private_key IS NOT NULL AND revoked_at IS NULL AND expires_at > $2
            ORDER BY signs_from DESC, kid DESC LIMIT 20
            """;
    private static final String PUBLISHED = COLUMNS + """
            WHERE issuer = $1 AND revoked_at IS NULL AND expires_at > $2 ORDER BY created_at DESC LIMIT 100
            """;
    private static final String LIST = COLUMNS + " ORDER BY created_at DESC, kid DESC LIMIT 500";
    private static final String INSERT = """
            INSERT INTO signing_keys (kid, issuer, jwk, private_key, signs_from, created_at, expires_at, audience, name_claim)
            VALUES ($1, $2, $3::text::jsonb, $4, $5, $6, $7, $8, $9)
            ON CONFLICT (issuer, kid) DO UPDATE SET expires_at = $7, audience = $8, name_claim = $9
                WHERE signing_keys.private_key IS NULL AND signing_keys.revoked_at IS NULL AND signing_keys.jwk = $3::text::jsonb
            RETURNING kid
            """;
    private static final String REVOKE = """
            UPDATE signing_keys SET revoked_at = coalesce(revoked_at, $2) WHERE kid = $1
            RETURNING kid, issuer, jwk::text AS jwk, private_key, signs_from, created_at, expires_at, revoked_at, audience, name_claim
            """;

    private static final String WITHDRAW = """
            UPDATE signing_keys SET expires_at = $3
            WHERE issuer = $1 AND kid <> ALL($2) AND expires_at > $3 AND revoked_at IS NULL AND private_key IS NULL
            RETURNING kid, issuer, jwk::text AS jwk, private_key, signs_from, created_at, expires_at, revoked_at, audience, name_claim
            """;

    /** Every key, page by page: after an issuer and a kid. */
    public static final String AFTER =
            COLUMNS + " WHERE (issuer, kid) > ($1, $2) AND expires_at > now() ORDER BY issuer, kid LIMIT $3";

    private final SqlClient reads;

    public SigningKeyStore(SqlClient reads) {
        this.reads = reads;
    }

    /** The keys that we sign with, those that begin to sign last first. */
    Future<List<StoredKey>> own(String issuer, Instant now) {
        return reads.preparedQuery(OWN).execute(Tuple.of(issuer, at(now))).map(SigningKeyStore::all);
    }

    /** The same, behind the lock of the revision. */
    Future<List<StoredKey>> own(UnitOfWork unit, String issuer) {
        return unit.query(OWN, Tuple.of(issuer, at(unit.now()))).map(SigningKeyStore::all);
    }

    /** The keys that an issuer's tokens may be signed with now, and a little later. */
    Future<List<StoredKey>> published(String issuer, Instant now) {
        return reads.preparedQuery(PUBLISHED).execute(Tuple.of(issuer, at(now))).map(SigningKeyStore::all);
    }

    Future<List<StoredKey>> list() {
        return reads.query(LIST).execute().map(SigningKeyStore::all);
    }

    /** Publishes a key that an issuer of users signs with. */
    public static Future<Void> publish(
            UnitOfWork unit, Revision revision, String issuer, String kid, String publicJwk, Instant expiresAt) {
        return publish(
                unit,
                revision,
                new StoredKey(kid, issuer, publicJwk, null, null, unit.now(), expiresAt, null, null, null));
    }

    /** Announces a key as it stands. */
    public static void tell(Revision revision, Row row) {
        tell(revision, fromRow(row));
    }

    private static void tell(Revision revision, StoredKey key) {
        revision.authz(recordKey(key), "authz.signing_key", key.announced());
    }

    /** Publishes a key; of another issuer's key that is there already, moves its end. A revoked one stays revoked. */
    static Future<Void> publish(UnitOfWork unit, Revision revision, StoredKey key) {
        var signsFrom = key.signsFrom();
        var row = Tuple.of(
                key.kid(),
                key.issuer(),
                key.publicJwk(),
                key.sealed(),
                signsFrom == null ? null : at(signsFrom),
                at(key.createdAt()),
                at(key.expiresAt()),
                key.audience(),
                key.nameClaim());
        return unit.query(INSERT, row).map(written -> {
            if (written.size() > 0) {
                tell(revision, key);
            }
            return null;
        });
    }

    /** Publishes all keys of another issuer; one that it has no more ends now. */
    public Future<Void> replace(
            UnitOfWork unit,
            String issuer,
            String audience,
            String nameClaim,
            List<IssuerKeySet.Key> keys,
            Instant expiresAt) {
        var kids = keys.stream().map(IssuerKeySet.Key::kid).toArray(String[]::new);
        return RevisionStore.raised(unit, revision -> unit.query(WITHDRAW, Tuple.of(issuer, kids, at(unit.now())))
                .compose(rows -> {
                    all(rows).forEach(key -> tell(revision, key));
                    var chain = Future.<Void>succeededFuture();
                    for (var key : keys) {
                        var stored = new StoredKey(
                                key.kid(),
                                issuer,
                                key.publicJwk(),
                                null,
                                null,
                                unit.now(),
                                expiresAt,
                                null,
                                audience,
                                nameClaim);
                        chain = chain.compose(ok -> publish(unit, revision, stored));
                    }
                    return chain;
                }));
    }

    /** Revokes a key, whosever it is; what replaces it is done in the same revision. */
    Future<StoredKey> revoke(UnitOfWork unit, String kid, Function<Revision, Future<Void>> replace) {
        return RevisionStore.raised(unit, revision -> unit.query(REVOKE, Tuple.of(kid, at(unit.now())))
                .compose(rows -> {
                    var revoked = all(rows);
                    if (revoked.isEmpty()) {
                        return Future.failedFuture(
                                Problem.of(ErrorCode.NOT_FOUND, "There is no signing key " + kid + ".")
                                        .asException());
                    }
                    revoked.forEach(key -> tell(revision, key));
                    return replace.apply(revision).map(ok -> revoked.get(0));
                }));
    }

    private static String recordKey(StoredKey key) {
        return "key:" + (key.signsFrom() == null ? key.issuer() + ":" : "") + key.kid();
    }

    private static List<StoredKey> all(RowSet<Row> rows) {
        var all = new ArrayList<StoredKey>(rows.size());
        rows.forEach(row -> all.add(fromRow(row)));
        return all;
    }

    private static StoredKey fromRow(Row row) {
        return new StoredKey(
                row.getString("kid"),
                row.getString("issuer"),
                row.getString("jwk"),
                row.getBuffer("private_key"),
                instant(row, "signs_from"),
                row.getOffsetDateTime("created_at").toInstant(),
                row.getOffsetDateTime("expires_at").toInstant(),
                instant(row, "revoked_at"),
                row.getString("audience"),
                row.getString("name_claim"));
    }

    private static @Nullable Instant instant(Row row, String column) {
        var time = row.getOffsetDateTime(column);
        return time == null ? null : time.toInstant();
    }

    private static OffsetDateTime at(Instant instant) {
        return instant.atOffset(ZoneOffset.UTC);
    }
}

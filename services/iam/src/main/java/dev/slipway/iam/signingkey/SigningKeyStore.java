package dev.slipway.iam.signingkey;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.authz.JwksParser;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.iam.revision.domain.Revision;
import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.TableColumns;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** All SQL of signing keys, those of Slipway and the public keys of external issuers. */
public final class SigningKeyStore {
    private static final TableColumns TABLE = TableColumns.of(
                    "signing_keys",
                    "kid",
                    "issuer",
                    "jwk",
                    "private_key",
                    "signs_from",
                    "created_at",
                    "expires_at",
                    "revoked_at",
                    "audience",
                    "name_claim")
            .withJson("jwk");
    public static final String COLUMNS = TABLE.list();
    private static final String SELECT = TABLE.select();
    private static final String SIGNING =
            SELECT + "WHERE issuer = $1 AND private_key IS NOT NULL AND revoked_at IS NULL AND expires_at > $2 ";
    /** Bounds the active keys and the next ones separately: many rotations in a row must not hide the key that signs now. */
    private static final String LIST_SIGNING = "(" + SIGNING
            + "AND signs_from <= $2 ORDER BY signs_from DESC, kid DESC LIMIT 10) UNION ALL (" + SIGNING
            + "AND signs_from > $2 ORDER BY signs_from DESC, kid DESC LIMIT 10) ORDER BY signs_from DESC, kid DESC";

    private static final String LIST_PUBLISHED = SELECT + """
            WHERE issuer = $1 AND revoked_at IS NULL AND expires_at > $2 ORDER BY created_at DESC LIMIT 100
            """;
    private static final String LIST = SELECT + " ORDER BY created_at DESC, kid DESC LIMIT 500";
    private static final String INSERT = TABLE.insert() + """
            ON CONFLICT (issuer, kid) DO UPDATE SET expires_at = excluded.expires_at, audience = excluded.audience,
                    name_claim = excluded.name_claim
                WHERE signing_keys.private_key IS NULL AND signing_keys.revoked_at IS NULL AND signing_keys.jwk = excluded.jwk
            RETURNING kid
            """;
    private static final String REVOKE = """
            UPDATE signing_keys SET revoked_at = coalesce(revoked_at, $2) WHERE kid = $1
            RETURNING\s""" + COLUMNS;

    private static final String EXPIRE_OTHERS = """
            UPDATE signing_keys SET expires_at = $3
            WHERE issuer = $1 AND kid <> ALL($2) AND expires_at > $3 AND revoked_at IS NULL AND private_key IS NULL
            RETURNING\s""" + COLUMNS;

    /** Reads all valid keys page by page, for republishing. */
    public static final String AFTER =
            SELECT + "WHERE (issuer, kid) > ($1, $2) AND expires_at > now() ORDER BY issuer, kid LIMIT $3";

    private final SqlClient reads;

    @JsonInclude(JsonInclude.Include.NON_NULL)
    private record SigningKeyRecord(
            String kid,
            String issuer,
            ObjectNode jwk,
            Instant expiresAt,
            @Nullable Boolean revoked,
            @Nullable String audience,
            @Nullable String nameClaim) {}

    public SigningKeyStore(SqlClient reads) {
        this.reads = reads;
    }

    /** Lists the valid keys that an issuer signs with here, the one that signs from the latest time first. */
    Future<List<StoredSigningKey>> listSigning(String issuer, Instant now) {
        return reads.preparedQuery(LIST_SIGNING)
                .execute(Tuple.of(issuer, SqlTime.of(now)))
                .map(SigningKeyStore::all);
    }

    /** Lists them in a transaction, behind the lock on the revision. */
    static Future<List<StoredSigningKey>> listSigning(UnitOfWork unit, String issuer) {
        return unit.query(LIST_SIGNING, Tuple.of(issuer, SqlTime.of(unit.now())))
                .map(SigningKeyStore::all);
    }

    /** Lists the keys that verify an issuer's tokens now, including the next key. */
    Future<List<StoredSigningKey>> listPublished(String issuer, Instant now) {
        return reads.preparedQuery(LIST_PUBLISHED)
                .execute(Tuple.of(issuer, SqlTime.of(now)))
                .map(SigningKeyStore::all);
    }

    Future<List<StoredSigningKey>> list() {
        return reads.query(LIST).execute().map(SigningKeyStore::all);
    }

    /** Stores and publishes a public key of an external issuer. */
    public static Future<Void> upsert(
            UnitOfWork unit, Revision revision, String issuer, String kid, String publicJwk, Instant expiresAt) {
        return upsert(
                unit,
                revision,
                new StoredSigningKey(kid, issuer, publicJwk, null, null, unit.now(), expiresAt, null, null, null));
    }

    /** Publishes a stored key. */
    public static void appendRecord(Revision revision, Row row) {
        appendRecord(revision, fromRow(row));
    }

    private static void appendRecord(Revision revision, StoredSigningKey key) {
        revision.publishAuthz(
                recordKey(key),
                "authz.signing_key",
                new SigningKeyRecord(
                        key.kid(),
                        key.issuer(),
                        Json.parseStoredObject(key.publicJwk()),
                        key.expiresAt(),
                        key.revokedAt() == null ? null : true,
                        key.audience(),
                        key.nameClaim()));
    }

    /** Stores and publishes a key. If the same key of an external issuer exists, its expiry is updated; a revoked key stays revoked. */
    static Future<Void> upsert(UnitOfWork unit, Revision revision, StoredSigningKey key) {
        var row = Tuple.from(new @Nullable Object[] {
            key.kid(),
            key.issuer(),
            key.publicJwk(),
            key.encryptedPrivateKey(),
            SqlTime.ofNullable(key.signsFrom()),
            SqlTime.of(key.createdAt()),
            SqlTime.of(key.expiresAt()),
            SqlTime.ofNullable(key.revokedAt()),
            key.audience(),
            key.nameClaim()
        });
        return unit.query(INSERT, row).map(written -> {
            if (written.size() > 0) {
                appendRecord(revision, key);
            }
            return null;
        });
    }

    /** Stores and publishes all keys of an external issuer. Keys that it no longer has expire now. */
    public static Future<Void> replaceIssuerKeys(
            UnitOfWork unit,
            Revision revision,
            String issuer,
            String audience,
            String nameClaim,
            List<JwksParser.PublicJwk> keys,
            Instant expiresAt) {
        var kids = keys.stream().map(JwksParser.PublicJwk::kid).toArray(String[]::new);
        return unit.query(EXPIRE_OTHERS, Tuple.of(issuer, kids, SqlTime.of(unit.now())))
                .compose(rows -> {
                    all(rows).forEach(key -> appendRecord(revision, key));
                    var chain = Future.<Void>succeededFuture();
                    for (var key : keys) {
                        var stored = new StoredSigningKey(
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
                        chain = chain.compose(ok -> upsert(unit, revision, stored));
                    }
                    return chain;
                });
    }

    /** Revokes a key of Slipway or of an external issuer. */
    static Future<StoredSigningKey> revoke(UnitOfWork unit, Revision revision, String kid) {
        return unit.query(REVOKE, Tuple.of(kid, SqlTime.of(unit.now()))).map(rows -> {
            var revoked = all(rows);
            if (revoked.isEmpty()) {
                throw Problem.of(ErrorCode.NOT_FOUND, "Signing key " + kid + " was not found.")
                        .asException();
            }
            revoked.forEach(key -> appendRecord(revision, key));
            return revoked.get(0);
        });
    }

    private static String recordKey(StoredSigningKey key) {
        return "key:" + (key.signsFrom() == null ? key.issuer() + ":" : "") + key.kid();
    }

    private static List<StoredSigningKey> all(RowSet<Row> rows) {
        var all = new ArrayList<StoredSigningKey>(rows.size());
        rows.forEach(row -> all.add(fromRow(row)));
        return all;
    }

    private static StoredSigningKey fromRow(Row row) {
        return new StoredSigningKey(
                row.getString("kid"),
                row.getString("issuer"),
                row.getString("jwk"),
                row.getBuffer("private_key"),
                SqlTime.readNullable(row, "signs_from"),
                row.getOffsetDateTime("created_at").toInstant(),
                row.getOffsetDateTime("expires_at").toInstant(),
                SqlTime.readNullable(row, "revoked_at"),
                row.getString("audience"),
                row.getString("name_claim"));
    }
}

package dev.slipway.iam.tenancy;

import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;

/** The revision that decisions are taken at, which every change raises, and the keys that tokens are signed with. */
public final class TenancyStore {
    private static final String LOCK = "SELECT revision FROM authz_revision FOR UPDATE";
    private static final String RAISE = "UPDATE authz_revision SET revision = $1";
    private static final String REVISION = "SELECT revision FROM authz_revision";
    private static final String KEY = """
            INSERT INTO signing_keys (kid, issuer, jwk, expires_at) VALUES ($1, $2, $3::text::jsonb, $4)
            ON CONFLICT DO NOTHING RETURNING kid
            """;
    private static final String KEYS =
            "SELECT jwk::text FROM signing_keys WHERE issuer = $1 AND expires_at > now() ORDER BY created_at DESC";

    private final SqlClient reads;

    public TenancyStore(SqlClient reads) {
        this.reads = reads;
    }

    public Future<Long> revision() {
        return reads.query(REVISION)
                .execute()
                .map(rows -> rows.iterator().next().getLong(0));
    }

    /** The public keys that an issuer's tokens may be signed with now, as JSON texts. */
    public Future<List<String>> keysOf(String issuer) {
        return reads.preparedQuery(KEYS).execute(Tuple.of(issuer)).map(rows -> {
            var keys = new ArrayList<String>();
            rows.forEach(row -> keys.add(row.getString(0)));
            return keys;
        });
    }

    /** Publishes a key; tokens signed with it are good once it has arrived. */
    public Future<Void> addKey(UnitOfWork unit, IamSeed.IssuerKey key) {
        return raised(unit).compose(records -> addKey(unit, records, key).onSuccess(ok -> records.complete()));
    }

    public static Future<Void> addKey(UnitOfWork unit, AuthzRecords records, IamSeed.IssuerKey key) {
        var row = Tuple.of(
                key.kid(), key.issuer(), key.publicJwk(), key.expiresAt().atOffset(ZoneOffset.UTC));
        return unit.query(KEY, row).map(added -> {
            if (added.size() > 0) {
                records.key(key);
            }
            return null;
        });
    }

    public static Buffer hash(String secret) {
        try {
            // Secrets are long and random, made by machines: a plain hash is enough.
            var digest = MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8));
            return Buffer.buffer(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JVM has no SHA-256", e);
        }
    }

    /**
     * Begins a change of what decisions rest on. The row lock makes commits, and so the records on the topic, follow each other in the
     * order of their revisions; and what is looked up behind it, no other change can be about to make untrue.
     */
    public static Future<AuthzRecords> raised(UnitOfWork unit) {
        return unit.query(LOCK, Tuple.tuple()).map(rows -> {
            var next = rows.iterator().next().getLong(0) + 1;
            return new AuthzRecords(unit, next, () -> unit.write(RAISE, Tuple.of(next)));
        });
    }
}

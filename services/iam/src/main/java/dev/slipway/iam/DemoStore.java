package dev.slipway.iam;

import dev.slipway.iam.revision.RevisionStore;
import dev.slipway.iam.revision.domain.Revision;
import dev.slipway.iam.serviceaccount.ServiceAccountStore;
import dev.slipway.iam.signingkey.SigningKeyStore;
import dev.slipway.iam.tenancy.AuthzPublisher;
import dev.slipway.iam.tenancy.binding.RoleBindingStore;
import dev.slipway.iam.tenancy.user.UserStore;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;

import java.time.ZoneOffset;
import java.util.function.Consumer;

/** Revokes the access that a demo created, once. */
final class DemoStore {
    private static final String FIND = """
            SELECT EXISTS (SELECT FROM revoked_issuers WHERE issuer = $1) AS revoked,
                EXISTS (SELECT FROM users WHERE issuer = $1) AS used
            """;
    private static final String INSERT_REVOKED = "INSERT INTO revoked_issuers (issuer, revoked_at) VALUES ($1, $2)";
    private static final String DISABLE_USERS = """
            UPDATE users SET disabled_at = coalesce(disabled_at, $2) WHERE issuer = $1
            RETURNING id, issuer, subject, display_name, false AS active, created_at
            """;
    private static final String REMOVE_BINDINGS = """
            UPDATE role_bindings b SET removed_at = $2 FROM users u
            WHERE b.principal_id = u.id AND u.issuer = $1 AND b.removed_at IS NULL RETURNING\s""" + RoleBindingStore.COLUMNS;

    private static final String DISABLE_ACCOUNTS = """
            UPDATE service_accounts SET state = 'disabled', disabled_at = $2 WHERE issuer = $1 AND state = 'active'
            RETURNING\s""" + ServiceAccountStore.COLUMNS.list();

    /** All of them: the demo's administrators could create any. */
    private static final String REVOKE_CREDENTIALS = "UPDATE credentials SET revoked_at = $1 WHERE revoked_at IS NULL";
    /** The demo's keys, and those of Slipway, whose encryption key is in a file of the demo. */
    private static final String REVOKE_KEYS = """
            UPDATE signing_keys SET revoked_at = $2 WHERE revoked_at IS NULL AND (issuer = $1 OR private_key IS NOT NULL)
            RETURNING\s""" + SigningKeyStore.COLUMNS;

    private final UnitOfWork unit;
    private final Revision revision;

    private DemoStore(UnitOfWork unit, Revision revision) {
        this.unit = unit;
        this.revision = revision;
    }

    /** Revokes all access through the issuer and all credentials, unless that was done before; returns whether it did. */
    static Future<Boolean> revoke(UnitOfWork unit, String issuer) {
        return unit.query(FIND, Tuple.of(issuer)).compose(rows -> {
            var row = rows.iterator().next();
            if (row.getBoolean("revoked") || !row.getBoolean("used")) {
                return Future.succeededFuture(false);
            }
            return RevisionStore.begin(unit)
                    .compose(revision -> new DemoStore(unit, revision).revokeAll(issuer))
                    .map(true);
        });
    }

    static Future<Boolean> isRevoked(UnitOfWork unit, String issuer) {
        return unit.query(FIND, Tuple.of(issuer))
                .map(rows -> rows.iterator().next().getBoolean("revoked"));
    }

    private Future<Void> revokeAll(String issuer) {
        var publisher = new AuthzPublisher(revision);
        var now = unit.now().atOffset(ZoneOffset.UTC);
        unit.write(INSERT_REVOKED, Tuple.of(issuer, now));
        unit.write(REVOKE_CREDENTIALS, Tuple.of(now));
        var parameters = Tuple.of(issuer, now);
        return update(REVOKE_KEYS, parameters, row -> SigningKeyStore.appendRecord(revision, row))
                .compose(ok -> update(
                        REMOVE_BINDINGS, parameters, row -> publisher.publishBinding(RoleBindingStore.fromRow(row))))
                .compose(ok -> update(DISABLE_USERS, parameters, row -> publisher.publishUser(UserStore.fromRow(row))))
                .compose(ok ->
                        update(DISABLE_ACCOUNTS, parameters, row -> ServiceAccountStore.appendRecord(revision, row)));
    }

    private Future<Void> update(String sql, Tuple parameters, Consumer<Row> publish) {
        return unit.query(sql, parameters).map(rows -> {
            rows.forEach(publish);
            return null;
        });
    }
}

package dev.slipway.iam.tenancy.binding;

import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;

import java.util.HashSet;
import java.util.Set;
import java.util.UUID;

/** Reads which scopes have an owner: an active user with a permanent owner role, granted directly or through a group. */
final class OwnerStore {
    private static final String LIST_OWNED = """
            SELECT DISTINCT b.place_id FROM role_bindings b JOIN roles r ON r.name = b.role AND r.owner
            WHERE b.place_id = ANY($1) AND b.removed_at IS NULL AND b.expires_at IS NULL
            AND (EXISTS (SELECT FROM users u WHERE u.id = b.principal_id AND u.disabled_at IS NULL)
                OR EXISTS (SELECT FROM group_members m JOIN users u ON u.id = m.user_id AND u.disabled_at IS NULL
                           WHERE m.group_id = b.principal_id AND m.removed_at IS NULL))
            """;

    private OwnerStore() {}

    /** Returns those of the scopes that have an owner. */
    static Future<Set<UUID>> listOwned(UnitOfWork unit, UUID[] scopeIds) {
        return unit.query(LIST_OWNED, Tuple.tuple().addArrayOfUUID(scopeIds)).map(rows -> {
            var owned = new HashSet<UUID>();
            rows.forEach(row -> owned.add(row.getUUID("place_id")));
            return owned;
        });
    }
}

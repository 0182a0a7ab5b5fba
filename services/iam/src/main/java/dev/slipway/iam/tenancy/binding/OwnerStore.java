package dev.slipway.iam.tenancy.binding;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.iam.tenancy.domain.Place;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;

import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * Who owns a place: an active user who holds its owner role for good, by themselves or in a group. Looked up behind the revision's lock, so
 * of two who remove each other one comes second, and sees it.
 */
public final class OwnerStore {
    private static final String OWNED = """
            SELECT DISTINCT b.place_id FROM role_bindings b JOIN roles r ON r.name = b.role AND r.owner
            WHERE b.place_id = ANY($1) AND b.removed_at IS NULL AND b.expires_at IS NULL
            AND (EXISTS (SELECT FROM users u WHERE u.id = b.principal_id AND u.disabled_at IS NULL)
                OR EXISTS (SELECT FROM group_members m JOIN users u ON u.id = m.user_id AND u.disabled_at IS NULL
                           WHERE m.group_id = b.principal_id AND m.removed_at IS NULL))
            """;

    private OwnerStore() {}

    /** Makes a change that may cost places their owners; fails with last_owner if one that had an owner has none then. */
    public static <T> Future<T> keeping(UnitOfWork unit, Collection<Place> places, Supplier<Future<T>> change) {
        var ids = places.stream().map(Place::id).distinct().toArray(UUID[]::new);
        return owned(unit, ids).compose(before -> change.get()
                .compose(changed -> owned(unit, ids).map(after -> {
                    if (!after.containsAll(before)) {
                        throw Problem.of(
                                        ErrorCode.LAST_OWNER,
                                        "This would leave an organization, a project or the platform without an owner. Make someone else an owner first, without an end.")
                                .asException();
                    }
                    return changed;
                })));
    }

    private static Future<Set<UUID>> owned(UnitOfWork unit, UUID[] places) {
        return unit.query(OWNED, Tuple.tuple().addArrayOfUUID(places)).map(rows -> {
            var owned = new HashSet<UUID>();
            rows.forEach(row -> owned.add(row.getUUID(0)));
            return owned;
        });
    }
}

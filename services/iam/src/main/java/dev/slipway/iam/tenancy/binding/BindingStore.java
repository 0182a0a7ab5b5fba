package dev.slipway.iam.tenancy.binding;

import dev.slipway.contract.Cursor;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Problem;
import dev.slipway.iam.tenancy.AuthzRecords;
import dev.slipway.iam.tenancy.domain.Place;
import dev.slipway.iam.tenancy.domain.Place.Level;
import dev.slipway.iam.tenancy.domain.RoleBinding;
import dev.slipway.iam.tenancy.domain.RoleBinding.Holder;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Page;
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
import java.util.UUID;

/** All SQL of role bindings. One that is removed stays as history. */
public final class BindingStore {
    private static final String SELECT = """
            SELECT b.id, b.principal_type, b.principal_id, b.role, b.level, b.org_id, b.project_id, b.expires_at, b.created_at,
                b.removed_at
            FROM role_bindings b
            """;
    private static final String FIND = SELECT + "WHERE b.id = $1 AND b.place_id = $2";
    private static final String SAME =
            SELECT + "WHERE b.principal_id = $1 AND b.role = $2 AND b.place_id = $3 AND b.removed_at IS NULL";
    private static final String OF = SELECT + "WHERE b.principal_id = $1 AND b.removed_at IS NULL";
    private static final String LIST = SELECT + """
            WHERE b.place_id = $1 AND b.removed_at IS NULL
            AND ($2::timestamptz IS NULL OR (b.created_at, b.id) < ($2, $3::uuid))
            ORDER BY b.created_at DESC, b.id DESC LIMIT $4
            """;
    private static final String ADD = """
            INSERT INTO role_bindings (id, principal_type, principal_id, role, level, org_id, project_id, expires_at, created_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING RETURNING id
            """;
    private static final String SET_END = "UPDATE role_bindings SET expires_at = $3 WHERE id = $1 AND place_id = $2";
    private static final String REMOVE = "UPDATE role_bindings SET removed_at = $3 WHERE id = $1 AND place_id = $2";
    private static final String OWNER_ROLE = "SELECT name FROM roles WHERE owner AND level = $1 AND org_id IS NULL";
    private static final String GROUP = "SELECT FROM groups WHERE id = $1 AND org_id = $2 AND deleted_at IS NULL";

    /** For telling everything again: all of them, in the order of their ids. */
    public static final String AFTER = SELECT + "WHERE b.id > $1 ORDER BY b.id LIMIT $2";

    private final SqlClient reads;

    public BindingStore(SqlClient reads) {
        this.reads = reads;
    }

    /** Makes a user the owner of a place, by the role that the registry marks so. */
    public static Future<Void> own(UnitOfWork unit, AuthzRecords records, UUID userId, Place place) {
        return unit.query(OWNER_ROLE, Tuple.of(place.level().text())).compose(rows -> {
            var role = rows.iterator().next().getString(0);
            return add(
                    unit,
                    records,
                    new RoleBinding(Ids.next(), Holder.USER, userId, role, place, null, unit.now(), null));
        });
    }

    /** Adds it, unless its id is there or its holder holds the role at the place. */
    public static Future<Void> add(UnitOfWork unit, AuthzRecords records, RoleBinding binding) {
        var row = Tuple.from(new Object[] {
            binding.id(),
            binding.holder().text(),
            binding.principalId(),
            binding.role(),
            binding.place().level().text(),
            binding.place().orgId(),
            binding.place().projectId(),
            at(binding.expiresAt()),
            at(binding.createdAt())
        });
        return unit.query(ADD, row).map(added -> {
            if (added.size() > 0) {
                records.binding(binding);
            }
            return null;
        });
    }

    /** The binding by which the same holder has the same role at the same place, if there is one. */
    static Future<@Nullable RoleBinding> same(UnitOfWork unit, UUID principalId, String role, Place place) {
        return unit.query(SAME, Tuple.of(principalId, role, place.id()))
                .map(rows -> rows.size() == 0 ? null : fromRow(rows.iterator().next()));
    }

    static void setEnd(UnitOfWork unit, AuthzRecords records, RoleBinding next) {
        unit.write(SET_END, Tuple.of(next.id(), next.place().id(), at(next.expiresAt())));
        records.binding(next);
    }

    public static void remove(UnitOfWork unit, AuthzRecords records, RoleBinding removed) {
        unit.write(REMOVE, Tuple.of(removed.id(), removed.place().id(), at(removed.removedAt())));
        records.binding(removed);
    }

    /** What a user or a group holds, wherever; in the transaction of a change. */
    public static Future<List<RoleBinding>> heldBy(UnitOfWork unit, UUID principalId) {
        return unit.query(OF, Tuple.of(principalId)).map(BindingStore::all);
    }

    static Future<RoleBinding> load(UnitOfWork unit, Place place, UUID id) {
        return unit.query(FIND, Tuple.of(id, place.id())).compose(BindingStore::one);
    }

    static Future<Boolean> isGroup(UnitOfWork unit, UUID orgId, UUID id) {
        return unit.query(GROUP, Tuple.of(id, orgId)).map(rows -> rows.size() > 0);
    }

    Future<RoleBinding> find(Place place, UUID id) {
        return reads.preparedQuery(FIND).execute(Tuple.of(id, place.id())).compose(BindingStore::one);
    }

    Future<Page<RoleBinding>> list(Place place, @Nullable Cursor after, int limit) {
        var row = Tuple.of(
                place.id(), at(after == null ? null : after.createdAt()), after == null ? null : after.id(), limit + 1);
        return reads.preparedQuery(LIST)
                .execute(row)
                .map(rows -> Page.of(all(rows), limit, last -> new Cursor(last.createdAt(), last.id())));
    }

    public static RoleBinding fromRow(Row row) {
        return new RoleBinding(
                row.getUUID("id"),
                Holder.of(row.getString("principal_type")),
                row.getUUID("principal_id"),
                row.getString("role"),
                new Place(Level.of(row.getString("level")), row.getUUID("org_id"), row.getUUID("project_id")),
                instant(row.getOffsetDateTime("expires_at")),
                row.getOffsetDateTime("created_at").toInstant(),
                instant(row.getOffsetDateTime("removed_at")));
    }

    private static List<RoleBinding> all(RowSet<Row> rows) {
        var found = new ArrayList<RoleBinding>();
        rows.forEach(row -> found.add(fromRow(row)));
        return found;
    }

    private static Future<RoleBinding> one(RowSet<Row> rows) {
        return rows.size() == 0
                ? Future.failedFuture(Problem.of(ErrorCode.NOT_FOUND, "There is no such role binding here.")
                        .asException())
                : Future.succeededFuture(fromRow(rows.iterator().next()));
    }

    private static @Nullable OffsetDateTime at(@Nullable Instant instant) {
        return instant == null ? null : instant.atOffset(ZoneOffset.UTC);
    }

    private static @Nullable Instant instant(@Nullable OffsetDateTime time) {
        return time == null ? null : time.toInstant();
    }
}

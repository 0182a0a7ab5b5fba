package dev.slipway.iam.tenancy.binding;

import dev.slipway.contract.Cursor;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Problem;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.iam.tenancy.AuthzPublisher;
import dev.slipway.iam.tenancy.domain.BindingScope;
import dev.slipway.iam.tenancy.domain.BindingScope.Level;
import dev.slipway.iam.tenancy.domain.RoleBinding;
import dev.slipway.iam.tenancy.domain.RoleBinding.Holder;
import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.TableColumns;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Page;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** All SQL of role bindings. Removed bindings are kept as history. */
public final class RoleBindingStore {
    private static final TableColumns TABLE = TableColumns.of(
            "role_bindings",
            "id",
            "principal_type",
            "principal_id",
            "role",
            "level",
            "org_id",
            "project_id",
            "expires_at",
            "created_at",
            "removed_at");
    /** The columns for a SELECT from {@code role_bindings b}. */
    public static final String COLUMNS = TABLE.listOf("b");

    private static final String SELECT = "SELECT " + COLUMNS + " FROM role_bindings b ";
    private static final String FIND = SELECT + "WHERE b.id = $1 AND b.place_id = $2";
    private static final String FIND_ACTIVE =
            SELECT + "WHERE b.principal_id = $1 AND b.role = $2 AND b.place_id = $3 AND b.removed_at IS NULL";
    private static final String LIST_BY_PRINCIPAL = SELECT + "WHERE b.principal_id = $1 AND b.removed_at IS NULL";
    private static final String LIST = SELECT + """
            WHERE b.place_id = $1 AND b.removed_at IS NULL
            AND ($2::timestamptz IS NULL OR (b.created_at, b.id) < ($2, $3::uuid))
            ORDER BY b.created_at DESC, b.id DESC LIMIT $4
            """;
    private static final String INSERT = TABLE.insert() + "ON CONFLICT DO NOTHING RETURNING id";
    private static final String UPDATE_EXPIRY =
            "UPDATE role_bindings SET expires_at = $3 WHERE id = $1 AND place_id = $2";
    private static final String REMOVE = "UPDATE role_bindings SET removed_at = $3 WHERE id = $1 AND place_id = $2";
    private static final String OWNER_ROLE = "SELECT name FROM roles WHERE owner AND level = $1 AND org_id IS NULL";
    private static final String GROUP = "SELECT FROM groups WHERE id = $1 AND org_id = $2 AND deleted_at IS NULL";

    /** Reads all rows page by page, for republishing. */
    public static final String AFTER = SELECT + "WHERE b.id > $1 ORDER BY b.id LIMIT $2";

    private final SqlClient reads;

    public RoleBindingStore(SqlClient reads) {
        this.reads = reads;
    }

    /** Grants a user the built-in role that the registry marks as the owner role of the level. */
    public static Future<Void> grantOwnerRole(
            UnitOfWork unit, AuthzPublisher publisher, UUID userId, BindingScope bindingScope) {
        return unit.query(OWNER_ROLE, Tuple.of(bindingScope.level().text())).compose(rows -> {
            var role = rows.iterator().next().getString("name");
            return insert(
                    unit,
                    publisher,
                    new RoleBinding(Ids.next(), Holder.USER, userId, role, bindingScope, null, unit.now(), null));
        });
    }

    /** Inserts a binding unless its id exists or the principal already has the role at the scope. */
    public static Future<Void> insert(UnitOfWork unit, AuthzPublisher publisher, RoleBinding binding) {
        var row = Tuple.from(new Object[] {
            binding.id(),
            binding.holder().text(),
            binding.principalId(),
            binding.role(),
            binding.scope().level().text(),
            binding.scope().orgId(),
            binding.scope().projectId(),
            SqlTime.ofNullable(binding.expiresAt()),
            SqlTime.of(binding.createdAt()),
            SqlTime.ofNullable(binding.removedAt())
        });
        return unit.query(INSERT, row).map(added -> {
            if (added.size() > 0) {
                publisher.publishBinding(binding);
            }
            return null;
        });
    }

    /** Returns the current binding of the role to the principal at the scope, or null. */
    static Future<@Nullable RoleBinding> findActive(
            UnitOfWork unit, UUID principalId, String role, BindingScope bindingScope) {
        return unit.query(FIND_ACTIVE, Tuple.of(principalId, role, bindingScope.id()))
                .map(rows -> rows.size() == 0 ? null : fromRow(rows.iterator().next()));
    }

    static void updateExpiry(UnitOfWork unit, AuthzPublisher publisher, RoleBinding next) {
        unit.write(UPDATE_EXPIRY, Tuple.of(next.id(), next.scope().id(), SqlTime.ofNullable(next.expiresAt())));
        publisher.publishBinding(next);
    }

    public static void remove(UnitOfWork unit, AuthzPublisher publisher, RoleBinding removed) {
        unit.write(REMOVE, Tuple.of(removed.id(), removed.scope().id(), SqlTime.ofNullable(removed.removedAt())));
        publisher.publishBinding(removed);
    }

    /** Lists the current bindings of a user or a group at all scopes, in the transaction of a change. */
    public static Future<List<RoleBinding>> listByPrincipal(UnitOfWork unit, UUID principalId) {
        return unit.query(LIST_BY_PRINCIPAL, Tuple.of(principalId)).map(RoleBindingStore::all);
    }

    static Future<RoleBinding> load(UnitOfWork unit, BindingScope bindingScope, UUID id) {
        return unit.query(FIND, Tuple.of(id, bindingScope.id())).compose(RoleBindingStore::requireOne);
    }

    static Future<Boolean> isGroup(UnitOfWork unit, UUID orgId, UUID id) {
        return unit.query(GROUP, Tuple.of(id, orgId)).map(rows -> rows.size() > 0);
    }

    Future<RoleBinding> find(BindingScope bindingScope, UUID id) {
        return reads.preparedQuery(FIND)
                .execute(Tuple.of(id, bindingScope.id()))
                .compose(RoleBindingStore::requireOne);
    }

    Future<Page<RoleBinding>> list(BindingScope bindingScope, @Nullable Cursor after, int limit) {
        var row = Tuple.of(
                bindingScope.id(),
                SqlTime.ofNullable(after == null ? null : after.createdAt()),
                after == null ? null : after.id(),
                limit + 1);
        return reads.preparedQuery(LIST)
                .execute(row)
                .map(rows -> Page.of(all(rows), limit, last -> new Cursor(last.createdAt(), last.id())));
    }

    public static RoleBinding fromRow(Row row) {
        return new RoleBinding(
                row.getUUID("id"),
                TextEnum.parse(Holder.class, row.getString("principal_type")),
                row.getUUID("principal_id"),
                row.getString("role"),
                new BindingScope(
                        TextEnum.parse(Level.class, row.getString("level")),
                        row.getUUID("org_id"),
                        row.getUUID("project_id")),
                SqlTime.readNullable(row, "expires_at"),
                row.getOffsetDateTime("created_at").toInstant(),
                SqlTime.readNullable(row, "removed_at"));
    }

    private static List<RoleBinding> all(RowSet<Row> rows) {
        var found = new ArrayList<RoleBinding>();
        rows.forEach(row -> found.add(fromRow(row)));
        return found;
    }

    private static Future<RoleBinding> requireOne(RowSet<Row> rows) {
        return rows.size() == 0
                ? Future.failedFuture(Problem.of(ErrorCode.NOT_FOUND, "The role binding was not found at this scope.")
                        .asException())
                : Future.succeededFuture(fromRow(rows.iterator().next()));
    }
}

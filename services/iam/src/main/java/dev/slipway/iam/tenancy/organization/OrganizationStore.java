package dev.slipway.iam.tenancy.organization;

import dev.slipway.contract.Cursor;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.iam.tenancy.AuthzPublisher;
import dev.slipway.iam.tenancy.domain.Organization;
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
import java.util.Set;
import java.util.UUID;

/** All SQL of organizations. */
public final class OrganizationStore {
    private static final TableColumns COLUMNS = TableColumns.of(
            "organizations", "id", "slug", "display_name", "plan", "created_at", "updated_at", "deleted_at");
    private static final String SELECT = COLUMNS.select();
    private static final String FIND = SELECT + "WHERE id = $1";
    private static final String LIST = SELECT + """
            WHERE deleted_at IS NULL AND ($1::uuid[] IS NULL OR id = ANY($1))
            AND ($2::timestamptz IS NULL OR (created_at, id) < ($2, $3::uuid))
            ORDER BY created_at DESC, id DESC LIMIT $4
            """;
    private static final String INSERT = COLUMNS.insert() + "ON CONFLICT DO NOTHING RETURNING id";
    private static final String UPDATE = """
            UPDATE organizations SET display_name = $2, plan = $3, updated_at = $4, deleted_at = CASE WHEN $5 THEN $4::timestamptz END
            WHERE id = $1
            """;
    private static final String HAS_PROJECTS =
            "SELECT EXISTS (SELECT FROM projects WHERE org_id = $1 AND deleted_at IS NULL) AS has_projects";

    /** Reads all rows page by page, for republishing. */
    public static final String AFTER = SELECT + "WHERE id > $1 ORDER BY id LIMIT $2";

    private final SqlClient reads;

    public OrganizationStore(SqlClient reads) {
        this.reads = reads;
    }

    /** Inserts a new organization. Returns whether it was inserted: false if its id or slug is taken. */
    public static Future<Boolean> insert(UnitOfWork unit, AuthzPublisher publisher, Organization organization) {
        var row = Tuple.from(new Object[] {
            organization.id(),
            organization.slug(),
            organization.displayName(),
            organization.plan(),
            SqlTime.of(organization.createdAt()),
            SqlTime.of(organization.updatedAt()),
            null
        });
        return unit.query(INSERT, row).map(added -> {
            if (added.size() > 0) {
                publisher.publishOrganization(organization);
            }
            return added.size() > 0;
        });
    }

    public static void update(UnitOfWork unit, AuthzPublisher publisher, Organization next) {
        unit.write(
                UPDATE,
                Tuple.of(next.id(), next.displayName(), next.plan(), SqlTime.of(next.updatedAt()), next.deleted()));
        publisher.publishOrganization(next);
    }

    /** Loads it, also if it is deleted, in the transaction of a change. */
    public static Future<Organization> load(UnitOfWork unit, UUID id) {
        return unit.query(FIND, Tuple.of(id)).compose(rows -> requireOne(rows, id));
    }

    static Future<Boolean> hasProjects(UnitOfWork unit, UUID id) {
        return unit.query(HAS_PROJECTS, Tuple.of(id))
                .map(rows -> rows.iterator().next().getBoolean("has_projects"));
    }

    Future<Organization> find(UUID id) {
        return reads.preparedQuery(FIND).execute(Tuple.of(id)).compose(rows -> requireOne(rows, id));
    }

    /** Lists the given organizations, or all. */
    Future<Page<Organization>> list(@Nullable Set<UUID> among, @Nullable Cursor after, int limit) {
        var row = Tuple.of(
                among == null ? null : among.toArray(UUID[]::new),
                after == null ? null : SqlTime.of(after.createdAt()),
                after == null ? null : after.id(),
                limit + 1);
        return reads.preparedQuery(LIST).execute(row).map(rows -> {
            var found = new ArrayList<Organization>();
            rows.forEach(each -> found.add(fromRow(each)));
            return Page.of(found, limit, last -> new Cursor(last.createdAt(), last.id()));
        });
    }

    public static Organization fromRow(Row row) {
        return new Organization(
                row.getUUID("id"),
                row.getString("slug"),
                row.getString("display_name"),
                row.getString("plan"),
                row.getValue("deleted_at") != null,
                SqlTime.read(row, "created_at"),
                SqlTime.read(row, "updated_at"));
    }

    private static Future<Organization> requireOne(RowSet<Row> rows, UUID id) {
        return rows.size() == 0
                ? Future.failedFuture(Problem.of(ErrorCode.NOT_FOUND, "Organization " + id + " was not found.")
                        .asException())
                : Future.succeededFuture(fromRow(rows.iterator().next()));
    }
}

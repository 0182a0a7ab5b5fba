package dev.slipway.iam.tenancy.organization;

import dev.slipway.contract.Cursor;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.iam.tenancy.AuthzPublisher;
import dev.slipway.iam.tenancy.domain.Department;
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
import java.util.UUID;

/** All SQL of departments. */
public final class DepartmentStore {
    private static final TableColumns COLUMNS = TableColumns.of(
            "departments", "id", "org_id", "slug", "display_name", "is_default", "created_at", "deleted_at");
    private static final String SELECT = COLUMNS.select();
    private static final String FIND = SELECT + "WHERE id = $1 AND org_id = $2";
    private static final String DEFAULT = SELECT + "WHERE org_id = $1 AND is_default";
    private static final String LIST = SELECT + """
            WHERE org_id = $1 AND deleted_at IS NULL AND ($2::timestamptz IS NULL OR (created_at, id) < ($2, $3::uuid))
            ORDER BY created_at DESC, id DESC LIMIT $4
            """;
    private static final String INSERT = COLUMNS.insert() + "ON CONFLICT DO NOTHING RETURNING id";
    private static final String RENAME = "UPDATE departments SET display_name = $3 WHERE id = $1 AND org_id = $2";
    private static final String DELETE = "UPDATE departments SET deleted_at = $3 WHERE id = $1 AND org_id = $2";
    private static final String HAS_PROJECTS =
            "SELECT EXISTS (SELECT FROM projects WHERE department_id = $1 AND org_id = $2 AND deleted_at IS NULL) AS has_projects";

    /** Reads all rows page by page, for republishing. */
    public static final String AFTER = SELECT + "WHERE id > $1 ORDER BY id LIMIT $2";

    private final SqlClient reads;

    public DepartmentStore(SqlClient reads) {
        this.reads = reads;
    }

    /** Inserts a new department. Returns whether it was inserted: false if the organization has the slug, or a default department already. */
    public static Future<Boolean> insert(UnitOfWork unit, AuthzPublisher publisher, Department department) {
        var row = Tuple.from(new Object[] {
            department.id(),
            department.orgId(),
            department.slug(),
            department.displayName(),
            department.isDefault(),
            SqlTime.of(department.createdAt()),
            null
        });
        return unit.query(INSERT, row).map(added -> {
            if (added.size() > 0) {
                publisher.publishDepartment(department);
            }
            return added.size() > 0;
        });
    }

    static void rename(UnitOfWork unit, AuthzPublisher publisher, Department next) {
        unit.write(RENAME, Tuple.of(next.id(), next.orgId(), next.displayName()));
        publisher.publishDepartment(next);
    }

    static void delete(UnitOfWork unit, AuthzPublisher publisher, Department next) {
        unit.write(DELETE, Tuple.of(next.id(), next.orgId(), SqlTime.of(unit.now())));
        publisher.publishDepartment(next);
    }

    /** Loads a department, or the default department if the id is null, in the transaction of a change. */
    public static Future<Department> load(UnitOfWork unit, UUID orgId, @Nullable UUID id) {
        return id == null
                ? unit.query(DEFAULT, Tuple.of(orgId)).compose(DepartmentStore::requireOne)
                : unit.query(FIND, Tuple.of(id, orgId)).compose(DepartmentStore::requireOne);
    }

    static Future<Boolean> hasProjects(UnitOfWork unit, Department department) {
        return unit.query(HAS_PROJECTS, Tuple.of(department.id(), department.orgId()))
                .map(rows -> rows.iterator().next().getBoolean("has_projects"));
    }

    Future<Department> find(UUID orgId, UUID id) {
        return reads.preparedQuery(FIND).execute(Tuple.of(id, orgId)).compose(DepartmentStore::requireOne);
    }

    Future<Page<Department>> list(UUID orgId, @Nullable Cursor after, int limit) {
        var row = Tuple.of(
                orgId,
                after == null ? null : SqlTime.of(after.createdAt()),
                after == null ? null : after.id(),
                limit + 1);
        return reads.preparedQuery(LIST).execute(row).map(rows -> {
            var found = new ArrayList<Department>();
            rows.forEach(each -> found.add(fromRow(each)));
            return Page.of(found, limit, last -> new Cursor(last.createdAt(), last.id()));
        });
    }

    public static Department fromRow(Row row) {
        return new Department(
                row.getUUID("id"),
                row.getUUID("org_id"),
                row.getString("slug"),
                row.getString("display_name"),
                row.getBoolean("is_default"),
                row.getValue("deleted_at") != null,
                SqlTime.read(row, "created_at"));
    }

    private static Future<Department> requireOne(RowSet<Row> rows) {
        return rows.size() == 0
                ? Future.failedFuture(
                        Problem.of(ErrorCode.NOT_FOUND, "The department was not found in this organization.")
                                .asException())
                : Future.succeededFuture(fromRow(rows.iterator().next()));
    }
}

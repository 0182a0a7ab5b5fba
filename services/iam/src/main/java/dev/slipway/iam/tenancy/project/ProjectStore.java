package dev.slipway.iam.tenancy.project;

import dev.slipway.authz.Authorizer.AccessibleScopes;
import dev.slipway.contract.Cursor;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.contract.domain.ResourceState;
import dev.slipway.iam.tenancy.AuthzPublisher;
import dev.slipway.iam.tenancy.domain.Project;
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

/** All SQL of projects. */
public final class ProjectStore {
    private static final TableColumns COLUMNS = TableColumns.of(
            "projects",
            "id",
            "org_id",
            "department_id",
            "slug",
            "display_name",
            "operator_service_account_id",
            "created_at",
            "updated_at",
            "deleted_at",
            "suspended_at");
    private static final String SELECT = COLUMNS.select();
    private static final String FIND = SELECT + "WHERE id = $1 AND org_id = $2";
    private static final String LIST = SELECT + """
            WHERE (org_id = ANY($1) OR id = ANY($2)) AND ($3::uuid IS NULL OR org_id = $3) AND deleted_at IS NULL
            AND ($4::timestamptz IS NULL OR (created_at, id) < ($4, $5::uuid))
            ORDER BY created_at DESC, id DESC LIMIT $6
            """;
    private static final String INSERT = COLUMNS.insert() + "ON CONFLICT DO NOTHING RETURNING id";
    private static final String UPDATE = """
            UPDATE projects SET display_name = $3, department_id = $4, updated_at = $5,
                deleted_at = CASE WHEN $6 = 'deleted' THEN $5::timestamptz END,
                suspended_at = CASE WHEN $6 = 'suspended' THEN coalesce(suspended_at, $5::timestamptz) END
            WHERE id = $1 AND org_id = $2
            """;

    /** Reads all rows page by page, for republishing. */
    public static final String AFTER = SELECT + "WHERE id > $1 ORDER BY id LIMIT $2";

    private final SqlClient reads;

    public ProjectStore(SqlClient reads) {
        this.reads = reads;
    }

    /** Inserts a new project. Returns whether it was inserted: false if its id, or its slug in the organization, is taken. */
    public static Future<Boolean> insert(UnitOfWork unit, AuthzPublisher publisher, Project project) {
        var row = Tuple.from(new Object[] {
            project.id(),
            project.orgId(),
            project.departmentId(),
            project.slug(),
            project.displayName(),
            project.operatorServiceAccountId(),
            SqlTime.of(project.createdAt()),
            SqlTime.of(project.updatedAt()),
            null,
            null
        });
        return unit.query(INSERT, row).map(added -> {
            if (added.size() > 0) {
                publisher.publishProject(project);
            }
            return added.size() > 0;
        });
    }

    static void update(UnitOfWork unit, AuthzPublisher publisher, Project next) {
        unit.write(UPDATE, Tuple.from(new Object[] {
            next.id(),
            next.orgId(),
            next.displayName(),
            next.departmentId(),
            SqlTime.of(next.updatedAt()),
            next.state().text()
        }));
        publisher.publishProject(next);
    }

    /** Loads it, also if it is deleted, in the transaction of a change. */
    static Future<Project> load(UnitOfWork unit, UUID orgId, UUID id) {
        return unit.query(FIND, Tuple.of(id, orgId)).compose(ProjectStore::requireOne);
    }

    Future<Project> find(UUID orgId, UUID id) {
        return reads.preparedQuery(FIND).execute(Tuple.of(id, orgId)).compose(ProjectStore::requireOne);
    }

    /** Lists the accessible projects, of one organization or of all. */
    Future<Page<Project>> list(
            AccessibleScopes accessibleScopes, @Nullable UUID orgId, @Nullable Cursor after, int limit) {
        var row = Tuple.from(new Object[] {
            accessibleScopes.orgIds().toArray(UUID[]::new),
            accessibleScopes.projectIds().toArray(UUID[]::new),
            orgId,
            after == null ? null : SqlTime.of(after.createdAt()),
            after == null ? null : after.id(),
            limit + 1
        });
        return reads.preparedQuery(LIST).execute(row).map(rows -> {
            var found = new ArrayList<Project>();
            rows.forEach(each -> found.add(fromRow(each)));
            return Page.of(found, limit, last -> new Cursor(last.createdAt(), last.id()));
        });
    }

    public static Project fromRow(Row row) {
        return new Project(
                row.getUUID("id"),
                row.getUUID("org_id"),
                row.getUUID("department_id"),
                row.getString("slug"),
                row.getString("display_name"),
                row.getUUID("operator_service_account_id"),
                state(row),
                SqlTime.read(row, "created_at"),
                SqlTime.read(row, "updated_at"));
    }

    private static ResourceState state(Row row) {
        if (row.getValue("deleted_at") != null) {
            return ResourceState.DELETED;
        }
        return row.getValue("suspended_at") == null ? ResourceState.ACTIVE : ResourceState.SUSPENDED;
    }

    private static Future<Project> requireOne(RowSet<Row> rows) {
        return rows.size() == 0
                ? Future.failedFuture(Problem.of(ErrorCode.NOT_FOUND, "The project was not found.")
                        .asException())
                : Future.succeededFuture(fromRow(rows.iterator().next()));
    }
}

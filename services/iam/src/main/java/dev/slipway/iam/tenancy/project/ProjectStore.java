package dev.slipway.iam.tenancy.project;

import dev.slipway.authz.Authorizer.AccessibleScopes;
import dev.slipway.contract.Cursor;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.iam.tenancy.AuthzPublisher;
import dev.slipway.iam.tenancy.domain.Project;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Page;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.UUID;

/** All SQL of projects. */
public final class ProjectStore {
    private static final String SELECT = """
            SELECT id, org_id, department_id, slug, display_name, operator_service_account_id, deleted_at IS NOT NULL AS deleted,
                created_at, updated_at
            FROM projects
            """;
    private static final String FIND = SELECT + "WHERE id = $1 AND org_id = $2";
    private static final String LIST = SELECT + """
            WHERE (org_id = ANY($1) OR id = ANY($2)) AND ($3::uuid IS NULL OR org_id = $3) AND deleted_at IS NULL
            AND ($4::timestamptz IS NULL OR (created_at, id) < ($4, $5::uuid))
            ORDER BY created_at DESC, id DESC LIMIT $6
            """;
    private static final String INSERT = """
            INSERT INTO projects (id, org_id, department_id, slug, display_name, operator_service_account_id, created_at, updated_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $7)
            ON CONFLICT DO NOTHING RETURNING id
            """;
    private static final String UPDATE = """
            UPDATE projects SET display_name = $3, department_id = $4, updated_at = $5,
                deleted_at = CASE WHEN $6 THEN $5::timestamptz END
            WHERE id = $1 AND org_id = $2
            """;

    /** Reads all rows page by page, for republishing. */
    public static final String AFTER = SELECT + "WHERE id > $1 ORDER BY id LIMIT $2";

    private final SqlClient reads;

    public ProjectStore(SqlClient reads) {
        this.reads = reads;
    }

    /** Returns whether it was inserted: false if its id, or its slug in the organization, is taken. */
    public static Future<Boolean> insert(UnitOfWork unit, AuthzPublisher publisher, Project project) {
        var row = Tuple.from(new Object[] {
            project.id(),
            project.orgId(),
            project.departmentId(),
            project.slug(),
            project.displayName(),
            project.operatorServiceAccountId(),
            project.createdAt().atOffset(ZoneOffset.UTC)
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
            next.updatedAt().atOffset(ZoneOffset.UTC),
            next.deleted()
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
            after == null ? null : after.createdAt().atOffset(ZoneOffset.UTC),
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
                row.getBoolean("deleted"),
                row.getOffsetDateTime("created_at").toInstant(),
                row.getOffsetDateTime("updated_at").toInstant());
    }

    private static Future<Project> requireOne(RowSet<Row> rows) {
        return rows.size() == 0
                ? Future.failedFuture(Problem.of(ErrorCode.NOT_FOUND, "The project was not found.")
                        .asException())
                : Future.succeededFuture(fromRow(rows.iterator().next()));
    }
}

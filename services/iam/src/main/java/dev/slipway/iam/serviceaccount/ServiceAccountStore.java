package dev.slipway.iam.serviceaccount;

import dev.slipway.contract.Cursor;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.contract.domain.ResourceState;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.iam.revision.domain.Revision;
import dev.slipway.iam.serviceaccount.domain.ServiceAccount;
import dev.slipway.iam.tenancy.domain.PrincipalRecord;
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

/** All SQL of service accounts. An account of another project is not found. */
public final class ServiceAccountStore {
    public static final TableColumns COLUMNS = TableColumns.of(
            "service_accounts",
            "id",
            "org_id",
            "project_id",
            "slug",
            "display_name",
            "issuer",
            "subject",
            "allowed_actions",
            "state",
            "created_by_user_id",
            "created_at",
            "disabled_at",
            "deleted_at");
    private static final String FIND = COLUMNS.select() + "WHERE id = $1 AND project_id = $2";
    private static final String LOCK = FIND + " FOR NO KEY UPDATE";
    private static final String LIST = COLUMNS.select() + """
            WHERE project_id = $1 AND ($2::timestamptz IS NULL OR (created_at, id) < ($2, $3::uuid))
            ORDER BY created_at DESC, id DESC LIMIT $4
            """;
    private static final String INSERT = COLUMNS.insert() + "ON CONFLICT DO NOTHING RETURNING id";
    private static final String UPDATE =
            COLUMNS.update(List.of("id", "project_id"), "state", "disabled_at", "deleted_at", "allowed_actions");

    /** Reads all rows page by page, for republishing. */
    public static final String AFTER = COLUMNS.select() + "WHERE id > $1 ORDER BY id LIMIT $2";

    private final SqlClient reads;

    private record ServiceAccountSnapshot(
            UUID serviceAccountId,
            UUID orgId,
            UUID projectId,
            String slug,
            UUID createdByUserId,
            ResourceState state,
            List<String> allowedActions) {}

    public ServiceAccountStore(SqlClient reads) {
        this.reads = reads;
    }

    /** Returns whether it was inserted and published: false if its id, or its slug in the project, is taken. */
    public static Future<Boolean> insert(UnitOfWork unit, Revision revision, ServiceAccount account) {
        return unit.query(INSERT, toRow(account)).map(added -> {
            if (added.size() > 0) {
                appendRecord(revision, account);
            }
            return added.size() > 0;
        });
    }

    /** Publishes the current state of an account. */
    public static void appendRecord(Revision revision, Row row) {
        appendRecord(revision, fromRow(row));
    }

    private static void appendRecord(Revision revision, ServiceAccount account) {
        revision.publishAuthz(PrincipalRecord.key(account.id()), PrincipalRecord.EVENT_TYPE, account.principalRecord());
        revision.publishState(
                "service_account:" + account.id(),
                "iam.service_account.snapshot",
                new ServiceAccountSnapshot(
                        account.id(),
                        account.orgId(),
                        account.projectId(),
                        account.slug(),
                        account.createdByUserId(),
                        account.state(),
                        account.allowedActions()));
    }

    public static void update(UnitOfWork unit, Revision revision, ServiceAccount next) {
        unit.write(
                UPDATE,
                Tuple.of(
                        next.id(),
                        next.projectId(),
                        next.state().text(),
                        SqlTime.ofNullable(next.disabledAt()),
                        SqlTime.ofNullable(next.deletedAt()),
                        next.allowedActions().toArray(String[]::new)));
        appendRecord(revision, next);
    }

    public static Future<ServiceAccount> lock(UnitOfWork unit, UUID projectId, UUID id) {
        return unit.query(LOCK, Tuple.of(id, projectId)).compose(rows -> requireOne(rows, id));
    }

    public Future<ServiceAccount> find(UUID projectId, UUID id) {
        return reads.preparedQuery(FIND).execute(Tuple.of(id, projectId)).compose(rows -> requireOne(rows, id));
    }

    Future<Page<ServiceAccount>> list(UUID projectId, @Nullable Cursor after, int limit) {
        var parameters = Tuple.of(
                projectId,
                after == null ? null : SqlTime.of(after.createdAt()),
                after == null ? null : after.id(),
                limit + 1);
        return reads.preparedQuery(LIST).execute(parameters).map(rows -> {
            var found = new ArrayList<ServiceAccount>();
            rows.forEach(row -> found.add(fromRow(row)));
            return Page.of(found, limit, account -> new Cursor(account.createdAt(), account.id()));
        });
    }

    private static Future<ServiceAccount> requireOne(RowSet<Row> rows, UUID id) {
        return rows.size() == 0
                ? Future.failedFuture(
                        Problem.of(ErrorCode.NOT_FOUND, "Service account " + id + " was not found in this project.")
                                .asException())
                : Future.succeededFuture(fromRow(rows.iterator().next()));
    }

    private static Tuple toRow(ServiceAccount account) {
        return Tuple.from(new Object[] {
            account.id(),
            account.orgId(),
            account.projectId(),
            account.slug(),
            account.displayName(),
            account.issuer(),
            account.subject(),
            account.allowedActions().toArray(String[]::new),
            account.state().text(),
            account.createdByUserId(),
            SqlTime.of(account.createdAt()),
            SqlTime.ofNullable(account.disabledAt()),
            SqlTime.ofNullable(account.deletedAt())
        });
    }

    private static ServiceAccount fromRow(Row row) {
        return new ServiceAccount(
                row.getUUID("id"),
                row.getUUID("org_id"),
                row.getUUID("project_id"),
                row.getString("slug"),
                row.getString("display_name"),
                row.getString("issuer"),
                row.getString("subject"),
                List.of(row.getArrayOfStrings("allowed_actions")),
                TextEnum.parse(ResourceState.class, row.getString("state")),
                row.getUUID("created_by_user_id"),
                SqlTime.read(row, "created_at"),
                SqlTime.readNullable(row, "disabled_at"),
                SqlTime.readNullable(row, "deleted_at"));
    }
}

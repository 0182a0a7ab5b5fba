package dev.slipway.iam.operator;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.contract.domain.ResourceState;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.iam.operator.domain.SharedRuntimeOperator;
import dev.slipway.iam.revision.domain.Revision;
import dev.slipway.iam.tenancy.domain.PrincipalRecord;
import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.TableColumns;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** All SQL of shared-runtime operators. An operator of another organization is not found. */
public final class SharedRuntimeOperatorStore {
    private static final TableColumns COLUMNS = TableColumns.of(
            "shared_runtime_operators",
            "id",
            "org_id",
            "shared_runtime_id",
            "runtime_backend",
            "display_name",
            "allowed_actions",
            "state",
            "created_by_user_id",
            "created_at",
            "disabled_at",
            "deleted_at");
    private static final String FIND = COLUMNS.select() + "WHERE id = $1 AND org_id = $2";
    private static final String LOCK = FIND + " FOR NO KEY UPDATE";
    private static final String LIST =
            COLUMNS.select() + "WHERE org_id = $1 ORDER BY created_at DESC, id DESC LIMIT 500";
    private static final String INSERT = COLUMNS.insert() + """
            ON CONFLICT (org_id, shared_runtime_id) WHERE state <> 'deleted' DO NOTHING RETURNING id
            """;
    private static final String UPDATE = """
            UPDATE shared_runtime_operators SET state = $3, disabled_at = $4, deleted_at = $5 WHERE id = $1 AND org_id = $2
            """;

    /** Reads all rows page by page, for republishing. */
    public static final String AFTER = COLUMNS.select() + "WHERE id > $1 ORDER BY id LIMIT $2";

    private final SqlClient reads;

    /** The payload of {@code authz.principal} for an operator. */
    private record OperatorRecord(@JsonUnwrapped PrincipalRecord principal, UUID sharedRuntimeId) {}

    public SharedRuntimeOperatorStore(SqlClient reads) {
        this.reads = reads;
    }

    /** Returns whether it was inserted and published: false if the shared runtime has an operator already. */
    public static Future<Boolean> insert(UnitOfWork unit, Revision revision, SharedRuntimeOperator operator) {
        return unit.query(INSERT, toRow(operator)).map(inserted -> {
            if (inserted.size() > 0) {
                appendRecord(revision, operator);
            }
            return inserted.size() > 0;
        });
    }

    public static void update(UnitOfWork unit, Revision revision, SharedRuntimeOperator next) {
        unit.write(
                UPDATE,
                Tuple.of(
                        next.id(),
                        next.orgId(),
                        next.state().text(),
                        SqlTime.ofNullable(next.disabledAt()),
                        SqlTime.ofNullable(next.deletedAt())));
        appendRecord(revision, next);
    }

    public static Future<SharedRuntimeOperator> lock(UnitOfWork unit, UUID orgId, UUID id) {
        return unit.query(LOCK, Tuple.of(id, orgId)).compose(rows -> requireOne(rows, id));
    }

    /** Returns whether the organization has, or had, this operator. */
    static Future<Boolean> exists(UnitOfWork unit, UUID orgId, UUID id) {
        return unit.query(FIND, Tuple.of(id, orgId)).map(rows -> rows.size() > 0);
    }

    public Future<SharedRuntimeOperator> find(UUID orgId, UUID id) {
        return reads.preparedQuery(FIND).execute(Tuple.of(id, orgId)).compose(rows -> requireOne(rows, id));
    }

    Future<List<SharedRuntimeOperator>> list(UUID orgId) {
        return reads.preparedQuery(LIST).execute(Tuple.of(orgId)).map(rows -> {
            var items = new ArrayList<SharedRuntimeOperator>(rows.size());
            rows.forEach(row -> items.add(fromRow(row)));
            return items;
        });
    }

    /** Publishes the current state of an operator. */
    public static void appendRecord(Revision revision, Row row) {
        appendRecord(revision, fromRow(row));
    }

    private static void appendRecord(Revision revision, SharedRuntimeOperator operator) {
        revision.publishAuthz(
                PrincipalRecord.key(operator.id()),
                PrincipalRecord.EVENT_TYPE,
                new OperatorRecord(operator.principalRecord(), operator.sharedRuntimeId()));
    }

    private static Future<SharedRuntimeOperator> requireOne(RowSet<Row> rows, UUID id) {
        return rows.size() == 0
                ? Future.failedFuture(
                        Problem.of(ErrorCode.NOT_FOUND, "Operator " + id + " was not found in this organization.")
                                .asException())
                : Future.succeededFuture(fromRow(rows.iterator().next()));
    }

    private static Tuple toRow(SharedRuntimeOperator operator) {
        return Tuple.from(new Object[] {
            operator.id(),
            operator.orgId(),
            operator.sharedRuntimeId(),
            operator.runtimeBackend(),
            operator.displayName(),
            operator.allowedActions().toArray(String[]::new),
            operator.state().text(),
            operator.createdByUserId(),
            SqlTime.of(operator.createdAt()),
            SqlTime.ofNullable(operator.disabledAt()),
            SqlTime.ofNullable(operator.deletedAt())
        });
    }

    private static SharedRuntimeOperator fromRow(Row row) {
        return new SharedRuntimeOperator(
                row.getUUID("id"),
                row.getUUID("org_id"),
                row.getUUID("shared_runtime_id"),
                row.getString("runtime_backend"),
                row.getString("display_name"),
                List.of(row.getArrayOfStrings("allowed_actions")),
                TextEnum.parse(ResourceState.class, row.getString("state")),
                row.getUUID("created_by_user_id"),
                SqlTime.read(row, "created_at"),
                SqlTime.readNullable(row, "disabled_at"),
                SqlTime.readNullable(row, "deleted_at"));
    }
}

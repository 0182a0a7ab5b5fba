package dev.slipway.iam.operator;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.iam.credential.MachineStore;
import dev.slipway.iam.revision.Revision;
import dev.slipway.iam.revision.RevisionStore;
import dev.slipway.messaging.UnitOfWork;
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

/** All SQL of shared-runtime operators. Another organization's operator is not found. */
public final class OperatorStore implements MachineStore<Operator> {
    private static final String COLUMNS = """
            SELECT id, org_id, shared_runtime_id, runtime_backend, display_name, allowed_actions, state, created_by_user_id, created_at, disabled_at,
                   deleted_at
            FROM shared_runtime_operators
            """;
    private static final String FIND = COLUMNS + " WHERE id = $1 AND org_id = $2";
    private static final String LOCK = FIND + " FOR NO KEY UPDATE";
    private static final String LIST = COLUMNS + " WHERE org_id = $1 ORDER BY created_at DESC, id DESC LIMIT 500";
    private static final String INSERT = """
            INSERT INTO shared_runtime_operators (id, org_id, shared_runtime_id, runtime_backend, display_name, allowed_actions,
                created_by_user_id, created_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            ON CONFLICT (org_id, shared_runtime_id) WHERE state <> 'deleted' DO NOTHING RETURNING id
            """;
    private static final String UPDATE = """
            UPDATE shared_runtime_operators SET state = $3, disabled_at = $4, deleted_at = $5 WHERE id = $1 AND org_id = $2
            """;

    /** Every operator, page by page: after an id. */
    public static final String AFTER = COLUMNS + " WHERE id > $1 ORDER BY id LIMIT $2";

    private final SqlClient reads;

    public OperatorStore(SqlClient reads) {
        this.reads = reads;
    }

    @Override
    public Future<Void> add(UnitOfWork unit, Operator operator) {
        var row = Tuple.of(
                operator.id(),
                operator.orgId(),
                operator.sharedRuntimeId(),
                operator.runtimeBackend(),
                operator.displayName(),
                operator.allowedActions().toArray(String[]::new),
                operator.createdByUserId(),
                at(operator.createdAt()));
        return RevisionStore.raised(unit, revision -> unit.query(INSERT, row).compose(added -> {
            if (added.size() == 0) {
                return Future.failedFuture(
                        Problem.validationOf(ErrorCode.SLUG_TAKEN, "/shared_runtime_id", "has an operator already")
                                .asException());
            }
            tell(revision, operator);
            return Future.succeededFuture();
        }));
    }

    @Override
    public void change(UnitOfWork unit, Revision revision, Operator next) {
        unit.write(
                UPDATE,
                Tuple.of(next.id(), next.orgId(), next.state(), orNull(next.disabledAt()), orNull(next.deletedAt())));
        tell(revision, next);
    }

    @Override
    public Future<Operator> lock(UnitOfWork unit, UUID orgId, UUID id) {
        return unit.query(LOCK, Tuple.of(id, orgId)).compose(rows -> one(rows, id));
    }

    @Override
    public Future<Operator> find(UUID orgId, UUID id) {
        return reads.preparedQuery(FIND).execute(Tuple.of(id, orgId)).compose(rows -> one(rows, id));
    }

    Future<List<Operator>> list(UUID orgId) {
        return reads.preparedQuery(LIST).execute(Tuple.of(orgId)).map(rows -> {
            var items = new ArrayList<Operator>(rows.size());
            rows.forEach(row -> items.add(fromRow(row)));
            return items;
        });
    }

    /** Announces an operator as it stands. */
    public static void tell(Revision revision, Row row) {
        tell(revision, fromRow(row));
    }

    private static void tell(Revision revision, Operator operator) {
        revision.authz("principal:" + operator.id(), "authz.principal", operator.principal());
    }

    private static Future<Operator> one(RowSet<Row> rows, UUID id) {
        return rows.size() == 0
                ? Future.failedFuture(
                        Problem.of(ErrorCode.NOT_FOUND, "There is no operator " + id + " in this organization.")
                                .asException())
                : Future.succeededFuture(fromRow(rows.iterator().next()));
    }

    private static Operator fromRow(Row row) {
        return new Operator(
                row.getUUID("id"),
                row.getUUID("org_id"),
                row.getUUID("shared_runtime_id"),
                row.getString("runtime_backend"),
                row.getString("display_name"),
                List.of(row.getArrayOfStrings("allowed_actions")),
                row.getString("state"),
                row.getUUID("created_by_user_id"),
                row.getOffsetDateTime("created_at").toInstant(),
                instant(row, "disabled_at"),
                instant(row, "deleted_at"));
    }

    private static @Nullable Instant instant(Row row, String column) {
        var time = row.getOffsetDateTime(column);
        return time == null ? null : time.toInstant();
    }

    private static @Nullable OffsetDateTime orNull(@Nullable Instant instant) {
        return instant == null ? null : at(instant);
    }

    private static OffsetDateTime at(Instant instant) {
        return instant.atOffset(ZoneOffset.UTC);
    }
}

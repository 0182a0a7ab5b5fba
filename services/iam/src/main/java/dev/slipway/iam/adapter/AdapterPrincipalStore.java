package dev.slipway.iam.adapter;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.contract.domain.ResourceState;
import dev.slipway.iam.adapter.domain.Adapter;
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

/** All SQL of adapters. */
public final class AdapterPrincipalStore {
    private static final TableColumns COLUMNS = TableColumns.of(
            "adapters", "id", "runtime_backend", "display_name", "created_by_user_id", "created_at", "disabled_at");
    private static final String FIND = COLUMNS.select() + "WHERE id = $1";
    private static final String LOCK = FIND + " FOR NO KEY UPDATE";
    private static final String LIST = COLUMNS.select() + "ORDER BY created_at DESC, id DESC LIMIT 500";
    private static final String INSERT = COLUMNS.insert() + "ON CONFLICT DO NOTHING RETURNING id";
    private static final String UPDATE = "UPDATE adapters SET disabled_at = $2 WHERE id = $1";

    private static final String IS_BACKEND_ACTIVE = "SELECT FROM runtime_backends WHERE id = $1 AND state = 'active'";
    private static final String UPSERT_BACKEND = """
            INSERT INTO runtime_backends (id, state, revision) VALUES ($1, $2, $3)
            ON CONFLICT (id) DO UPDATE SET state = $2, revision = $3 WHERE runtime_backends.revision < $3
            """;

    /** Reads all rows page by page, for republishing. */
    public static final String AFTER = COLUMNS.select() + "WHERE id > $1 ORDER BY id LIMIT $2";

    private final SqlClient reads;

    private record AdapterSnapshot(UUID adapterId, String runtimeBackend, String displayName, ResourceState state) {}

    public AdapterPrincipalStore(SqlClient reads) {
        this.reads = reads;
    }

    /** Inserts and publishes an adapter unless its id exists. */
    public static Future<Void> insertIfMissing(UnitOfWork unit, Revision revision, Adapter adapter) {
        var row = Tuple.of(
                adapter.id(),
                adapter.runtimeBackend(),
                adapter.displayName(),
                adapter.createdByUserId(),
                SqlTime.of(adapter.createdAt()),
                SqlTime.ofNullable(adapter.disabledAt()));
        return unit.query(INSERT, row).map(inserted -> {
            if (inserted.size() > 0) {
                appendRecord(revision, adapter);
            }
            return null;
        });
    }

    static Future<Boolean> isBackendActive(UnitOfWork unit, String backend) {
        return unit.query(IS_BACKEND_ACTIVE, Tuple.of(backend)).map(rows -> rows.size() > 0);
    }

    /** Stores the state of a runtime backend, unless a later version of its entry is stored. */
    static void upsertBackend(UnitOfWork unit, String id, String state, long revision) {
        unit.write(UPSERT_BACKEND, Tuple.of(id, state, revision));
    }

    static void updateDisabled(UnitOfWork unit, Revision revision, Adapter next) {
        unit.write(UPDATE, Tuple.of(next.id(), SqlTime.ofNullable(next.disabledAt())));
        appendRecord(revision, next);
    }

    static Future<Adapter> lock(UnitOfWork unit, UUID id) {
        return unit.query(LOCK, Tuple.of(id)).compose(rows -> requireOne(rows, id));
    }

    Future<Adapter> find(UUID id) {
        return reads.preparedQuery(FIND).execute(Tuple.of(id)).compose(rows -> requireOne(rows, id));
    }

    Future<List<Adapter>> list() {
        return reads.query(LIST).execute().map(rows -> {
            var items = new ArrayList<Adapter>(rows.size());
            rows.forEach(row -> items.add(fromRow(row)));
            return items;
        });
    }

    /** Publishes the current state of an adapter. */
    public static void appendRecord(Revision revision, Row row) {
        appendRecord(revision, fromRow(row));
    }

    private static void appendRecord(Revision revision, Adapter adapter) {
        revision.publishAuthz(PrincipalRecord.key(adapter.id()), PrincipalRecord.EVENT_TYPE, adapter.principalRecord());
        revision.publishState(
                "adapter:" + adapter.id(),
                "iam.adapter.snapshot",
                new AdapterSnapshot(adapter.id(), adapter.runtimeBackend(), adapter.displayName(), adapter.state()));
    }

    private static Future<Adapter> requireOne(RowSet<Row> rows, UUID id) {
        return rows.size() == 0
                ? Future.failedFuture(Problem.of(ErrorCode.NOT_FOUND, "Adapter " + id + " was not found.")
                        .asException())
                : Future.succeededFuture(fromRow(rows.iterator().next()));
    }

    private static Adapter fromRow(Row row) {
        return new Adapter(
                row.getUUID("id"),
                row.getString("runtime_backend"),
                row.getString("display_name"),
                row.getUUID("created_by_user_id"),
                SqlTime.read(row, "created_at"),
                SqlTime.readNullable(row, "disabled_at"));
    }
}

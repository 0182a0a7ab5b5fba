package dev.slipway.iam.adapter;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
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
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** All SQL of adapters, which are the platform's and no tenant's. */
public final class AdapterStore {
    private static final String COLUMNS =
            "SELECT id, runtime_backend, display_name, created_by_user_id, created_at, disabled_at FROM adapters";
    private static final String FIND = COLUMNS + " WHERE id = $1";
    private static final String LOCK = FIND + " FOR NO KEY UPDATE";
    private static final String LIST = COLUMNS + " ORDER BY created_at DESC, id DESC LIMIT 500";
    private static final String INSERT = """
            INSERT INTO adapters (id, runtime_backend, display_name, created_by_user_id, created_at) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT DO NOTHING RETURNING id
            """;
    private static final String UPDATE = "UPDATE adapters SET disabled_at = $2 WHERE id = $1";

    /** Every adapter, page by page: after an id. */
    public static final String AFTER = COLUMNS + " WHERE id > $1 ORDER BY id LIMIT $2";

    private final SqlClient reads;

    public AdapterStore(SqlClient reads) {
        this.reads = reads;
    }

    Future<Void> create(UnitOfWork unit, Adapter adapter) {
        return RevisionStore.raised(unit, revision -> ensure(unit, revision, adapter));
    }

    /** Adds it unless it is there. */
    public static Future<Void> ensure(UnitOfWork unit, Revision revision, Adapter adapter) {
        var row = Tuple.of(
                adapter.id(),
                adapter.runtimeBackend(),
                adapter.displayName(),
                adapter.createdByUserId(),
                adapter.createdAt().atOffset(ZoneOffset.UTC));
        return unit.query(INSERT, row).map(added -> {
            if (added.size() > 0) {
                tell(revision, adapter);
            }
            return null;
        });
    }

    Future<Adapter> disabled(UnitOfWork unit, UUID id, @Nullable Instant at) {
        return RevisionStore.raised(unit, revision -> lock(unit, id).map(current -> {
            unit.write(UPDATE, Tuple.of(id, at == null ? null : at.atOffset(ZoneOffset.UTC)));
            var next = new Adapter(
                    id,
                    current.runtimeBackend(),
                    current.displayName(),
                    current.createdByUserId(),
                    current.createdAt(),
                    at);
            tell(revision, next);
            return next;
        }));
    }

    Future<Adapter> lock(UnitOfWork unit, UUID id) {
        return unit.query(LOCK, Tuple.of(id)).compose(rows -> one(rows, id));
    }

    Future<Adapter> find(UUID id) {
        return reads.preparedQuery(FIND).execute(Tuple.of(id)).compose(rows -> one(rows, id));
    }

    Future<List<Adapter>> list() {
        return reads.query(LIST).execute().map(rows -> {
            var items = new ArrayList<Adapter>(rows.size());
            rows.forEach(row -> items.add(fromRow(row)));
            return items;
        });
    }

    /** Announces an adapter as it stands. */
    public static void tell(Revision revision, Row row) {
        tell(revision, fromRow(row));
    }

    private static void tell(Revision revision, Adapter adapter) {
        revision.authz("principal:" + adapter.id(), "authz.principal", adapter.principal());
        revision.state("adapter:" + adapter.id(), "iam.adapter.snapshot", adapter.snapshot());
    }

    private static Future<Adapter> one(RowSet<Row> rows, UUID id) {
        return rows.size() == 0
                ? Future.failedFuture(Problem.of(ErrorCode.NOT_FOUND, "There is no adapter " + id + ".")
                        .asException())
                : Future.succeededFuture(fromRow(rows.iterator().next()));
    }

    private static Adapter fromRow(Row row) {
        var disabledAt = row.getOffsetDateTime("disabled_at");
        return new Adapter(
                row.getUUID("id"),
                row.getString("runtime_backend"),
                row.getString("display_name"),
                row.getUUID("created_by_user_id"),
                row.getOffsetDateTime("created_at").toInstant(),
                disabledAt == null ? null : disabledAt.toInstant());
    }
}

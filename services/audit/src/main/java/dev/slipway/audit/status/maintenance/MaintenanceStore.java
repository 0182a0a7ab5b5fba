package dev.slipway.audit.status.maintenance;

import dev.slipway.audit.status.maintenance.domain.Maintenance;
import dev.slipway.audit.status.maintenance.domain.Maintenance.Status;
import dev.slipway.contract.Cursor;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.messaging.QueryExecutor;
import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.TableColumns;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.StreamSupport;

/** All SQL of maintenance windows. */
public final class MaintenanceStore {
    private static final TableColumns COLUMNS = TableColumns.of(
            "maintenance",
            "maintenance_id",
            "title",
            "description",
            "status",
            "public",
            "components",
            "org_ids",
            "version",
            "starts_at",
            "ends_at",
            "started_at",
            "ended_at",
            "created_at",
            "updated_at");
    private static final String FIND = COLUMNS.select() + "WHERE maintenance_id = $1";
    private static final String LIST = COLUMNS.select() + """
            WHERE $1::timestamptz IS NULL OR (created_at, maintenance_id) < ($1, $2::uuid)
            ORDER BY created_at DESC, maintenance_id DESC LIMIT $3
            """;
    /** The windows that are not over and that a reader outside the platform team sees: public ones, and those of its organization. */
    private static final String LIST_VISIBLE = COLUMNS.select() + """
            WHERE (public OR org_ids @> $1::uuid[]) AND status IN ('scheduled', 'in_progress') ORDER BY starts_at, maintenance_id LIMIT $2
            """;

    private static final String LIST_IN_PROGRESS = COLUMNS.select() + "WHERE status = 'in_progress' LIMIT 100";
    private static final String LOCK_DUE = COLUMNS.select() + """
            WHERE (status = 'scheduled' AND starts_at <= $1) OR (status = 'in_progress' AND ends_at <= $1)
            ORDER BY maintenance_id LIMIT 100 FOR UPDATE SKIP LOCKED
            """;
    private static final String INSERT = COLUMNS.insert();
    private static final String UPDATE = COLUMNS.update("maintenance_id");

    private final QueryExecutor reads;

    public MaintenanceStore(SqlClient reads) {
        this.reads = QueryExecutor.of(reads);
    }

    Future<@Nullable Maintenance> find(UUID id) {
        return reads.query(FIND, Tuple.of(id)).map(MaintenanceStore::first);
    }

    Future<@Nullable Maintenance> lock(UnitOfWork unit, UUID id) {
        return unit.query(FIND + " FOR UPDATE", Tuple.of(id)).map(MaintenanceStore::first);
    }

    Future<List<Maintenance>> list(@Nullable Cursor after, int limit) {
        var parameters = Tuple.of(
                SqlTime.ofNullable(after == null ? null : after.createdAt()), after == null ? null : after.id(), limit);
        return reads.query(LIST, parameters).map(MaintenanceStore::list);
    }

    /** Lists the windows that everyone, or the members of the organization, may see. */
    public Future<List<Maintenance>> listVisible(@Nullable UUID orgId, int limit) {
        // The array of nobody: no window names this organization.
        var orgs = new UUID[] {orgId == null ? new UUID(0, 0) : orgId};
        return reads.query(LIST_VISIBLE, Tuple.of(orgs, limit)).map(MaintenanceStore::list);
    }

    public Future<List<Maintenance>> listInProgress() {
        return reads.query(LIST_IN_PROGRESS, Tuple.tuple()).map(MaintenanceStore::list);
    }

    /** Locks the windows whose start or end has come. Those that another process handles are skipped. */
    Future<List<Maintenance>> lockDue(UnitOfWork unit, Instant now) {
        return unit.query(LOCK_DUE, Tuple.of(SqlTime.of(now))).map(MaintenanceStore::list);
    }

    void insert(UnitOfWork unit, Maintenance window) {
        unit.write(INSERT, toRow(window));
    }

    void update(UnitOfWork unit, Maintenance window) {
        unit.write(UPDATE, toRow(window));
    }

    private static Tuple toRow(Maintenance window) {
        return Tuple.from(new @Nullable Object[] {
            window.id(),
            window.title(),
            window.description(),
            window.status().text(),
            window.isPublic(),
            window.components().toArray(String[]::new),
            window.orgIds().toArray(UUID[]::new),
            window.version(),
            SqlTime.of(window.startsAt()),
            SqlTime.of(window.endsAt()),
            SqlTime.ofNullable(window.startedAt()),
            SqlTime.ofNullable(window.endedAt()),
            SqlTime.of(window.createdAt()),
            SqlTime.of(window.updatedAt())
        });
    }

    private static @Nullable Maintenance first(RowSet<Row> rows) {
        return rows.size() == 0 ? null : maintenance(rows.iterator().next());
    }

    private static List<Maintenance> list(RowSet<Row> rows) {
        return StreamSupport.stream(rows.spliterator(), false)
                .map(MaintenanceStore::maintenance)
                .toList();
    }

    private static Maintenance maintenance(Row row) {
        return new Maintenance(
                row.getUUID("maintenance_id"),
                row.getString("title"),
                row.getString("description"),
                TextEnum.parse(Status.class, row.getString("status")),
                row.getBoolean("public"),
                List.of(row.getArrayOfStrings("components")),
                List.of(row.getArrayOfUUIDs("org_ids")),
                row.getLong("version"),
                SqlTime.read(row, "starts_at"),
                SqlTime.read(row, "ends_at"),
                SqlTime.readNullable(row, "started_at"),
                SqlTime.readNullable(row, "ended_at"),
                SqlTime.read(row, "created_at"),
                SqlTime.read(row, "updated_at"));
    }
}

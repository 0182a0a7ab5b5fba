package dev.slipway.tenants.provisioning;

import dev.slipway.contract.Cursor;
import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.TableColumns;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Page;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.UUID;

/** All SQL of final dumps. */
public final class DumpStore {
    private static final TableColumns COLUMNS = TableColumns.of(
            "tenant_dumps",
            "dump_id",
            "org_id",
            "tenant_id",
            "display_name",
            "file",
            "size_bytes",
            "digest",
            "record_count",
            "created_at");
    private static final String LIST = COLUMNS.select() + """
            WHERE org_id = $1 AND ($2::timestamptz IS NULL OR (created_at, dump_id) < ($2, $3))
            ORDER BY created_at DESC, dump_id DESC LIMIT $4
            """;
    private static final String FIND_BY_TENANT = "SELECT dump_id FROM tenant_dumps WHERE tenant_id = $1";
    private static final String INSERT = COLUMNS.insert();

    private final SqlClient reads;

    /** A dump; the JSON of responses has the same fields. */
    record TenantDump(
            UUID id,
            UUID tenantId,
            String displayName,
            String file,
            long sizeBytes,
            String digest,
            long recordCount,
            Instant createdAt) {}

    public DumpStore(SqlClient reads) {
        this.reads = reads;
    }

    Future<Page<TenantDump>> list(UUID orgId, @Nullable Cursor cursor, int limit) {
        return reads.preparedQuery(LIST)
                .execute(Tuple.of(
                        orgId,
                        cursor == null ? null : SqlTime.of(cursor.createdAt()),
                        cursor == null ? null : cursor.id(),
                        limit + 1))
                .map(rows -> {
                    var found = new ArrayList<TenantDump>(rows.size());
                    rows.forEach(row -> found.add(new TenantDump(
                            row.getUUID("dump_id"),
                            row.getUUID("tenant_id"),
                            row.getString("display_name"),
                            row.getString("file"),
                            row.getLong("size_bytes"),
                            row.getString("digest"),
                            row.getLong("record_count"),
                            SqlTime.read(row, "created_at"))));
                    return Page.of(found, limit, dump -> new Cursor(dump.createdAt(), dump.id()));
                });
    }

    Future<@Nullable UUID> findByTenant(UUID tenantId) {
        return reads.preparedQuery(FIND_BY_TENANT)
                .execute(Tuple.of(tenantId))
                .map(rows -> rows.size() == 0 ? null : rows.iterator().next().getUUID("dump_id"));
    }

    void insert(UnitOfWork unit, UUID orgId, TenantDump dump) {
        unit.insert(INSERT, Tuple.from(new Object[] {
            dump.id,
            orgId,
            dump.tenantId,
            dump.displayName,
            dump.file,
            dump.sizeBytes,
            dump.digest,
            dump.recordCount,
            SqlTime.of(dump.createdAt)
        }));
    }
}

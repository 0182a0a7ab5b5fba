package dev.slipway.tenants.database;

import dev.slipway.tenants.tenant.domain.DatabaseNames;
import dev.slipway.tenants.tenant.domain.Tenant;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;

import static dev.slipway.tenants.tenant.domain.SqlText.identifier;

/** Reads all records of a tenant, in one transaction. */
public final class TenantExporter {
    private static final int PAGE = 500;
    private static final UUID FIRST_ID = new UUID(0, 0);
    /** The tables of objects; those of the platform have other columns. */
    private static final String LIST_TABLES = """
            SELECT tablename::text AS tablename FROM pg_tables
            WHERE schemaname = $1 AND starts_with(tablename::text, $2) AND NOT starts_with(tablename::text, $3)
            ORDER BY tablename
            """;

    private static final String READ_PAGE = """
            SELECT id, jsonb_build_object('object', $2::text, 'record', to_jsonb(t))::text AS line FROM %s t
            WHERE id > $1 ORDER BY id LIMIT %d
            """;

    private final TenantDatabases databases;

    public TenantExporter(TenantDatabases databases) {
        this.databases = databases;
    }

    /** Passes every record to the writer, as JSON with the name of its object, in pages; the next page waits for the writer. */
    public Future<Void> export(Tenant tenant, Function<List<String>, Future<Void>> writer) {
        return databases.inTransaction(tenant, connection -> connection
                .preparedQuery(LIST_TABLES)
                .execute(Tuple.of(
                        tenant.names().schema(),
                        tenant.names().tablePrefix(),
                        tenant.names().table(DatabaseNames.PLATFORM_TABLE_PREFIX)))
                .compose(tables -> exportTables(connection, tenant, tables, writer)));
    }

    private static Future<Void> exportTables(
            SqlConnection connection, Tenant tenant, RowSet<Row> tables, Function<List<String>, Future<Void>> writer) {
        var chain = Future.<Void>succeededFuture();
        for (var row : tables) {
            var table = row.getString("tablename");
            chain = chain.compose(ok -> exportTable(connection, tenant, table, FIRST_ID, writer));
        }
        return chain;
    }

    private static Future<Void> exportTable(
            SqlConnection connection,
            Tenant tenant,
            String table,
            UUID after,
            Function<List<String>, Future<Void>> writer) {
        var object = table.substring(tenant.names().tablePrefix().length());
        return connection
                .preparedQuery(READ_PAGE.formatted(identifier(table), PAGE))
                .execute(Tuple.of(after, object))
                .compose(rows -> {
                    if (rows.size() == 0) {
                        return Future.succeededFuture();
                    }
                    var lines = new ArrayList<String>(rows.size());
                    var last = after;
                    for (var row : rows) {
                        lines.add(row.getString("line"));
                        last = row.getUUID("id");
                    }
                    var next = last;
                    return writer.apply(lines).compose(ok -> exportTable(connection, tenant, table, next, writer));
                });
    }
}

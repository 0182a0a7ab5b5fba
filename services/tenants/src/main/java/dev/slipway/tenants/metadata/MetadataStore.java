package dev.slipway.tenants.metadata;

import dev.slipway.contract.Json;
import dev.slipway.tenants.metadata.domain.ObjectDefinition;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/** All SQL of deployed objects. */
public final class MetadataStore {
    private static final String SELECT = "SELECT object_name, definition::text AS definition FROM deployed_objects ";
    private static final String LIST = SELECT + "WHERE tenant_id = $1 ORDER BY object_name";
    private static final String FIND = SELECT + "WHERE tenant_id = $1 AND object_name = $2";

    private final SqlClient reads;

    public MetadataStore(SqlClient reads) {
        this.reads = reads;
    }

    /** Returns the deployed objects by name. */
    public Future<Map<String, ObjectDefinition>> list(UUID tenantId) {
        return reads.preparedQuery(LIST).execute(Tuple.of(tenantId)).map(MetadataStore::definitions);
    }

    public Future<@Nullable ObjectDefinition> find(UUID tenantId, String objectName) {
        return reads.preparedQuery(FIND).execute(Tuple.of(tenantId, objectName)).map(rows -> definitions(rows)
                .get(objectName));
    }

    private static Map<String, ObjectDefinition> definitions(RowSet<Row> rows) {
        var found = new LinkedHashMap<String, ObjectDefinition>();
        rows.forEach(row -> found.put(
                row.getString("object_name"),
                Json.toRecord(Json.parseStoredObject(row.getString("definition")), ObjectDefinition.class)));
        return found;
    }
}

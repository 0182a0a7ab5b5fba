package dev.slipway.messaging;

import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;

/** Where a store may look something up: in a transaction, which sees what it has done so far, or by a plain read. */
public interface Queries {
    Future<RowSet<Row>> query(String sql, Tuple parameters);

    static Queries of(SqlClient reads) {
        return (sql, parameters) -> reads.preparedQuery(sql).execute(parameters);
    }
}

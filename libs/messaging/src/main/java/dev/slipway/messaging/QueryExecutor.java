package dev.slipway.messaging;

import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;

/** Runs a store's read queries, either in a transaction or outside of one. */
public interface QueryExecutor {
    Future<RowSet<Row>> query(String sql, Tuple parameters);

    static QueryExecutor of(SqlClient client) {
        return (sql, parameters) -> client.preparedQuery(sql).execute(parameters);
    }
}

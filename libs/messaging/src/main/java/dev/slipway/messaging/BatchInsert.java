package dev.slipway.messaging;

import io.vertx.sqlclient.Tuple;

import java.lang.reflect.Array;
import java.util.List;

/**
 * An insert of any number of rows: {@code INSERT … SELECT … FROM unnest($1::uuid[], $2::text[], …)}, with one array per column. Most of the
 * cost of an insert is per statement, so two rows cost hardly more than one.
 */
public final class BatchInsert {
    private final String sql;
    private final Class<?>[] columns;

    public BatchInsert(String sql, Class<?>... columns) {
        this.sql = sql;
        this.columns = columns.clone();
    }

    String sql() {
        return sql;
    }

    Tuple parameters(List<Object[]> rows) {
        var arrays = new Object[columns.length];
        for (var column = 0; column < columns.length; column++) {
            var values = (Object[]) Array.newInstance(columns[column], rows.size());
            for (var row = 0; row < values.length; row++) {
                values[row] = rows.get(row)[column];
            }
            arrays[column] = values;
        }
        return Tuple.from(arrays);
    }
}

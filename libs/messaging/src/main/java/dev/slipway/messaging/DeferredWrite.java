package dev.slipway.messaging;

import io.vertx.sqlclient.Tuple;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * A statement whose result is not needed. Adjacent inserts are merged into one statement, because most of the cost of a small insert is
 * per statement. They may reference each other's rows: PostgreSQL checks foreign keys at the end of the merged statement.
 */
record DeferredWrite(String sql, Tuple parameters, boolean insert) {
    private static final Pattern PARAMETER = Pattern.compile("\\$(\\d+)");
    /** Small: each use case inserts into the same tables in the same order. */
    private static final Map<List<String>, String> COMBINED_SQL = new ConcurrentHashMap<>();

    /** Returns equivalent writes in the same order with adjacent inserts merged. */
    static List<DeferredWrite> coalesceInserts(List<DeferredWrite> writes) {
        var fewer = new ArrayList<DeferredWrite>(writes.size());
        var run = new ArrayList<DeferredWrite>();
        var seen = new HashSet<String>();
        for (var deferredWrite : writes) {
            // A repeated statement starts a new run; otherwise every run length would need its own prepared statement.
            if (!deferredWrite.insert || !seen.add(deferredWrite.sql)) {
                flush(run, fewer);
                seen.clear();
                seen.add(deferredWrite.sql);
            }
            if (deferredWrite.insert) {
                run.add(deferredWrite);
            } else {
                fewer.add(deferredWrite);
            }
        }
        flush(run, fewer);
        return fewer;
    }

    private static void flush(List<DeferredWrite> run, List<DeferredWrite> into) {
        if (run.size() == 1) {
            into.add(run.get(0));
        } else if (!run.isEmpty()) {
            var sql = COMBINED_SQL.computeIfAbsent(
                    run.stream().map(DeferredWrite::sql).toList(), DeferredWrite::combineStatements);
            var parameters = Tuple.tuple();
            for (var deferredWrite : run) {
                for (var i = 0; i < deferredWrite.parameters.size(); i++) {
                    parameters.addValue(deferredWrite.parameters.getValue(i));
                }
            }
            into.add(new DeferredWrite(sql, parameters, true));
        }
        run.clear();
    }

    private static String combineStatements(List<String> statements) {
        var sql = new StringBuilder("WITH ");
        var parameters = 0;
        for (var i = 0; i < statements.size(); i++) {
            var last = i == statements.size() - 1;
            var before = parameters;
            var own = PARAMETER.matcher(statements.get(i));
            sql.append(last ? "" : "w" + i + " AS (")
                    .append(own.replaceAll(found -> "\\$" + (before + Integer.parseInt(found.group(1)))))
                    .append(last ? "" : i == statements.size() - 2 ? ")\n" : "), ");
            parameters += highestParameter(statements.get(i));
        }
        return sql.toString();
    }

    private static int highestParameter(String sql) {
        return PARAMETER
                .matcher(sql)
                .results()
                .mapToInt(found -> Integer.parseInt(found.group(1)))
                .max()
                .orElse(0);
    }
}

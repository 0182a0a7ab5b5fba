package dev.slipway.messaging;

import io.vertx.sqlclient.Tuple;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * A statement whose result nobody reads. Inserts that follow one another go to the server as one: most of what a small statement costs is
 * the statement, and what they refer to among themselves is looked for when all of them are there.
 */
record Write(String sql, Tuple parameters, boolean insert) {
    private static final Pattern PARAMETER = Pattern.compile("\\$(\\d+)");
    /** There are few: what a transaction inserts depends on what it is for. */
    private static final Map<List<String>, String> TOGETHER = new ConcurrentHashMap<>();

    /** The same, in the same order, in fewer statements. */
    static List<Write> together(List<Write> writes) {
        var fewer = new ArrayList<Write>(writes.size());
        var run = new ArrayList<Write>();
        var seen = new HashSet<String>();
        for (var write : writes) {
            // One that comes again begins anew: runs of any length would each be another statement to prepare.
            if (!write.insert || !seen.add(write.sql)) {
                flush(run, fewer);
                seen.clear();
                seen.add(write.sql);
            }
            if (write.insert) {
                run.add(write);
            } else {
                fewer.add(write);
            }
        }
        flush(run, fewer);
        return fewer;
    }

    private static void flush(List<Write> run, List<Write> into) {
        if (run.size() == 1) {
            into.add(run.get(0));
        } else if (!run.isEmpty()) {
            var sql = TOGETHER.computeIfAbsent(run.stream().map(Write::sql).toList(), Write::combined);
            var parameters = Tuple.tuple();
            for (var write : run) {
                for (var i = 0; i < write.parameters.size(); i++) {
                    parameters.addValue(write.parameters.getValue(i));
                }
            }
            into.add(new Write(sql, parameters, true));
        }
        run.clear();
    }

    private static String combined(List<String> statements) {
        var sql = new StringBuilder("WITH ");
        var parameters = 0;
        for (var i = 0; i < statements.size(); i++) {
            var last = i == statements.size() - 1;
            var before = parameters;
            var own = PARAMETER.matcher(statements.get(i));
            sql.append(last ? "" : "w" + i + " AS (")
                    .append(own.replaceAll(found -> "\\$" + (before + Integer.parseInt(found.group(1)))))
                    .append(last ? "" : i == statements.size() - 2 ? ")\n" : "), ");
            parameters += highest(statements.get(i));
        }
        return sql.toString();
    }

    private static int highest(String sql) {
        return PARAMETER
                .matcher(sql)
                .results()
                .mapToInt(found -> Integer.parseInt(found.group(1)))
                .max()
                .orElse(0);
    }
}

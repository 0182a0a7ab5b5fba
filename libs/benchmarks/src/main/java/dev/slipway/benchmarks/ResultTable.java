package dev.slipway.benchmarks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The results, one row per measurement. */
final class ResultTable {
    private final List<Row> rows = new ArrayList<>();

    /** A result, its baseline, and whether the requirement was met (empty if there is none). */
    record Row(String what, String ours, String baseline, String ratio, String bar, String met, String remarks) {}

    void add(Row row) {
        rows.add(row);
        BenchOutput.note(
                "| " + row.what + " | " + row.ours + " | " + row.baseline + " | " + row.ratio + " | " + row.met);
    }

    String markdown() {
        var text = new StringBuilder("""
                | row | measured | baseline, same run | ratio | bar | met | remarks |
                |---|---|---|---|---|---|---|
                """);
        for (var r : rows) {
            text.append(
                    String.join(" | ", "| " + r.what, r.ours, r.baseline, r.ratio, r.bar, r.met, r.remarks + " |\n"));
        }
        return text.toString();
    }

    static String isMet(boolean met) {
        return met ? "yes" : "**no**";
    }

    static String number(double value) {
        return String.format(Locale.ROOT, value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%,.0f", value);
    }

    static double median(double[] values) {
        var sorted = values.clone();
        Arrays.sort(sorted);
        var middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}

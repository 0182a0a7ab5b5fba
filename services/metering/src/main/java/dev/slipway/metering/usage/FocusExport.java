package dev.slipway.metering.usage;

import dev.slipway.metering.usage.domain.FocusRow;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A page of the export of usage in the format of FOCUS, as JSON or CSV. */
record FocusExport(
        Instant asOf,
        double lagSeconds,
        List<Map<String, @Nullable Object>> rows,
        @Nullable String nextCursor) {
    /** The attribution fields that the columns need. */
    static final List<String> GROUP_BY = List.of(
            "period",
            "source",
            "project_id",
            "app_instance_id",
            "shared_runtime_id",
            "attachment_id",
            "app_slug",
            "operating_mode",
            "control_plane_scope",
            "runtime_backend",
            "resource_type",
            "resource_id");

    private record JsonBody(
            String focusVersion,
            Instant asOf,
            double lagSeconds,
            List<Map<String, @Nullable Object>> rows,
            @Nullable String nextCursor) {}

    static Map<String, @Nullable String> toMap(List<@Nullable String> values) {
        var map = new HashMap<String, @Nullable String>();
        for (var i = 0; i < GROUP_BY.size(); i++) {
            map.put(GROUP_BY.get(i), values.get(i));
        }
        return map;
    }

    Object toBody() {
        return new JsonBody(FocusRow.VERSION, asOf, lagSeconds, rows, nextCursor);
    }

    /** Returns what the body of the CSV cannot state, because loaders expect the names of the columns first. */
    Map<String, String> toHeaders() {
        var headers = new HashMap<String, String>();
        headers.put("X-Focus-Version", FocusRow.VERSION);
        headers.put("X-As-Of", asOf.toString());
        headers.put("X-Lag-Seconds", Double.toString(lagSeconds));
        if (nextCursor != null) {
            headers.put("X-Next-Cursor", nextCursor);
        }
        return Map.copyOf(headers);
    }

    /** Returns the rows as RFC 4180, after the names of the columns. */
    String toCsv() {
        var text = new StringBuilder();
        var columns = FocusRow.columns();
        text.append(String.join(",", columns)).append("\r\n");
        for (var row : rows) {
            text.append(columns.stream().map(column -> cell(row.get(column))).collect(Collectors.joining(",")))
                    .append("\r\n");
        }
        return text.toString();
    }

    /** Quotes a text that contains a separator, or that a spreadsheet would run as a formula. */
    private static String cell(@Nullable Object value) {
        if (value == null) {
            return "";
        }
        var text = value instanceof BigDecimal number ? number.toPlainString() : value.toString();
        if (!(value instanceof BigDecimal) && !text.isEmpty() && "=+-@".indexOf(text.charAt(0)) >= 0) {
            text = "'" + text;
        }
        return text.matches("[^\",\\r\\n]*") ? text : '"' + text.replace("\"", "\"\"") + '"';
    }
}

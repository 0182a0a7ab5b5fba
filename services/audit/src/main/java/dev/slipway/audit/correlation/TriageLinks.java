package dev.slipway.audit.correlation;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.slipway.contract.Json;
import org.jspecify.annotations.Nullable;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * Creates links from a correlation id to its traces, log lines and dashboard.
 *
 * @param grafanaUrl the address of Grafana, without a slash at the end; null if there is none
 * @param tempo the uid of the Tempo data source
 * @param loki the uid of the Loki data source
 * @param logSelector the LogQL stream selector of the platform's log lines
 */
public record TriageLinks(@Nullable String grafanaUrl, String tempo, String loki, String logSelector) {
    private static final Duration BEFORE = Duration.ofMinutes(5);
    private static final Duration AFTER = Duration.ofHours(1);

    /** A link to a trace. */
    record TraceLink(String traceId, @Nullable String url) {}

    /**
     * The links of a correlation id. The addresses are null if no address of Grafana is configured; the queries can be used anyway.
     *
     * @param tempo finds the traces by correlation id
     * @param loki finds the log lines
     * @param grafana the dashboard of the correlation id
     */
    record Links(
            String traceql,
            String logql,
            @Nullable String tempo,
            @Nullable String loki,
            @Nullable String grafana,
            List<TraceLink> traces) {}

    private record DataSource(String type, String uid) {}

    private record Query(
            @JsonProperty("refId") String refId,
            DataSource datasource,
            @JsonProperty("queryType") String queryType,
            String query,
            String expr) {}

    private record Range(String from, String to) {}

    private record Pane(String datasource, List<Query> queries, Range range) {}

    private record Panes(Pane a) {}

    /** {@code from} and {@code to} are the times of the first and the last entry; null if there are none. */
    Links create(String correlationId, List<String> traceIds, @Nullable Instant from, @Nullable Instant to) {
        var range = range(from, to);
        var traceql = "{ span.correlation_id = \"" + correlationId + "\" }";
        var logql = logSelector + " |= \"" + correlationId + "\"";
        return new Links(
                traceql,
                logql,
                explore(tempo, "tempo", "traceql", traceql, range),
                explore(loki, "loki", "range", logql, range),
                grafanaUrl == null
                        ? null
                        : grafanaUrl + "/d/slipway-correlation?var-correlation_id=" + encode(correlationId) + "&from="
                                + encode(range.from) + "&to=" + encode(range.to),
                traceIds.stream()
                        .map(traceId -> new TraceLink(traceId, explore(tempo, "tempo", "traceql", traceId, range)))
                        .toList());
    }

    private @Nullable String explore(String uid, String type, String queryType, String query, Range range) {
        if (grafanaUrl == null) {
            return null;
        }
        var queries = List.of(new Query("A", new DataSource(type, uid), queryType, query, query));
        return grafanaUrl + "/explore?schemaVersion=1&panes="
                + encode(Json.text(new Panes(new Pane(uid, queries, range))));
    }

    private static Range range(@Nullable Instant from, @Nullable Instant to) {
        return from == null || to == null
                ? new Range("now-1h", "now")
                : new Range(
                        String.valueOf(from.minus(BEFORE).toEpochMilli()),
                        String.valueOf(to.plus(AFTER).toEpochMilli()));
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}

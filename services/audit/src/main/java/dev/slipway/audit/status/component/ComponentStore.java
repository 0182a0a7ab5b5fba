package dev.slipway.audit.status.component;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Json;
import dev.slipway.messaging.QueryExecutor;
import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.TableColumns;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.ProcessReport;
import dev.slipway.service.ProcessReport.RefusalTotal;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.StreamSupport;

/** All SQL of components: the last report of each process, the history of their states, and the settings of components. */
public final class ComponentStore {
    private static final String COLUMNS =
            "process_id, environment, host, version, source_commit, artifact_digest, config_profile, started_at, stopping,"
                    + " components::text, indicators::text, ages::text, refusals::text, observed_at";
    private static final String LOCK = "SELECT " + COLUMNS + " FROM status_processes WHERE process_id = $1 FOR UPDATE";
    private static final String LIST = "SELECT " + COLUMNS + " FROM status_processes ORDER BY started_at DESC";
    private static final String UPSERT = """
            INSERT INTO status_processes (process_id, environment, host, version, source_commit, artifact_digest, config_profile, started_at,
                stopping, components, indicators, ages, refusals, observed_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::text::jsonb, $11::text::jsonb, $12::text::jsonb, $13::text::jsonb, $14)
            ON CONFLICT (process_id) DO UPDATE SET stopping = $9, components = $10::text::jsonb, indicators = $11::text::jsonb,
                ages = $12::text::jsonb, refusals = $13::text::jsonb, observed_at = $14
            """;
    private static final String UPSERT_REFUSAL = """
            INSERT INTO status_refusals AS known (process_id, reason, total, last_refused_at)
            VALUES ($1, $2, $3::bigint, CASE WHEN $3::bigint > 0 THEN $4::timestamptz END)
            ON CONFLICT (process_id, reason) DO UPDATE SET total = $3::bigint,
                last_refused_at = CASE WHEN $3::bigint > known.total THEN $4::timestamptz ELSE known.last_refused_at END
            """;
    /** States that repeat the one before are not part of the history. */
    private static final String APPEND_STATE = """
            INSERT INTO status_component_history (component_id, process_id, observed_at, rollout_status, health, version, source_commit,
                stopping)
            SELECT $1::text, $2::uuid, $3::timestamptz, $4::text, $5::text, $6::text, $7::text, $8::boolean
            WHERE NOT EXISTS (SELECT FROM (SELECT rollout_status, stopping FROM status_component_history
                WHERE component_id = $1 AND process_id = $2 ORDER BY observed_at DESC LIMIT 1) AS last
                WHERE last.rollout_status = $4 AND last.stopping = $8)
            ON CONFLICT DO NOTHING
            """;

    private static final String LIST_REFUSALS = """
            SELECT reason, sum(total)::bigint AS total, max(last_refused_at) AS last_refused_at FROM status_refusals GROUP BY reason
            """;
    private static final String DELETE_SILENT = "DELETE FROM status_processes WHERE observed_at < $1";
    private static final TableColumns SETTINGS =
            TableColumns.of("status_component_settings", "component_id", "display_name", "public", "version");
    private static final String LIST_SETTINGS = SETTINGS.select();
    private static final String LOCK_SETTINGS = LIST_SETTINGS + "WHERE component_id = $1 FOR UPDATE";
    private static final String UPSERT_SETTINGS = SETTINGS.upsert("component_id");

    private final QueryExecutor reads;

    /** The last report of a process and the time when it arrived. */
    public record StoredReport(ProcessReport report, Instant observedAt) {}

    /** The public name and the visibility of a component. */
    public record ComponentSettings(String componentId, String displayName, boolean isPublic, long version) {}

    /** Refused writes of all processes. */
    public record Refusals(long total, @Nullable Instant lastRefusedAt) {}

    public ComponentStore(SqlClient reads) {
        this.reads = QueryExecutor.of(reads);
    }

    Future<@Nullable StoredReport> lockReport(UnitOfWork unit, UUID processId) {
        return unit.query(LOCK, Tuple.of(processId))
                .map(rows ->
                        rows.size() == 0 ? null : storedReport(rows.iterator().next()));
    }

    /** Replaces the last report of the process, and appends changed states of its components to the history. */
    void upsertReport(UnitOfWork unit, ProcessReport report, Instant observedAt) {
        unit.write(UPSERT, Tuple.from(new @Nullable Object[] {
            report.processId(),
            report.environment(),
            report.host(),
            report.version(),
            report.sourceCommit(),
            report.artifactDigest(),
            report.configProfile(),
            SqlTime.of(report.startedAt()),
            report.stopping(),
            Json.text(report.components()),
            Json.text(report.indicators()),
            Json.text(report.ages()),
            Json.text(report.refusals()),
            SqlTime.of(observedAt)
        }));
        for (var component : report.components()) {
            unit.write(APPEND_STATE, Tuple.from(new @Nullable Object[] {
                component.componentId(),
                report.processId(),
                SqlTime.of(observedAt),
                component.rolloutStatus(),
                component.health(),
                report.version(),
                report.sourceCommit(),
                report.stopping()
            }));
        }
        for (RefusalTotal refusal : report.refusals()) {
            unit.write(
                    UPSERT_REFUSAL,
                    Tuple.of(report.processId(), refusal.reason(), refusal.total(), SqlTime.of(observedAt)));
        }
    }

    public Future<List<StoredReport>> listReports() {
        return reads.query(LIST, Tuple.tuple()).map(rows -> list(rows, ComponentStore::storedReport));
    }

    public Future<Map<String, Refusals>> listRefusals() {
        return reads.query(LIST_REFUSALS, Tuple.tuple()).map(rows -> {
            var found = new HashMap<String, Refusals>();
            rows.forEach(row -> found.put(
                    row.getString("reason"),
                    new Refusals(row.getLong("total"), SqlTime.readNullable(row, "last_refused_at"))));
            return found;
        });
    }

    public Future<Integer> deleteSilentSince(UnitOfWork unit, Instant time) {
        return unit.query(DELETE_SILENT, Tuple.of(SqlTime.of(time))).map(RowSet::rowCount);
    }

    public Future<Map<String, ComponentSettings>> listSettings() {
        return reads.query(LIST_SETTINGS, Tuple.tuple()).map(rows -> {
            var found = new HashMap<String, ComponentSettings>();
            rows.forEach(row -> found.put(row.getString("component_id"), settings(row)));
            return found;
        });
    }

    Future<@Nullable ComponentSettings> lockSettings(UnitOfWork unit, String componentId) {
        return unit.query(LOCK_SETTINGS, Tuple.of(componentId))
                .map(rows -> rows.size() == 0 ? null : settings(rows.iterator().next()));
    }

    void upsertSettings(UnitOfWork unit, ComponentSettings settings) {
        unit.write(
                UPSERT_SETTINGS,
                Tuple.of(settings.componentId, settings.displayName, settings.isPublic, settings.version));
    }

    private static ComponentSettings settings(Row row) {
        return new ComponentSettings(
                row.getString("component_id"),
                row.getString("display_name"),
                row.getBoolean("public"),
                row.getLong("version"));
    }

    private static StoredReport storedReport(Row row) {
        return new StoredReport(
                new ProcessReport(
                        row.getUUID("process_id"),
                        row.getString("environment"),
                        row.getString("host"),
                        row.getString("version"),
                        row.getString("source_commit"),
                        row.getString("artifact_digest"),
                        row.getString("config_profile"),
                        SqlTime.read(row, "started_at"),
                        row.getBoolean("stopping"),
                        records(row, "components", ProcessReport.ComponentHealth.class),
                        records(row, "indicators", ProcessReport.IndicatorTotals.class),
                        records(row, "ages", ProcessReport.DataAge.class),
                        records(row, "refusals", RefusalTotal.class)),
                SqlTime.read(row, "observed_at"));
    }

    private static <T> List<T> records(Row row, String column, Class<T> type) {
        JsonNode stored = Json.parseTrusted(row.getString(column).getBytes(StandardCharsets.UTF_8));
        return StreamSupport.stream(stored.spliterator(), false)
                .map(item -> Json.toRecord(item, type))
                .toList();
    }

    private static <T> List<T> list(RowSet<Row> rows, Function<Row, T> map) {
        return StreamSupport.stream(rows.spliterator(), false).map(map).toList();
    }
}

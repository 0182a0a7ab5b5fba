package dev.slipway.metering.usage;

import dev.slipway.messaging.SqlTime;
import dev.slipway.metering.usage.UsageMetrics.Backlog;
import dev.slipway.metering.usage.domain.AttributedFact;
import dev.slipway.metering.usage.domain.UsageQuery;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/** All SQL that reads usage: lines from the sums, facts, refusals, and the comparison of the sums with the facts. */
public final class UsageQueryStore {
    private static final Set<String> UUID_FIELDS = Set.of(
            "org_id", "project_id", "app_instance_id", "shared_runtime_id", "attachment_id", "source_project_id");

    /** Fields that are neither text nor UUID. */
    private static final Set<String> OTHER_FIELDS = Set.of("period", "unit_version");

    private static final String HOURS = """
            (SELECT d.*, s.unit, s.unit_version, s.period, s.quantity, s.facts, s.hour AS at
             FROM usage_hours s JOIN usage_dimensions d ON d.dimension = s.dimension
             WHERE s.org_id = $1 AND s.hour >= $2 AND s.hour < $3) AS u
            """;
    private static final String MONTHS = """
            (SELECT d.*, s.unit, s.unit_version, s.period, s.quantity, s.facts, s.month::timestamp AT TIME ZONE 'UTC' AS at
             FROM usage_months s JOIN usage_dimensions d ON d.dimension = s.dimension
             WHERE s.org_id = $1 AND s.month >= ($2::timestamptz AT TIME ZONE 'UTC')::date
                 AND s.month < ($3::timestamptz AT TIME ZONE 'UTC')::date) AS u
            """;
    private static final String FACTS = """
            (SELECT f.*, 1 AS facts, f.window_end - interval '1 microsecond' AS at
             FROM usage_facts f
             WHERE f.org_id = $1 AND f.window_end > $2 AND f.window_end <= $3 AND f.period >= $4) AS u
            """;
    private static final String FACT_COLUMNS = """
            fact_key, source, fact_id, unit, unit_version, quantity, window_start, window_end, org_id, project_id, app_instance_id,
            shared_runtime_id, attachment_id, source_project_id, app_slug, operating_mode, control_plane_scope, runtime_backend, resource_type,
            resource_id, actor, correlation_id, trace_id, corrects_source, corrects_fact_id, period, received_at, body_hash, audit_entry_id
            """;
    private static final String REFUSALS = """
            SELECT refusal_id, received_at, outcome, source, fact_id, project_id, field, problem, received_hash, stored_hash, correlation_id
            FROM usage_refusals
            WHERE org_id = $1 AND ($2::uuid IS NULL OR project_id = $2)
                AND ($3::timestamptz IS NULL OR (received_at, refusal_id) < ($3, $4::uuid))
            ORDER BY received_at DESC, refusal_id DESC LIMIT $5
            """;
    private static final String BACKLOG = """
            SELECT coalesce(sum(facts), 0)::bigint AS facts, coalesce(extract(epoch FROM now() - (
                SELECT f.received_at
                FROM (SELECT fact_keys[1] AS fact_key, period FROM unrated_batches ORDER BY batch_key LIMIT 1) o
                JOIN usage_facts f ON f.fact_key = o.fact_key AND f.period = o.period)), 0)::float8 AS oldest
            FROM unrated_batches
            """;
    /** Compares the sums of a month of bookings with its facts. */
    private static final String COMPARE = """
            WITH expected AS (
                SELECT org_id, date_trunc('hour', window_end - interval '1 microsecond', 'UTC') AS hour, dimension, unit, unit_version,
                    sum(quantity) AS quantity, count(*) AS facts
                FROM usage_facts WHERE period = $1 GROUP BY 1, 2, 3, 4, 5
            ), hours AS (
                SELECT count(*) AS wrong FROM expected e
                FULL JOIN (SELECT * FROM usage_hours WHERE period = $1) h USING (org_id, hour, dimension, unit, unit_version)
                WHERE e.quantity IS DISTINCT FROM h.quantity OR e.facts IS DISTINCT FROM h.facts
            ), months AS (
                SELECT count(*) AS wrong FROM (
                    SELECT org_id, date_trunc('month', hour AT TIME ZONE 'UTC')::date AS month, dimension, unit, unit_version,
                        sum(quantity) AS quantity, sum(facts) AS facts
                    FROM expected GROUP BY 1, 2, 3, 4, 5) e
                FULL JOIN (SELECT * FROM usage_months WHERE period = $1) m USING (org_id, month, dimension, unit, unit_version)
                WHERE e.quantity IS DISTINCT FROM m.quantity OR e.facts IS DISTINCT FROM m.facts
            ), ids AS (
                SELECT count(*) AS wrong FROM (SELECT fact_key FROM usage_facts WHERE period = $1) f
                FULL JOIN (SELECT fact_key FROM usage_fact_ids WHERE period = $1) i USING (fact_key)
                WHERE f.fact_key IS NULL OR i.fact_key IS NULL
            )
            SELECT (SELECT coalesce(sum(facts), 0) FROM expected)::bigint AS facts, hours.wrong AS hours, months.wrong AS months, ids.wrong AS ids
            FROM hours, months, ids
            """;

    private final SqlClient reads;

    public UsageQueryStore(SqlClient reads) {
        this.reads = reads;
    }

    /** A sum of usage: its values of the grouped fields are in the order of the query. */
    record UsageSum(
            Instant bucketStart,
            String unit,
            int unitVersion,
            BigDecimal quantity,
            long facts,
            List<@Nullable String> values,
            String key) {}

    /** A stored fact; {@code factKey} is its number in this database. */
    record StoredFact(
            long factKey,
            AttributedFact fact,
            Instant receivedAt,
            @Nullable String traceId,
            @Nullable UUID auditEntryId) {

        private static StoredFact fromRow(Row row) {
            return new StoredFact(
                    row.getLong("fact_key"),
                    UsageFactStore.fromRow(row),
                    SqlTime.read(row, "received_at"),
                    row.getString("trace_id"),
                    row.getUUID("audit_entry_id"));
        }
    }
    /** A reported fact that was not counted. */
    record Refusal(
            UUID refusalId,
            Instant receivedAt,
            String outcome,
            String source,
            String factId,
            @Nullable UUID projectId,
            @Nullable String field,
            String problem,
            @Nullable String receivedHash,
            @Nullable String storedHash,
            @Nullable String correlationId) {}

    /** The comparison of the sums of a month with its facts. */
    record Comparison(long facts, long wrongHours, long wrongMonths, long wrongIds) {}

    /** Returns sums in the order of bucket, unit and grouped values, after the given key. */
    Future<List<UsageSum>> sum(UsageQuery query, @Nullable String after, int limit) {
        var sql = new Statement(query, query.usesMonths() ? MONTHS : query.usesFacts() ? FACTS : HOURS);
        var bucket = bucket(query);
        var columns = new ArrayList<String>(List.of(bucket, "u.unit", "u.unit_version"));
        query.groupBy().stream().filter(field -> !field.equals("unit")).forEach(field -> columns.add("u." + field));
        var selected = new StringBuilder();
        query.groupBy().forEach(field -> selected.append(", u.")
                .append(field)
                .append("::text AS g_")
                .append(field));
        var order = lineKey(query);
        var statement = "SELECT " + bucket
                + " AS bucket, u.unit, u.unit_version, sum(u.quantity) AS quantity, sum(u.facts)::bigint AS facts, "
                + order + " AS line_key" + selected + " FROM " + sql.text + " GROUP BY " + String.join(", ", columns)
                + (after == null ? "" : " HAVING " + order + " > " + sql.add(after)) + " ORDER BY line_key LIMIT "
                + sql.add(limit);
        return reads.preparedQuery(statement).execute(sql.parameters).map(rows -> {
            var sums = new ArrayList<UsageSum>();
            rows.forEach(row -> sums.add(new UsageSum(
                    SqlTime.read(row, "bucket"),
                    row.getString("unit"),
                    row.getInteger("unit_version"),
                    row.getBigDecimal("quantity"),
                    row.getLong("facts"),
                    values(query, row),
                    row.getString("line_key"))));
            return sums;
        });
    }

    /**
     * Returns the quantities of sums in some units by the last of the given times that their windows do not start before. It reads the facts of the
     * whole range of the query, because the sums do not distinguish times within an hour.
     */
    Future<Map<String, Map<Instant, BigDecimal>>> sumByStart(
            UsageQuery query, Collection<String> units, Collection<String> lineKeys, Collection<Instant> times) {
        var sql = new Statement(query, FACTS);
        var statement = "SELECT line_key, start, sum(quantity) AS quantity FROM (SELECT " + lineKey(query)
                + " AS line_key, u.quantity, (SELECT max(t) FROM unnest("
                + sql.add(times.stream().map(SqlTime::of).toArray(OffsetDateTime[]::new))
                + "::timestamptz[]) AS t WHERE t <= u.window_start) AS start FROM " + sql.text + " AND u.unit = ANY ("
                + sql.add(units.toArray(String[]::new))
                + "::text[])) AS f WHERE line_key = ANY (" + sql.add(lineKeys.toArray(String[]::new))
                + "::text[]) GROUP BY line_key, start";
        return reads.preparedQuery(statement).execute(sql.parameters).map(rows -> {
            var sums = new HashMap<String, Map<Instant, BigDecimal>>();
            rows.forEach(row -> sums.computeIfAbsent(row.getString("line_key"), key -> new HashMap<>())
                    .put(SqlTime.read(row, "start"), row.getBigDecimal("quantity")));
            return sums;
        });
    }

    private static String bucket(UsageQuery query) {
        return switch (query.bucket()) {
            case HOUR -> "date_trunc('hour', u.at, 'UTC')";
            case DAY -> "date_trunc('day', u.at, 'UTC')";
            case MONTH -> "date_trunc('month', u.at, 'UTC')";
            case TOTAL -> "$2::timestamptz";
        };
    }

    /** Returns the expression that identifies a sum and orders the sums. */
    private static String lineKey(UsageQuery query) {
        var key = new StringBuilder("to_char(" + bucket(query)
                + " AT TIME ZONE 'UTC', 'YYYYMMDDHH24') || ' ' || u.unit || ' ' || u.unit_version");
        query.groupBy()
                .forEach(field ->
                        key.append(" || chr(31) || coalesce(u.").append(field).append("::text, '')"));
        return "(" + key + ") COLLATE \"C\"";
    }

    private static List<@Nullable String> values(UsageQuery query, Row row) {
        var values = new ArrayList<@Nullable String>();
        query.groupBy().forEach(field -> values.add(row.getString("g_" + field)));
        return values;
    }

    /** Returns facts, the latest window first, before the given window end and number. */
    Future<List<StoredFact>> listFacts(
            UsageQuery query, @Nullable Instant beforeEnd, @Nullable Long beforeKey, int limit) {
        var sql = new Statement(query, FACTS);
        var statement = "SELECT " + FACT_COLUMNS + " FROM " + sql.text
                + (beforeEnd == null
                        ? ""
                        : " AND (u.window_end, u.fact_key) < (" + sql.add(SqlTime.of(beforeEnd)) + ", "
                                + sql.add(beforeKey) + ")")
                + " ORDER BY u.window_end DESC, u.fact_key DESC LIMIT " + sql.add(limit);
        return reads.preparedQuery(statement).execute(sql.parameters).map(rows -> {
            var facts = new ArrayList<StoredFact>();
            rows.forEach(row -> facts.add(StoredFact.fromRow(row)));
            return facts;
        });
    }

    Future<List<Refusal>> listRefusals(
            UUID orgId, @Nullable UUID projectId, @Nullable Instant beforeTime, @Nullable UUID beforeId, int limit) {
        return reads.preparedQuery(REFUSALS)
                .execute(Tuple.of(orgId, projectId, SqlTime.ofNullable(beforeTime), beforeId, limit))
                .map(rows -> {
                    var refusals = new ArrayList<Refusal>();
                    rows.forEach(row -> refusals.add(new Refusal(
                            row.getUUID("refusal_id"),
                            SqlTime.read(row, "received_at"),
                            row.getString("outcome"),
                            row.getString("source"),
                            row.getString("fact_id"),
                            row.getUUID("project_id"),
                            row.getString("field"),
                            row.getString("problem"),
                            row.getString("received_hash"),
                            row.getString("stored_hash"),
                            row.getString("correlation_id"))));
                    return refusals;
                });
    }

    Future<Backlog> findBacklog() {
        return reads.query(BACKLOG).execute().map(rows -> {
            var row = rows.iterator().next();
            return new Backlog(row.getLong("facts"), row.getDouble("oldest"));
        });
    }

    /** Recomputes the sums of a month of bookings from its facts, and counts those that differ. */
    Future<Comparison> compare(LocalDate period) {
        return reads.preparedQuery(COMPARE).execute(Tuple.of(period)).map(rows -> {
            var row = rows.iterator().next();
            return new Comparison(
                    row.getLong("facts"), row.getLong("hours"), row.getLong("months"), row.getLong("ids"));
        });
    }

    /** The table, filters and parameters of a query. Fields are names of the contract, values are parameters. */
    private static final class Statement {
        private final Tuple parameters;
        private final String text;

        Statement(UsageQuery query, String table) {
            parameters = Tuple.of(query.orgId(), SqlTime.of(query.from()), SqlTime.of(query.to()));
            if (table.equals(FACTS)) {
                parameters.addLocalDate(query.firstPeriod());
            }
            var where = new StringBuilder(table).append(" WHERE true");
            if (query.projectId() != null) {
                where.append(" AND u.project_id = ").append(add(query.projectId()));
            }
            new TreeMap<>(query.filters()).forEach((field, value) -> where.append(filter(field, value)));
            text = where.toString();
        }

        /** An index cannot find a value that is cast, or compared by IS NOT DISTINCT FROM. */
        private String filter(String field, String value) {
            if (value.isEmpty()) {
                return " AND u." + field + " IS NULL";
            }
            return " AND u." + field + (OTHER_FIELDS.contains(field) ? "::text" : "") + " = "
                    + add(UUID_FIELDS.contains(field) ? UUID.fromString(value) : value);
        }

        /** Adds a parameter and returns its placeholder. */
        String add(@Nullable Object value) {
            parameters.addValue(value);
            return "$" + parameters.size();
        }
    }
}

package dev.slipway.metering.rating;

import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.metering.rating.domain.RatableFact;
import dev.slipway.metering.rating.domain.RatingKey;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;

import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * All SQL that sums raw facts in order to rate them again. Rating needs only the month and the price of a fact, so the facts of a group that have both
 * in common are read as one, however many they are.
 */
public final class FactSumStore {
    /** The month of the last instant of the window. */
    static final String USAGE_MONTH =
            "date_trunc('month', (f.window_end - interval '1 microsecond') AT TIME ZONE 'UTC')::date";

    /** The columns of a line group, of a table with the alias g. */
    static final String GROUP = """
            g.project_id, g.app_instance_id, g.shared_runtime_id, g.attachment_id, g.source_project_id, g.app_slug, g.resource_type, g.resource_id""";

    /** {@code $1} is the organization, and {@code $2} the times at which another price begins. */
    private static final String SUM = """
            SELECT g.org_id, g.unit, g.period, g.usage_month, g.price_time, sum(g.quantity) AS quantity, count(*) AS facts, %1$s
            FROM (SELECT f.*, %2$s AS usage_month,
                    (SELECT max(t) FROM unnest($2::timestamptz[]) AS t WHERE t <= f.window_start) AS price_time
                FROM usage_facts f LEFT JOIN unrated_facts u ON u.fact_key = f.fact_key
                WHERE f.org_id = $1 AND %3$s) AS g
            GROUP BY g.org_id, g.unit, g.period, g.usage_month, g.price_time, %1$s
            """;

    private static final String OF_KEY =
            sum("f.unit = $3 AND f.window_end > $4 AND f.window_end <= $5 AND u.fact_key IS NULL");
    private static final String OF_MONTH = sum(
            "f.window_end > $3 AND f.window_end <= $4 AND f.received_at <= $5 AND ($6::boolean OR u.fact_key IS NULL)");
    private static final String OF_MONTHS = sum("f.period <= $3 AND u.fact_key IS NULL AND " + USAGE_MONTH
            + " = ANY ($4) AND f.window_end > $5 AND f.window_end <= $6");
    /** More facts than a request may read are summed behind the queue. */
    private static final String ALLOW_LONG_STATEMENT = "SELECT set_config('statement_timeout', '60s', true)";

    /** A sum of facts that are rated alike, and how many they are. */
    record FactSum(RatableFact fact, long facts) {}

    private static String sum(String condition) {
        return SUM.formatted(GROUP, USAGE_MONTH, condition);
    }

    /** Returns the rated facts of a rating key. */
    Future<List<RatableFact>> sumKey(UnitOfWork unit, RatingKey key, Collection<Instant> priceTimes) {
        return unit.query(ALLOW_LONG_STATEMENT, Tuple.tuple())
                .compose(ok -> unit.query(
                        OF_KEY,
                        Tuple.of(
                                key.orgId(),
                                times(priceTimes),
                                key.unit(),
                                startOf(key.usageMonth()),
                                startOf(key.usageMonth().plusMonths(1)))))
                .map(FactSumStore::facts);
    }

    /**
     * Returns the facts of a month of usage that were received until a time.
     *
     * @param unrated whether facts that are not rated yet are included
     */
    Future<List<FactSum>> sumMonth(
            UnitOfWork unit,
            UUID orgId,
            LocalDate month,
            Instant until,
            boolean unrated,
            Collection<Instant> priceTimes) {
        return unit.query(
                        OF_MONTH,
                        Tuple.of(
                                orgId,
                                times(priceTimes),
                                startOf(month),
                                startOf(month.plusMonths(1)),
                                SqlTime.of(until),
                                unrated))
                .map(rows -> RatingStore.list(rows, row -> new FactSum(fact(row), row.getLong("facts"))));
    }

    /** Returns the rated facts of months of usage that are booked until the end of a period. */
    Future<List<RatableFact>> sumMonths(
            UnitOfWork unit, UUID orgId, LocalDate period, Set<LocalDate> months, Collection<Instant> priceTimes) {
        var first = months.stream().min(LocalDate::compareTo).orElse(period);
        var last = months.stream().max(LocalDate::compareTo).orElse(period);
        return unit.query(
                        OF_MONTHS,
                        Tuple.of(
                                orgId,
                                times(priceTimes),
                                period,
                                months.toArray(LocalDate[]::new),
                                startOf(first),
                                startOf(last.plusMonths(1))))
                .map(FactSumStore::facts);
    }

    private static OffsetDateTime[] times(Collection<Instant> priceTimes) {
        return priceTimes.stream().map(SqlTime::of).toArray(OffsetDateTime[]::new);
    }

    private static OffsetDateTime startOf(LocalDate month) {
        return month.atStartOfDay().atOffset(ZoneOffset.UTC);
    }

    private static List<RatableFact> facts(RowSet<Row> rows) {
        return RatingStore.list(rows, FactSumStore::fact);
    }

    private static RatableFact fact(Row row) {
        return new RatableFact(
                row.getUUID("org_id"),
                row.getString("unit"),
                row.getBigDecimal("quantity"),
                SqlTime.read(row, "price_time"),
                startOf(row.getLocalDate("usage_month")).plusDays(1).toInstant(),
                RatingStore.group(row),
                row.getLocalDate("period"));
    }
}

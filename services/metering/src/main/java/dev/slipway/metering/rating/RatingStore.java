package dev.slipway.metering.rating;

import dev.slipway.messaging.QueryExecutor;
import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.metering.rating.domain.Charge.ChargeKey;
import dev.slipway.metering.rating.domain.LineGroup;
import dev.slipway.metering.rating.domain.LineKey;
import dev.slipway.metering.rating.domain.RatableFact;
import dev.slipway.metering.rating.domain.RatedLine;
import dev.slipway.metering.rating.domain.RatingBatch.RatedBatch;
import dev.slipway.metering.rating.domain.RatingKey;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;

/** All SQL of rated lines and charges. A line is kept as long as charges refer to it, which is always: it is not deleted, only set to zero. */
public final class RatingStore {
    static final String FACT_COLUMNS = """
            f.org_id, f.unit, f.quantity, f.window_start, f.window_end, f.period, f.project_id, f.app_instance_id, f.shared_runtime_id,
            f.attachment_id, f.source_project_id, f.app_slug, f.resource_type, f.resource_id
            """;
    /** The columns of a line in the order of the parameters of {@link #UPSERT_LINES}. */
    private static final String LINE_COLUMNS = """
            unit, usage_month, price_from, price_id, project_id, app_instance_id, shared_runtime_id, attachment_id, source_project_id, app_slug,
            resource_type, resource_id, quantity, amount""";

    static final String SELECT_LINES = "SELECT org_id, " + LINE_COLUMNS + " FROM rated_lines ";
    private static final String FIND_LINES = SELECT_LINES + """
            WHERE org_id = $1 AND (unit, usage_month) IN (SELECT * FROM unnest($2::text[], $3::date[]))
            """;
    private static final String FIND_RUNTIME_LINES = SELECT_LINES + """
            WHERE org_id = $1 AND (shared_runtime_id, usage_month) IN (SELECT * FROM unnest($2::uuid[], $3::date[]))
            """;
    private static final String FIND_BOOKED = """
            SELECT line_id, payer_id, sum(amount) AS amount FROM charges WHERE line_id = ANY ($1) GROUP BY line_id, payer_id
            """;
    private static final String UPSERT_LINES = """
            INSERT INTO rated_lines (org_id, currency, updated_at, id, {columns})
            SELECT $1, $2, $3, id, {columns}
            FROM unnest($4::uuid[], $5::text[], $6::date[], $7::timestamptz[], $8::uuid[], $9::uuid[], $10::uuid[], $11::uuid[], $12::uuid[],
                $13::uuid[], $14::text[], $15::text[], $16::text[], $17::text[]::numeric[], $18::text[]::numeric[])
                AS l (id, {columns})
            ON CONFLICT (id) DO UPDATE SET quantity = excluded.quantity, amount = excluded.amount, updated_at = excluded.updated_at
            """.replace("{columns}", LINE_COLUMNS);
    private static final String ADD_QUANTITIES = """
            INSERT INTO line_quantities (line_id, period, quantity)
            SELECT q.line_id, $1, q.quantity::numeric FROM unnest($2::uuid[], $3::text[]) AS q (line_id, quantity)
            ON CONFLICT (line_id, period) DO UPDATE SET quantity = line_quantities.quantity + excluded.quantity
            """;
    private static final String ADD_CHARGES = """
            INSERT INTO charges (org_id, line_id, payer_id, period, amount)
            SELECT $1, c.line_id, c.payer_id, $2, c.amount::numeric
            FROM unnest($3::uuid[], $4::uuid[], $5::text[]) AS c (line_id, payer_id, amount)
            ON CONFLICT (line_id, payer_id, period) DO UPDATE SET amount = charges.amount + excluded.amount
            """;
    private static final String FIND_OPEN_PERIOD =
            "SELECT min(period) AS period FROM usage_periods WHERE period >= $1 AND closed_at IS NULL";

    Future<List<RatedLine>> findLines(QueryExecutor executor, UUID orgId, Collection<RatingKey> keys) {
        var units = keys.stream().map(RatingKey::unit).toArray(String[]::new);
        var months = keys.stream().map(RatingKey::usageMonth).toArray(LocalDate[]::new);
        return executor.query(FIND_LINES, Tuple.of(orgId, units, months)).map(rows -> list(rows, RatingStore::line));
    }

    Future<List<RatedLine>> findRuntimeLines(
            QueryExecutor executor, UUID orgId, List<UUID> sharedRuntimeIds, List<LocalDate> months) {
        return executor.query(
                        FIND_RUNTIME_LINES,
                        Tuple.of(orgId, sharedRuntimeIds.toArray(UUID[]::new), months.toArray(LocalDate[]::new)))
                .map(rows -> list(rows, RatingStore::line));
    }

    /** Returns what is booked for lines in all periods. */
    Future<Map<ChargeKey, BigDecimal>> findBooked(UnitOfWork unit, Collection<RatedLine> lines) {
        return unit.query(FIND_BOOKED, Tuple.of((Object)
                        lines.stream().map(RatedLine::id).toArray(UUID[]::new)))
                .map(rows -> {
                    var booked = new HashMap<ChargeKey, BigDecimal>();
                    rows.forEach(row -> booked.put(
                            new ChargeKey(row.getUUID("line_id"), row.getUUID("payer_id")),
                            row.getBigDecimal("amount")));
                    return booked;
                });
    }

    /** Stores the changes of a batch. {@code stored} are the lines before it. */
    Future<Void> save(
            UnitOfWork unit,
            UUID orgId,
            LocalDate period,
            String currency,
            Map<UUID, RatedLine> stored,
            RatedBatch rated) {
        return unit.query(UPSERT_LINES, lineParameters(orgId, currency, unit, rated.changedLines()))
                .compose(ok -> {
                    addQuantities(unit, period, stored, rated);
                    var keys = List.copyOf(rated.bookings().keySet());
                    unit.write(
                            ADD_CHARGES,
                            Tuple.of(
                                    orgId,
                                    period,
                                    keys.stream().map(ChargeKey::lineId).toArray(UUID[]::new),
                                    keys.stream().map(ChargeKey::payer).toArray(UUID[]::new),
                                    keys.stream()
                                            .map(key -> plain(rated.bookings().get(key)))
                                            .toArray(String[]::new)));
                    return Future.succeededFuture();
                });
    }

    private static void addQuantities(
            UnitOfWork unit, LocalDate period, Map<UUID, RatedLine> stored, RatedBatch rated) {
        var ids = new ArrayList<UUID>();
        var quantities = new ArrayList<String>();
        for (var line : rated.changedLines()) {
            var before = stored.get(line.id());
            ids.add(line.id());
            quantities.add(
                    plain(before == null ? line.quantity() : line.quantity().subtract(before.quantity())));
        }
        unit.write(ADD_QUANTITIES, Tuple.of(period, ids.toArray(UUID[]::new), quantities.toArray(String[]::new)));
    }

    private static Tuple lineParameters(UUID orgId, String currency, UnitOfWork unit, List<RatedLine> lines) {
        return Tuple.from(new @Nullable Object[] {
            orgId,
            currency,
            SqlTime.of(unit.now()),
            lines.stream().map(RatedLine::id).toArray(UUID[]::new),
            lines.stream().map(line -> line.key().unit()).toArray(String[]::new),
            lines.stream().map(line -> line.key().usageMonth()).toArray(LocalDate[]::new),
            lines.stream().map(line -> SqlTime.of(line.key().priceFrom())).toArray(OffsetDateTime[]::new),
            lines.stream().map(line -> line.key().priceId()).toArray(UUID[]::new),
            ids(lines, LineGroup::projectId),
            ids(lines, LineGroup::appInstanceId),
            ids(lines, LineGroup::sharedRuntimeId),
            ids(lines, LineGroup::attachmentId),
            ids(lines, LineGroup::sourceProjectId),
            texts(lines, LineGroup::appSlug),
            texts(lines, LineGroup::resourceType),
            texts(lines, LineGroup::resourceId),
            lines.stream().map(line -> plain(line.quantity())).toArray(String[]::new),
            lines.stream().map(line -> plain(line.amount())).toArray(String[]::new)
        });
    }

    private static UUID[] ids(List<RatedLine> lines, Function<LineGroup, @Nullable UUID> field) {
        return lines.stream().map(line -> field.apply(line.key().group())).toArray(UUID[]::new);
    }

    private static String[] texts(List<RatedLine> lines, Function<LineGroup, @Nullable String> field) {
        return lines.stream().map(line -> field.apply(line.key().group())).toArray(String[]::new);
    }

    private static String plain(@Nullable BigDecimal value) {
        return value == null ? "0" : value.toPlainString();
    }

    /** Returns the first open period that is not before the month; null if there is none. */
    Future<@Nullable LocalDate> findOpenPeriod(UnitOfWork unit, LocalDate month) {
        return unit.query(FIND_OPEN_PERIOD, Tuple.of(month))
                .map(rows -> rows.iterator().next().getLocalDate("period"));
    }

    static <T> List<T> list(RowSet<Row> rows, Function<Row, T> item) {
        var items = new ArrayList<T>(rows.size());
        rows.forEach(row -> items.add(item.apply(row)));
        return items;
    }

    static RatableFact fact(Row row) {
        return new RatableFact(
                row.getUUID("org_id"),
                row.getString("unit"),
                row.getBigDecimal("quantity"),
                SqlTime.read(row, "window_start"),
                SqlTime.read(row, "window_end"),
                group(row),
                row.getLocalDate("period"));
    }

    static RatedLine line(Row row) {
        var key = new LineKey(
                row.getUUID("org_id"),
                row.getString("unit"),
                row.getLocalDate("usage_month"),
                SqlTime.read(row, "price_from"),
                row.getUUID("price_id"),
                group(row));
        return new RatedLine(key, row.getBigDecimal("quantity"), row.getBigDecimal("amount"));
    }

    static LineGroup group(Row row) {
        return new LineGroup(
                row.getUUID("project_id"),
                row.getUUID("app_instance_id"),
                row.getUUID("shared_runtime_id"),
                row.getUUID("attachment_id"),
                row.getUUID("source_project_id"),
                row.getString("app_slug"),
                row.getString("resource_type"),
                row.getString("resource_id"));
    }
}

package dev.slipway.metering.rating;

import dev.slipway.messaging.QueryExecutor;
import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.TableColumns;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.metering.rating.domain.LineGroup;
import dev.slipway.metering.rating.domain.RatedLine;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;

/** All SQL of statements and periods. */
public final class StatementStore {
    private static final String FIND_FINAL =
            "SELECT currency, total, finalized_at FROM statements WHERE org_id = $1 AND period = $2";
    private static final String SUM_FINAL = """
            SELECT coalesce(sum(amount), 0) AS total FROM statement_lines WHERE org_id = $1 AND period = $2 AND payer_id = $3
            """;
    private static final String SUM_DRAFT = """
            SELECT coalesce(sum(amount), 0) AS total FROM charges WHERE org_id = $1 AND period = $2 AND ($3::uuid IS NULL OR payer_id = $3)
            """;
    private static final String ROW_ID = "md5(s.line_id::text || coalesce(s.payer_id::text, ''))::uuid";
    private static final TableColumns LINE = TableColumns.of(
            "statement_lines",
            "org_id",
            "period",
            "line_id",
            "payer_id",
            "unit",
            "usage_month",
            "price_id",
            "project_id",
            "app_instance_id",
            "shared_runtime_id",
            "source_project_id",
            "app_slug",
            "resource_type",
            "resource_id",
            "quantity",
            "amount");
    private static final String DRAFT_LINES = """
            SELECT c.org_id, c.period, c.line_id, c.payer_id, l.unit, l.usage_month, l.price_id, l.project_id, l.app_instance_id,
                l.shared_runtime_id, l.source_project_id, l.app_slug, l.resource_type, l.resource_id, coalesce(q.quantity, 0) AS quantity, c.amount
            FROM charges c JOIN rated_lines l ON l.id = c.line_id
            LEFT JOIN line_quantities q ON q.line_id = c.line_id AND q.period = c.period
            WHERE c.amount <> 0
            """;
    private static final String PAGE = """
             WHERE s.org_id = $1 AND s.period = $2 AND ($3::uuid IS NULL OR s.payer_id = $3) AND ($4::uuid IS NULL OR %s > $4)
            ORDER BY row_id LIMIT $5
            """.formatted(ROW_ID);
    private static final String SELECT_LINES = "SELECT " + LINE.listOf("s") + ", " + ROW_ID + " AS row_id FROM ";
    private static final String LIST_FINAL = SELECT_LINES + "statement_lines s" + PAGE;
    private static final String LIST_DRAFT = SELECT_LINES + "(" + DRAFT_LINES + ") s" + PAGE;
    private static final String FIND_LINE = RatingStore.SELECT_LINES + "WHERE org_id = $1 AND id = $2";
    private static final String LIST_FACTS = """
            SELECT f.fact_key, f.source, f.fact_id, f.quantity, f.window_start, f.window_end, f.received_at, f.corrects_fact_id, f.correlation_id,
                f.trace_id, f.audit_entry_id
            FROM usage_facts f
            WHERE f.org_id = $1 AND f.unit = $2 AND f.period = $3 AND f.window_end > $4 AND f.window_end <= $5
                AND f.project_id IS NOT DISTINCT FROM $6 AND f.app_instance_id IS NOT DISTINCT FROM $7
                AND f.shared_runtime_id IS NOT DISTINCT FROM $8 AND f.attachment_id IS NOT DISTINCT FROM $9
                AND f.source_project_id IS NOT DISTINCT FROM $10 AND f.app_slug IS NOT DISTINCT FROM $11
                AND f.resource_type IS NOT DISTINCT FROM $12 AND f.resource_id IS NOT DISTINCT FROM $13
                AND f.window_start >= $14 AND ($15::timestamptz IS NULL OR f.window_start < $15) AND f.fact_key > $16
            ORDER BY f.fact_key LIMIT $17
            """;
    private static final String CLOSE = """
            UPDATE usage_periods SET closed_at = $2 WHERE period <= $1 AND closed_at IS NULL
            """;
    private static final String OPEN = "SELECT create_usage_period($1)";
    private static final String COUNT_UNRATED = """
            SELECT (SELECT coalesce(sum(facts), 0) FROM unrated_batches WHERE period <= $1)
                + (SELECT count(*) FROM rating_queue WHERE usage_month <= $1) AS unrated
            """;
    /** A charge of a closed period whose statement is missing, although nothing of its organization waits to be rated. */
    private static final String UNFINISHED = """
            FROM charges c JOIN usage_periods p ON p.period = c.period AND p.closed_at IS NOT NULL AND p.final_at IS NULL
            WHERE NOT EXISTS (SELECT FROM statements s WHERE s.org_id = c.org_id AND s.period = c.period)
                AND NOT EXISTS (SELECT FROM unrated_batches b WHERE b.period <= c.period AND (b.org_id IS NULL OR b.org_id = c.org_id))
                AND NOT EXISTS (SELECT FROM rating_queue q WHERE q.org_id = c.org_id AND q.usage_month <= c.period)
            """;

    private static final String FIND_UNFINISHED =
            "SELECT DISTINCT c.period, c.org_id " + UNFINISHED + " ORDER BY c.period, c.org_id LIMIT $1";
    /** Reads what is waiting and the charges at one moment: no further charge of the period can follow. */
    private static final String FINALIZE = """
            INSERT INTO statements (org_id, period, currency, total, finalized_at)
            SELECT c.org_id, c.period, (SELECT a.currency FROM billing_accounts a WHERE a.org_id = $1), sum(c.amount), $3
            """ + UNFINISHED + """
            AND c.org_id = $1 AND c.period = $2 GROUP BY c.org_id, c.period
            ON CONFLICT DO NOTHING RETURNING org_id, period, currency, total
            """;

    private static final String FINALIZE_LINES = """
            INSERT INTO statement_lines (%s) SELECT %s FROM (%s) d WHERE d.org_id = $1 AND d.period = $2
            """.formatted(LINE.list(), LINE.listOf("d"), DRAFT_LINES);
    private static final String MARK_FINAL = """
            UPDATE usage_periods p SET final_at = $1 WHERE p.closed_at IS NOT NULL AND p.final_at IS NULL
                AND NOT EXISTS (SELECT FROM unrated_batches b WHERE b.period <= p.period)
                AND NOT EXISTS (SELECT FROM rating_queue q WHERE q.usage_month <= p.period)
                AND NOT EXISTS (SELECT FROM charges c WHERE c.period = p.period
                    AND NOT EXISTS (SELECT FROM statements s WHERE s.org_id = c.org_id AND s.period = c.period))
            RETURNING p.period
            """;
    /** A month without usage need not be closed. */
    private static final String IS_DUE = """
            SELECT EXISTS (SELECT FROM usage_periods p WHERE p.period <= $1 AND p.closed_at IS NULL
                    AND EXISTS (SELECT FROM usage_facts f WHERE f.period = p.period)) AS due,
                EXISTS (SELECT FROM usage_periods WHERE closed_at IS NOT NULL AND final_at IS NULL) AS unfinished
            """;

    private static final String FIND_STATE = """
            SELECT closed_at, final_at IS NOT NULL AS final, (SELECT count(*) FROM statements s WHERE s.period = p.period) AS statements
            FROM usage_periods p WHERE period = $1
            """;
    private static final String FIND_UNFINAL_AGE = """
            SELECT coalesce(extract(epoch FROM now() - min(closed_at)), 0)::float8 AS age_s
            FROM usage_periods WHERE closed_at IS NOT NULL AND final_at IS NULL
            """;
    /** The head of a statement. */
    record StatementTotal(
            String currency, BigDecimal total, @Nullable Instant finalizedAt) {}

    /** A line of a statement; {@code rowId} orders the lines. */
    record ChargedLine(
            UUID rowId,
            UUID lineId,
            @Nullable UUID payerId,
            String unit,
            LocalDate usageMonth,
            BigDecimal quantity,
            BigDecimal amount,
            @Nullable UUID priceId,
            LineGroup group) {}

    /** A fact of a line. */
    record BilledFact(
            long factKey,
            String source,
            String factId,
            BigDecimal quantity,
            Instant windowStart,
            Instant windowEnd,
            Instant receivedAt,
            @Nullable String correctsFactId,
            @Nullable String correlationId,
            @Nullable String traceId,
            @Nullable UUID auditEntryId) {}

    record FinalStatement(UUID orgId, LocalDate period, String currency, BigDecimal total) {}

    /** An organization whose statement of a closed period can be finalized. */
    record UnfinishedStatement(UUID orgId, LocalDate period) {}

    /**
     * The work on periods.
     *
     * @param due whether a month that should be closed is open
     * @param unfinished whether statements of a closed month are missing
     */
    record PeriodWork(boolean due, boolean unfinished) {}

    record PeriodState(Instant closedAt, boolean isFinal, int statements, long unrated) {}

    private final QueryExecutor reads;

    public StatementStore(QueryExecutor reads) {
        this.reads = reads;
    }

    /** Returns the total, of one payer or of all; null without a final statement. */
    Future<@Nullable StatementTotal> findFinal(UUID orgId, LocalDate period, @Nullable UUID payer) {
        return reads.query(FIND_FINAL, Tuple.of(orgId, period)).compose(rows -> {
            if (rows.size() == 0) {
                return Future.succeededFuture();
            }
            var row = rows.iterator().next();
            var head = new StatementTotal(
                    row.getString("currency"), row.getBigDecimal("total"), SqlTime.read(row, "finalized_at"));
            return payer == null
                    ? Future.succeededFuture(head)
                    : reads.query(SUM_FINAL, Tuple.of(orgId, period, payer))
                            .map(sums -> new StatementTotal(
                                    head.currency, sums.iterator().next().getBigDecimal("total"), head.finalizedAt));
        });
    }

    Future<BigDecimal> sumDraft(UUID orgId, LocalDate period, @Nullable UUID payer) {
        return reads.query(SUM_DRAFT, Tuple.of(orgId, period, payer))
                .map(rows -> rows.iterator().next().getBigDecimal("total"));
    }

    Future<List<ChargedLine>> listLines(
            boolean isFinal, UUID orgId, LocalDate period, @Nullable UUID payer, @Nullable UUID after, int limit) {
        return reads.query(isFinal ? LIST_FINAL : LIST_DRAFT, Tuple.of(orgId, period, payer, after, limit))
                .map(rows -> RatingStore.list(rows, StatementStore::line));
    }

    Future<@Nullable RatedLine> findLine(UUID orgId, UUID lineId) {
        return reads.query(FIND_LINE, Tuple.of(orgId, lineId))
                .map(rows -> rows.size() == 0
                        ? null
                        : RatingStore.line(rows.iterator().next()));
    }

    /** Returns the facts of a line that are booked in a period, whose window begins in the given time. */
    Future<List<BilledFact>> listFacts(
            RatedLine line, LocalDate period, Instant from, @Nullable Instant until, long afterKey, int limit) {
        var key = line.key();
        var group = key.group();
        var month = key.usageMonth().atStartOfDay().atOffset(ZoneOffset.UTC);
        return reads.query(LIST_FACTS, Tuple.from(new @Nullable Object[] {
                    key.orgId(),
                    key.unit(),
                    period,
                    month,
                    month.plusMonths(1),
                    group.projectId(),
                    group.appInstanceId(),
                    group.sharedRuntimeId(),
                    group.attachmentId(),
                    group.sourceProjectId(),
                    group.appSlug(),
                    group.resourceType(),
                    group.resourceId(),
                    SqlTime.of(from),
                    SqlTime.ofNullable(until),
                    afterKey,
                    limit
                }))
                .map(rows -> RatingStore.list(rows, StatementStore::fact));
    }

    Future<PeriodWork> findWork(LocalDate due) {
        return reads.query(IS_DUE, Tuple.of(due)).map(rows -> {
            var row = rows.iterator().next();
            return new PeriodWork(row.getBoolean("due"), row.getBoolean("unfinished"));
        });
    }

    /**
     * Closes a period and all before it, and opens the next one. Waits until facts that are being stored are committed. Returns whether any of them was
     * open.
     */
    Future<Boolean> close(UnitOfWork unit, LocalDate period) {
        return unit.query(OPEN, Tuple.of(period))
                .compose(ok -> unit.query(OPEN, Tuple.of(period.plusMonths(1))))
                .compose(ok -> unit.query(CLOSE, Tuple.of(period, SqlTime.of(unit.now()))))
                .map(rows -> rows.rowCount() > 0);
    }

    Future<PeriodState> findState(UnitOfWork unit, LocalDate period) {
        return unit.query(COUNT_UNRATED, Tuple.of(period))
                .compose(counted -> unit.query(FIND_STATE, Tuple.of(period)).map(rows -> {
                    var row = rows.iterator().next();
                    return new PeriodState(
                            SqlTime.read(row, "closed_at"),
                            row.getBoolean("final"),
                            row.getInteger("statements"),
                            counted.iterator().next().getLong("unrated"));
                }));
    }

    /** Returns statements of closed periods that can be finalized. */
    Future<List<UnfinishedStatement>> findUnfinished(int limit) {
        return reads.query(FIND_UNFINISHED, Tuple.of(limit))
                .map(rows -> RatingStore.list(
                        rows, row -> new UnfinishedStatement(row.getUUID("org_id"), row.getLocalDate("period"))));
    }

    /** Stores a final statement with its lines; null if it is stored already, or something has to be rated before. */
    Future<@Nullable FinalStatement> finalizeStatement(UnitOfWork unit, UnfinishedStatement unfinished) {
        return unit.query(FINALIZE, Tuple.of(unfinished.orgId, unfinished.period, SqlTime.of(unit.now())))
                .map(rows -> {
                    if (rows.size() == 0) {
                        return null;
                    }
                    unit.write(FINALIZE_LINES, Tuple.of(unfinished.orgId, unfinished.period));
                    var row = rows.iterator().next();
                    return new FinalStatement(
                            row.getUUID("org_id"),
                            row.getLocalDate("period"),
                            row.getString("currency"),
                            row.getBigDecimal("total"));
                });
    }

    /** Marks closed periods as final whose statements are all final; returns whether there are any. */
    Future<Boolean> markFinal(UnitOfWork unit) {
        return unit.query(MARK_FINAL, Tuple.of(SqlTime.of(unit.now()))).map(rows -> rows.size() > 0);
    }

    /** Returns for how long a closed period has not been final; 0 if all are. */
    Future<Double> findUnfinalAge() {
        return reads.query(FIND_UNFINAL_AGE, Tuple.tuple())
                .map(rows -> rows.iterator().next().getDouble("age_s"));
    }

    private static ChargedLine line(Row row) {
        return new ChargedLine(
                row.getUUID("row_id"),
                row.getUUID("line_id"),
                row.getUUID("payer_id"),
                row.getString("unit"),
                row.getLocalDate("usage_month"),
                row.getBigDecimal("quantity"),
                row.getBigDecimal("amount"),
                row.getUUID("price_id"),
                new LineGroup(
                        row.getUUID("project_id"),
                        row.getUUID("app_instance_id"),
                        row.getUUID("shared_runtime_id"),
                        null,
                        row.getUUID("source_project_id"),
                        row.getString("app_slug"),
                        row.getString("resource_type"),
                        row.getString("resource_id")));
    }

    private static BilledFact fact(Row row) {
        return new BilledFact(
                row.getLong("fact_key"),
                row.getString("source"),
                row.getString("fact_id"),
                row.getBigDecimal("quantity"),
                SqlTime.read(row, "window_start"),
                SqlTime.read(row, "window_end"),
                SqlTime.read(row, "received_at"),
                row.getString("corrects_fact_id"),
                row.getString("correlation_id"),
                row.getString("trace_id"),
                row.getUUID("audit_entry_id"));
    }
}

package dev.slipway.metering.ledger;

import dev.slipway.contract.CanonicalJson;
import dev.slipway.contract.Json;
import dev.slipway.service.consistency.ConsistencyCheck;
import dev.slipway.service.consistency.ConsistencyClaim;
import io.vertx.sqlclient.Row;
import org.jspecify.annotations.Nullable;

import java.util.List;

/** The invariants of the ledger. Every slice reads a bounded number of rows by key, so that it takes the same time however large the ledger is. */
public final class LedgerInvariantStore {
    static final String TRANSACTIONS_CHECK = "ledger_transactions";

    private static final String NO_ID = "'00000000-0000-0000-0000-000000000000'";
    private static final String AFTER_ID = "coalesce(nullif($1, ''), " + NO_ID + ")::uuid";
    private static final String OPEN = "AND period IN (SELECT period FROM usage_periods WHERE closed_at IS NULL)";
    private static final String TRANSACTIONS = """
            SELECT t.id::text AS key, t.entries_digest, count(e.line) AS entries,
                coalesce(sum(CASE e.side WHEN 'debit' THEN e.amount ELSE -e.amount END), 0) AS difference,
                (SELECT count(*) FROM ledger_transactions d WHERE d.org_id = t.org_id AND d.type = t.type AND d.reference = t.reference) AS postings,
                json_build_object('entries', json_agg(json_build_object('account', a.kind, 'project_id', a.project_id, 'side', e.side,
                    'amount', e.amount::text, 'unit', e.unit, 'price_id', e.price_id) ORDER BY e.line))::text AS content
            FROM (SELECT id, org_id, type, reference, entries_digest FROM ledger_transactions WHERE id > %s ORDER BY id LIMIT $2) t
            LEFT JOIN ledger_entries e ON e.transaction_id = t.id LEFT JOIN ledger_accounts a ON a.id = e.account_id
            GROUP BY t.id, t.org_id, t.type, t.reference, t.entries_digest ORDER BY t.id
            """.formatted(AFTER_ID);
    private static final String ENTRIES = """
            SELECT e.transaction_id::text AS key, t.id IS NULL AS differs FROM (
                SELECT DISTINCT transaction_id FROM ledger_entries WHERE transaction_id > %s ORDER BY transaction_id LIMIT $2) e
            LEFT JOIN ledger_transactions t ON t.id = e.transaction_id ORDER BY e.transaction_id
            """.formatted(AFTER_ID);
    private static final String AFTER_PAIR = """
            ($1 = '' OR (%1$s, period) > (nullif(split_part($1, '/', 1), '')::uuid, nullif(split_part($1, '/', 2), '')::date))""";
    /** The accounts of the platform have too many entries; {@link #PLATFORM_TOTALS} covers them. */
    private static final String TOTALS = """
            SELECT k.account_id::text || '/' || k.period::text AS key,
                (k.debits, k.credits, k.usage) IS DISTINCT FROM (coalesce(e.debits, 0), coalesce(e.credits, 0), coalesce(e.usage, 0)) AS differs
            FROM (SELECT t.* FROM ledger_totals t JOIN ledger_accounts a ON a.id = t.account_id AND a.org_id IS NOT NULL
                WHERE %s %s ORDER BY account_id, period LIMIT $2) k
            LEFT JOIN LATERAL (SELECT sum(amount) FILTER (WHERE side = 'debit') AS debits, sum(amount) FILTER (WHERE side = 'credit') AS credits,
                    sum(CASE side WHEN 'debit' THEN amount ELSE -amount END) FILTER (WHERE unit IS NOT NULL) AS usage
                FROM ledger_entries e WHERE e.account_id = k.account_id AND e.period = k.period) e ON true
            ORDER BY k.account_id, k.period
            """;

    private static final String PLATFORM_TOTALS = """
            SELECT s.key, s.difference <> 0 AS differs FROM (
                SELECT a.currency || '/' || t.period::text AS key, sum(t.debits - t.credits) AS difference
                FROM ledger_totals t JOIN ledger_accounts a ON a.id = t.account_id GROUP BY a.currency, t.period) s
            WHERE s.key > $1 ORDER BY s.key LIMIT $2
            """;
    private static final String POSTED_CHARGES = """
            SELECT b.org_id::text AS key, d.period::text AS period, d.charged, d.posted
            FROM (SELECT org_id FROM billing_accounts WHERE org_id > %1$s ORDER BY org_id LIMIT $2) b
            LEFT JOIN LATERAL (
                SELECT period, coalesce(c.amount, 0) AS charged, coalesce(l.amount, 0) AS posted
                FROM (SELECT period, sum(amount) AS amount FROM charges WHERE org_id = b.org_id %2$s GROUP BY period) c
                FULL JOIN (SELECT period, sum(usage) AS amount FROM ledger_accounts a JOIN ledger_totals t ON t.account_id = a.id
                    WHERE a.org_id = b.org_id %2$s GROUP BY period) l USING (period)
                WHERE coalesce(c.amount, 0) <> coalesce(l.amount, 0) ORDER BY period LIMIT 1) d ON true
            ORDER BY b.org_id
            """;
    private static final String CHARGED_LINES = """
            SELECT l.id::text AS key, l.amount <> coalesce((SELECT sum(c.amount) FROM charges c WHERE c.line_id = l.id), 0) AS differs
            FROM (SELECT id, amount FROM rated_lines WHERE id > %s ORDER BY id LIMIT $2) l ORDER BY l.id
            """.formatted(AFTER_ID);
    private static final String CHARGES = """
            SELECT c.line_id::text AS key, l.id IS NULL AS differs
            FROM (SELECT DISTINCT line_id FROM charges WHERE line_id > %s ORDER BY line_id LIMIT $2) c
            LEFT JOIN rated_lines l ON l.id = c.line_id ORDER BY c.line_id
            """.formatted(AFTER_ID);
    /** A budget counts the current month; usage that is booked in an earlier one later is not added to it. */
    private static final String BUDGETS = """
            SELECT b.project_id::text AS key, b.reached_period = date_trunc('month', now(), 'UTC')::date AND b.spent <> coalesce((
                SELECT sum(t.usage) FROM ledger_accounts a JOIN ledger_totals t ON t.account_id = a.id AND t.period = b.reached_period
                WHERE a.org_id = b.org_id AND a.project_id = b.project_id), 0) IS TRUE AS differs
            FROM (SELECT project_id, org_id, spent, reached_period FROM budgets WHERE project_id > %s ORDER BY project_id LIMIT $2) b
            ORDER BY b.project_id
            """.formatted(AFTER_ID);

    private static final String STATEMENTS = """
            SELECT s.org_id::text || '/' || s.period::text AS key, s.total <> coalesce((
                SELECT sum(l.amount) FROM statement_lines l WHERE l.org_id = s.org_id AND l.period = s.period), 0) AS differs
            FROM (SELECT org_id, period, total FROM statements WHERE %s ORDER BY org_id, period LIMIT $2) s ORDER BY s.org_id, s.period
            """.formatted(AFTER_PAIR.formatted("org_id"));

    /** Transactions of the last week only: older ones were claimed before. Their ids begin with their time in milliseconds. */
    private static final String AUDITED = """
            SELECT id::text AS key, entries_digest || '|' || correlation_id AS value FROM ledger_transactions
            WHERE id > greatest(%s, rpad(lpad(to_hex((extract(epoch FROM now() - interval '7 days') * 1000)::bigint), 12, '0'), 32, '0')::uuid)
                AND entries_digest IS NOT NULL AND posted_at < now() - interval '10 seconds'
            ORDER BY id LIMIT $2
            """.formatted(AFTER_ID);

    private LedgerInvariantStore() {}

    public static List<ConsistencyCheck> checks() {
        return List.of(
                transactions(),
                check("ledger_entries", "Every ledger entry belongs to a transaction", ENTRIES, "has no transaction"),
                totals(""),
                platformTotals(),
                postedCharges(""),
                check(
                        "charged_lines",
                        "The charges of every rated line sum to its amount",
                        CHARGED_LINES,
                        "the charges do not sum to the amount of the line"),
                check("charges", "Every charge belongs to a rated line", CHARGES, "the line does not exist"),
                check(
                        "budgets_spent",
                        "What is spent of every budget in this month is booked for its project",
                        BUDGETS,
                        "the amount differs from the ledger"),
                check(
                        "statement_totals",
                        "The total of every statement is the sum of its lines",
                        STATEMENTS,
                        "the lines do not sum to the total"));
    }

    /** Returns the digests that the audit service compares with its records. */
    public static ConsistencyClaim claim() {
        return new ConsistencyClaim("metering.ledger_transactions", AUDITED);
    }

    /** Returns the checks that are repeated all the time: those of transactions, and of periods that can still change. */
    static List<ConsistencyCheck> continuousChecks() {
        return List.of(transactions(), totals(OPEN), platformTotals(), postedCharges(OPEN));
    }

    private static ConsistencyCheck transactions() {
        return new ConsistencyCheck(
                TRANSACTIONS_CHECK,
                "The debits of every ledger transaction equal its credits, nothing is posted twice, and its entries are those that were audited",
                TRANSACTIONS,
                LedgerInvariantStore::compareSides);
    }

    private static ConsistencyCheck totals(String periods) {
        return check(
                "ledger_totals",
                "The totals of every ledger account are the sums of its entries",
                TOTALS.formatted(AFTER_PAIR.formatted("account_id"), periods),
                "the totals differ from the entries");
    }

    private static ConsistencyCheck platformTotals() {
        return check(
                "ledger_platform_totals",
                "All debits of every currency and period equal all credits",
                PLATFORM_TOTALS,
                "debits and credits differ");
    }

    private static ConsistencyCheck postedCharges(String periods) {
        return new ConsistencyCheck(
                "posted_charges",
                "The charges of every organization and period are posted to the ledger",
                POSTED_CHARGES.formatted(AFTER_ID, periods),
                LedgerInvariantStore::comparePeriod);
    }

    /** Creates a check whose slice says which rows differ. */
    private static ConsistencyCheck check(String name, String description, String slice, String difference) {
        return new ConsistencyCheck(
                name, description, slice, row -> Boolean.TRUE.equals(row.getBoolean("differs")) ? difference : null);
    }

    private static @Nullable String compareSides(Row row) {
        if (row.getLong("entries") == 0) {
            return "the transaction has no entries";
        }
        if (row.getLong("postings") > 1) {
            return "its reference is posted " + row.getLong("postings") + " times";
        }
        var difference = row.getBigDecimal("difference");
        if (difference.signum() != 0) {
            return "debits and credits differ by " + difference.toPlainString();
        }
        var digest = row.getString("entries_digest");
        return digest == null || digest.equals(CanonicalJson.digest(Json.parseStoredObject(row.getString("content"))))
                ? null
                : "the entries differ from those whose digest is in the audit log";
    }

    private static @Nullable String comparePeriod(Row row) {
        var period = row.getString("period");
        return period == null
                ? null
                : "charges of " + period + " are "
                        + row.getBigDecimal("charged").toPlainString() + ", but "
                        + row.getBigDecimal("posted").toPlainString() + " is posted";
    }
}

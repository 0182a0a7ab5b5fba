package dev.slipway.metering.ledger;

import dev.slipway.service.consistency.ConsistencyCheck;
import io.vertx.sqlclient.Row;
import org.jspecify.annotations.Nullable;

import java.util.List;

/** The invariants of the ledger that the platform checks continuously. */
public final class LedgerInvariantStore {
    private static final String TRANSACTIONS = """
            SELECT t.id::text AS key, count(e.line) AS entries,
                coalesce(sum(CASE e.side WHEN 'debit' THEN e.amount ELSE -e.amount END), 0) AS difference
            FROM (SELECT id FROM ledger_transactions
                WHERE id > coalesce(nullif($1, ''), '00000000-0000-0000-0000-000000000000')::uuid ORDER BY id LIMIT $2) t
            LEFT JOIN ledger_entries e ON e.transaction_id = t.id GROUP BY t.id ORDER BY t.id
            """;
    private static final String PERIODS = """
            SELECT p.key, p.charged, p.posted FROM (
                SELECT org_id::text || '/' || period::text AS key, coalesce(c.amount, 0) AS charged, coalesce(l.amount, 0) AS posted
                FROM (SELECT org_id, period, sum(amount) AS amount FROM charges GROUP BY org_id, period) c
                FULL JOIN (SELECT a.org_id, t.period, sum(t.usage) AS amount FROM ledger_totals t JOIN ledger_accounts a ON a.id = t.account_id
                    WHERE a.org_id IS NOT NULL GROUP BY a.org_id, t.period) l USING (org_id, period)) p
            WHERE p.key > $1 ORDER BY p.key LIMIT $2
            """;

    private LedgerInvariantStore() {}

    public static List<ConsistencyCheck> checks() {
        return List.of(
                new ConsistencyCheck(
                        "ledger_transactions",
                        "The debits of every ledger transaction equal its credits",
                        TRANSACTIONS,
                        LedgerInvariantStore::compareSides),
                new ConsistencyCheck(
                        "posted_charges",
                        "The charges of every organization and period are posted to the ledger",
                        PERIODS,
                        LedgerInvariantStore::comparePeriod));
    }

    private static @Nullable String compareSides(Row row) {
        if (row.getLong("entries") == 0) {
            return "the transaction has no entries";
        }
        var difference = row.getBigDecimal("difference");
        return difference.signum() == 0 ? null : "debits and credits differ by " + difference.toPlainString();
    }

    private static @Nullable String comparePeriod(Row row) {
        var charged = row.getBigDecimal("charged");
        var posted = row.getBigDecimal("posted");
        return charged.compareTo(posted) == 0
                ? null
                : "charges are " + charged.toPlainString() + ", but " + posted.toPlainString() + " is posted";
    }
}

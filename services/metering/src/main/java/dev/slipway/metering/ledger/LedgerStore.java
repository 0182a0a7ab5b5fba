package dev.slipway.metering.ledger;

import dev.slipway.contract.Cursor;
import dev.slipway.messaging.QueryExecutor;
import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.TableColumns;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.metering.ledger.domain.LedgerAccount;
import dev.slipway.metering.ledger.domain.LedgerEntry;
import dev.slipway.metering.ledger.domain.LedgerEntry.Side;
import dev.slipway.metering.ledger.domain.LedgerTransaction;
import dev.slipway.service.consistency.ConsistencyCheck;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** All SQL of the ledger. Entries are inserted and read, never changed. */
public final class LedgerStore {
    private static final String INSERT_ACCOUNTS = """
            INSERT INTO ledger_accounts (id, kind, org_id, project_id, currency, created_at)
            SELECT a.id, a.kind, a.org_id, a.project_id, $1, $2
            FROM unnest($3::uuid[], $4::text[], $5::uuid[], $6::uuid[]) AS a (id, kind, org_id, project_id) ORDER BY a.id ON CONFLICT DO NOTHING
            """;
    private static final TableColumns TRANSACTION = TableColumns.of(
            "ledger_transactions",
            "id",
            "type",
            "period",
            "currency",
            "reference",
            "reason",
            "correlation_id",
            "posted_at");
    private static final String INSERT_TRANSACTION =
            TRANSACTION.and("org_id", "entries_digest").insert();
    private static final String INSERT_ENTRIES = """
            INSERT INTO ledger_entries (transaction_id, line, account_id, side, amount, period, unit, price_id)
            SELECT $1, e.line, e.account_id, e.side, e.amount::numeric, $2, e.unit, e.price_id
            FROM unnest($3::int[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::uuid[])
                AS e (line, account_id, side, amount, unit, price_id)
            """;
    private static final String ADD_TOTALS = """
            INSERT INTO ledger_totals (account_id, period, debits, credits, usage)
            SELECT t.account_id, $1, t.debits::numeric, t.credits::numeric, t.usage::numeric
            FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[]) AS t (account_id, debits, credits, usage)
            ON CONFLICT (account_id, period) DO UPDATE SET debits = ledger_totals.debits + excluded.debits,
                credits = ledger_totals.credits + excluded.credits, usage = ledger_totals.usage + excluded.usage
            """;
    private static final String FIND_BALANCE = """
            SELECT coalesce(sum(t.credits - t.debits), 0) AS balance
            FROM ledger_accounts a JOIN ledger_totals t ON t.account_id = a.id WHERE a.org_id = $1 AND a.currency = $2
            """;
    private static final String FIND_SPENT = """
            SELECT a.project_id, coalesce(sum(t.usage), 0) AS spent
            FROM ledger_accounts a JOIN ledger_totals t ON t.account_id = a.id AND t.period = $3
            WHERE a.org_id = $1 AND a.project_id = ANY ($2) GROUP BY a.project_id
            """;
    private static final String LIST = """
            SELECT %s, e.line, e.side, e.amount, e.unit, e.price_id, a.kind, a.project_id
            FROM (SELECT * FROM ledger_transactions WHERE org_id = $1 AND ($2::timestamptz IS NULL OR (posted_at, id) < ($2, $3))
                ORDER BY posted_at DESC, id DESC LIMIT $4) t
            JOIN ledger_entries e ON e.transaction_id = t.id JOIN ledger_accounts a ON a.id = e.account_id
            ORDER BY t.posted_at DESC, t.id DESC, e.line
            """.formatted(TRANSACTION.listOf("t"));
    private static final String FIND_BY_REFERENCE =
            "SELECT id FROM ledger_transactions WHERE org_id = $1 AND type = $2 AND reference = $3";
    private final SqlClient reads;

    /** A posted transaction. */
    public record PostedTransaction(
            UUID id,
            String type,
            LocalDate period,
            String currency,
            String reference,
            @Nullable String reason,
            String correlationId,
            Instant postedAt,
            List<PostedEntry> entries) {}

    /** A posted entry; {@code projectId} is null unless the account belongs to a project. */
    public record PostedEntry(
            String account,
            @Nullable UUID projectId,
            String side,
            BigDecimal amount,
            @Nullable String unit,
            @Nullable UUID priceId) {}

    /** The outcome of the slices of a check until a key. */
    record CheckedSlice(long differences, String lastKey, boolean isLast) {}

    /** The sums that entries add to an account. */
    private record AccountSums(BigDecimal debits, BigDecimal credits, BigDecimal usage) {
        static final AccountSums ZERO = new AccountSums(BigDecimal.ZERO, BigDecimal.ZERO, BigDecimal.ZERO);

        AccountSums plus(LedgerEntry entry) {
            var debit = entry.side() == Side.DEBIT ? entry.amount() : BigDecimal.ZERO;
            var credit = entry.side() == Side.CREDIT ? entry.amount() : BigDecimal.ZERO;
            var used = entry.unit() == null ? BigDecimal.ZERO : debit.subtract(credit);
            return new AccountSums(debits.add(debit), credits.add(credit), usage.add(used));
        }
    }

    public LedgerStore(SqlClient reads) {
        this.reads = reads;
    }

    /** Posts a transaction. Fails if one with this reference was posted before. */
    void insert(UnitOfWork unit, LedgerTransaction transaction, String entriesDigest) {
        var entries = transaction.entries();
        insertAccounts(unit, transaction);
        unit.write(INSERT_TRANSACTION, Tuple.from(new @Nullable Object[] {
            transaction.id(),
            transaction.type().text(),
            transaction.period(),
            transaction.currency(),
            transaction.reference(),
            transaction.reason(),
            unit.context().correlationId(),
            SqlTime.of(unit.now()),
            transaction.orgId(),
            entriesDigest
        }));
        var lines = new Integer[entries.size()];
        for (var i = 0; i < lines.length; i++) {
            lines[i] = i + 1;
        }
        unit.write(INSERT_ENTRIES, Tuple.from(new Object[] {
            transaction.id(),
            transaction.period(),
            lines,
            entries.stream().map(entry -> accountId(entry.account())).toArray(UUID[]::new),
            entries.stream().map(entry -> entry.side().text()).toArray(String[]::new),
            entries.stream().map(entry -> entry.amount().toPlainString()).toArray(String[]::new),
            entries.stream().map(LedgerEntry::unit).toArray(String[]::new),
            entries.stream().map(LedgerEntry::priceId).toArray(UUID[]::new)
        }));
        addTotals(unit, transaction);
    }

    private static void insertAccounts(UnitOfWork unit, LedgerTransaction transaction) {
        var accounts = List.copyOf(new LinkedHashSet<>(
                transaction.entries().stream().map(LedgerEntry::account).toList()));
        unit.write(INSERT_ACCOUNTS, Tuple.from(new Object[] {
            transaction.currency(),
            SqlTime.of(unit.now()),
            accounts.stream().map(LedgerStore::accountId).toArray(UUID[]::new),
            accounts.stream().map(account -> account.kind().text()).toArray(String[]::new),
            accounts.stream().map(LedgerAccount::orgId).toArray(UUID[]::new),
            accounts.stream().map(LedgerAccount::projectId).toArray(UUID[]::new)
        }));
    }

    private static void addTotals(UnitOfWork unit, LedgerTransaction transaction) {
        var sums = new LinkedHashMap<LedgerAccount, AccountSums>();
        for (var entry : transaction.entries()) {
            sums.put(
                    entry.account(),
                    sums.getOrDefault(entry.account(), AccountSums.ZERO).plus(entry));
        }
        unit.write(ADD_TOTALS, totals(transaction.period(), sums));
    }

    private static Tuple totals(LocalDate period, Map<LedgerAccount, AccountSums> sums) {
        return Tuple.of(
                period,
                sums.keySet().stream().map(LedgerStore::accountId).toArray(UUID[]::new),
                sums.values().stream().map(each -> each.debits.toPlainString()).toArray(String[]::new),
                sums.values().stream().map(each -> each.credits.toPlainString()).toArray(String[]::new),
                sums.values().stream().map(each -> each.usage.toPlainString()).toArray(String[]::new));
    }

    /** Returns the id of an account, which is derived from its fields. */
    static UUID accountId(LedgerAccount account) {
        var text = account.kind().text() + '/' + account.orgId() + '/' + account.projectId() + '/' + account.currency();
        return UUID.nameUUIDFromBytes(text.getBytes(StandardCharsets.UTF_8));
    }

    public Future<Boolean> isPosted(UnitOfWork unit, UUID orgId, LedgerTransaction.Type type, String reference) {
        return unit.query(FIND_BY_REFERENCE, Tuple.of(orgId, type.text(), reference))
                .map(rows -> rows.size() > 0);
    }

    /** Returns credits less debits of the organization and its projects. */
    public Future<BigDecimal> findBalance(QueryExecutor executor, UUID orgId, String currency) {
        return executor.query(FIND_BALANCE, Tuple.of(orgId, currency))
                .map(rows -> rows.iterator().next().getBigDecimal("balance"));
    }

    /** Returns the usage of projects that is booked in a period; projects without usage are missing. */
    public Future<Map<UUID, BigDecimal>> findSpent(
            QueryExecutor executor, UUID orgId, List<UUID> projectIds, LocalDate period) {
        return executor.query(FIND_SPENT, Tuple.of(orgId, projectIds.toArray(UUID[]::new), period))
                .map(rows -> {
                    var spent = new LinkedHashMap<UUID, BigDecimal>();
                    rows.forEach(row -> spent.put(row.getUUID("project_id"), row.getBigDecimal("spent")));
                    return spent;
                });
    }

    public Future<List<PostedTransaction>> list(UUID orgId, @Nullable Cursor after, int limit) {
        return reads.preparedQuery(LIST)
                .execute(Tuple.of(
                        orgId,
                        after == null ? null : SqlTime.of(after.createdAt()),
                        after == null ? null : after.id(),
                        limit))
                .map(rows -> {
                    var found = new LinkedHashMap<UUID, PostedTransaction>();
                    for (var row : rows) {
                        found.computeIfAbsent(row.getUUID("id"), id -> transaction(row))
                                .entries()
                                .add(entry(row));
                    }
                    return List.copyOf(found.values());
                });
    }

    /** Checks the next rows of an invariant. */
    Future<CheckedSlice> check(ConsistencyCheck check, String after, int limit) {
        return reads.preparedQuery(check.slice())
                .execute(Tuple.of(after, limit))
                .map(rows -> {
                    var differences = 0L;
                    var last = after;
                    for (var row : rows) {
                        last = row.getString("key");
                        if (check.verdict().apply(row) != null) {
                            differences++;
                        }
                    }
                    return new CheckedSlice(differences, last, rows.size() < limit);
                });
    }

    private static PostedTransaction transaction(Row row) {
        return new PostedTransaction(
                row.getUUID("id"),
                row.getString("type"),
                row.getLocalDate("period"),
                row.getString("currency"),
                row.getString("reference"),
                row.getString("reason"),
                row.getString("correlation_id"),
                SqlTime.read(row, "posted_at"),
                new ArrayList<>());
    }

    private static PostedEntry entry(Row row) {
        return new PostedEntry(
                row.getString("kind"),
                row.getUUID("project_id"),
                row.getString("side"),
                row.getBigDecimal("amount"),
                row.getString("unit"),
                row.getUUID("price_id"));
    }
}

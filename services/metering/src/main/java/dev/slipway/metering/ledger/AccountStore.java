package dev.slipway.metering.ledger;

import dev.slipway.contract.domain.TextEnum;
import dev.slipway.messaging.QueryExecutor;
import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.TableColumns;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.metering.ledger.domain.BillingAccount;
import dev.slipway.metering.ledger.domain.BillingAccount.State;
import dev.slipway.metering.ledger.domain.Budget;
import dev.slipway.metering.ledger.domain.LimitAction;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;

/** All SQL of billing accounts and budgets. */
public final class AccountStore {
    private static final String ACCOUNT_COLUMNS = """
            SELECT org_id, org_id AS id, currency, credit_limit, low_balance, at_zero, grace_seconds, state, state_since, postings, revision
            FROM billing_accounts
            """;
    private static final TableColumns BUDGET = TableColumns.of(
            "budgets",
            "project_id",
            "org_id",
            "currency",
            "amount",
            "spent",
            "thresholds",
            "at_limit",
            "grace_seconds",
            "reservation_hours",
            "reached_percent",
            "reached_period",
            "exceeded_at",
            "revision");
    private static final String SELECT_BUDGETS = "SELECT project_id AS id, " + BUDGET.list() + " FROM budgets";
    /** The page query of all accounts, in the order of their ids. */
    public static final String ACCOUNTS_AFTER_ID = ACCOUNT_COLUMNS + " WHERE org_id > $1 ORDER BY org_id LIMIT $2";

    /** The page query of all budgets, in the order of their ids. */
    public static final String BUDGETS_AFTER_ID =
            SELECT_BUDGETS + " WHERE project_id > $1 ORDER BY project_id LIMIT $2";

    private static final String INSERT_ACCOUNT =
            "INSERT INTO billing_accounts (org_id, currency, state_since) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
    private static final String LOCK_ACCOUNT = ACCOUNT_COLUMNS + " WHERE org_id = $1 FOR UPDATE";
    private static final String FIND_ACCOUNT = ACCOUNT_COLUMNS + " WHERE org_id = $1";
    private static final String UPDATE_ACCOUNT = """
            UPDATE billing_accounts SET credit_limit = $2, low_balance = $3, at_zero = $4, grace_seconds = $5, state = $6, state_since = $7,
                postings = $8, revision = $9 WHERE org_id = $1
            """;
    private static final String FIND_BUDGETS = SELECT_BUDGETS + " WHERE org_id = $1 AND project_id = ANY ($2)";
    private static final String FIND_BUDGET = SELECT_BUDGETS + " WHERE project_id = $1";
    private static final String UPSERT_BUDGET = BUDGET.insert() + """
            ON CONFLICT (project_id) DO UPDATE SET currency = excluded.currency, amount = excluded.amount, spent = excluded.spent,
                thresholds = excluded.thresholds, at_limit = excluded.at_limit, grace_seconds = excluded.grace_seconds,
                reservation_hours = excluded.reservation_hours, reached_percent = excluded.reached_percent,
                reached_period = excluded.reached_period, exceeded_at = excluded.exceeded_at, revision = excluded.revision
            """;

    private final String defaultCurrency;

    /** @param defaultCurrency the currency of accounts that are created by their first usage */
    public AccountStore(String defaultCurrency) {
        this.defaultCurrency = defaultCurrency;
    }

    /** Locks the account of an organization, and creates it first if there is none. */
    public Future<BillingAccount> lock(UnitOfWork unit, UUID orgId) {
        unit.write(INSERT_ACCOUNT, Tuple.of(orgId, defaultCurrency, SqlTime.of(unit.now())));
        return unit.query(LOCK_ACCOUNT, Tuple.of(orgId))
                .map(rows -> account(rows.iterator().next()));
    }

    /** Returns the account; null before the first usage, payment or setting. */
    public Future<@Nullable BillingAccount> find(QueryExecutor executor, UUID orgId) {
        return executor.query(FIND_ACCOUNT, Tuple.of(orgId))
                .map(rows -> rows.size() == 0 ? null : account(rows.iterator().next()));
    }

    /** Returns the currency of an organization: the default one before its account exists. */
    public Future<String> findCurrency(QueryExecutor executor, UUID orgId) {
        return find(executor, orgId).map(account -> account == null ? defaultCurrency : account.currency());
    }

    public String defaultCurrency() {
        return defaultCurrency;
    }

    void update(UnitOfWork unit, BillingAccount account) {
        unit.write(UPDATE_ACCOUNT, Tuple.from(new @Nullable Object[] {
            account.orgId(),
            account.creditLimit(),
            account.lowBalance(),
            account.atZero().text(),
            account.grace().toSeconds(),
            account.state().text(),
            SqlTime.of(account.stateSince()),
            account.postings(),
            account.revision()
        }));
    }

    Future<List<Budget>> findBudgets(UnitOfWork unit, UUID orgId, Collection<UUID> projectIds) {
        return unit.query(FIND_BUDGETS, Tuple.of(orgId, (Object) projectIds.toArray(UUID[]::new)))
                .map(rows -> {
                    var budgets = new ArrayList<Budget>();
                    rows.forEach(row -> budgets.add(budget(row)));
                    return budgets;
                });
    }

    public Future<@Nullable Budget> findBudget(QueryExecutor executor, UUID projectId) {
        return executor.query(FIND_BUDGET, Tuple.of(projectId))
                .map(rows -> rows.size() == 0 ? null : budget(rows.iterator().next()));
    }

    void upsertBudget(UnitOfWork unit, Budget budget) {
        unit.write(UPSERT_BUDGET, Tuple.from(new @Nullable Object[] {
            budget.projectId(),
            budget.orgId(),
            budget.currency(),
            budget.amount(),
            budget.spent(),
            budget.thresholds().toArray(Integer[]::new),
            budget.atLimit().text(),
            budget.grace().toSeconds(),
            budget.reservationHours(),
            budget.reachedPercent(),
            budget.reachedPeriod(),
            SqlTime.ofNullable(budget.exceededAt()),
            budget.revision()
        }));
    }

    public static void republishAccount(UnitOfWork unit, Row row) {
        BillingPublisher.publishAccount(unit, account(row));
    }

    public static void republishBudget(UnitOfWork unit, Row row) {
        BillingPublisher.publishBudget(unit, budget(row));
    }

    private static BillingAccount account(Row row) {
        return new BillingAccount(
                row.getUUID("org_id"),
                row.getString("currency"),
                row.getBigDecimal("credit_limit"),
                row.getBigDecimal("low_balance"),
                TextEnum.parse(LimitAction.class, row.getString("at_zero")),
                Duration.ofSeconds(row.getLong("grace_seconds")),
                TextEnum.parse(State.class, row.getString("state")),
                SqlTime.read(row, "state_since"),
                row.getLong("postings"),
                row.getLong("revision"));
    }

    private static Budget budget(Row row) {
        return new Budget(
                row.getUUID("project_id"),
                row.getUUID("org_id"),
                row.getString("currency"),
                row.getBigDecimal("amount"),
                row.getBigDecimal("spent"),
                List.of(row.getArrayOfIntegers("thresholds")),
                TextEnum.parse(LimitAction.class, row.getString("at_limit")),
                Duration.ofSeconds(row.getLong("grace_seconds")),
                row.getInteger("reservation_hours"),
                row.getInteger("reached_percent"),
                row.getLocalDate("reached_period"),
                SqlTime.readNullable(row, "exceeded_at"),
                row.getLong("revision"));
    }
}

package dev.slipway.metering.rating;

import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.metering.ledger.LedgerInvariantStore;
import dev.slipway.metering.rating.BillingFixture.Usage;
import io.vertx.sqlclient.Tuple;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Instant;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

import static dev.slipway.metering.rating.BillingFixture.await;
import static org.assertj.core.api.Assertions.assertThat;

/** Changes that only the owner of the schema can make: the consistency checks find each. */
class LedgerInvariantTest {
    private static final YearMonth MONTH = BillingFixture.currentMonth();
    private static final UUID ORG = Ids.next();
    private static final UUID PROJECT = Ids.next();

    private static BillingFixture billing;

    @BeforeAll
    static void open() {
        billing = new BillingFixture();
        billing.createPrice("hour", "0.10", start(MONTH.minusMonths(1)));
        var budget = Json.object().put("amount", "10.00").put("currency", "EUR").put("at_limit", "warn");
        var unused = billing.call(billing.budgets::put, ORG, PROJECT, Map.of(), budget);
        for (var month : new YearMonth[] {MONTH.minusMonths(1), MONTH}) {
            billing.insertFact(Usage.of(ORG, PROJECT), "hour", "20", start(month), month.toString());
        }
        billing.rateAll();
        billing.closePeriod(MONTH.minusMonths(1));
    }

    @AfterAll
    static void close() {
        billing.close();
    }

    @Test
    void checks_findNothing_whenNothingWasChanged() {
        assertThat(differences().values()).containsOnly(0L);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ledger_transactions | ledger_entries | amount",
                "ledger_totals | ledger_totals | debits",
                "ledger_totals | ledger_totals | usage",
                "ledger_platform_totals | ledger_totals | credits",
                "posted_charges | charges | amount",
                "charged_lines | rated_lines | amount",
                "budgets_spent | budgets | spent",
                "statement_totals | statements | total",
                "statement_totals | statement_lines | amount"
            })
    void check_findsAChangedAmount(String check, String table, String column) {
        change(table, column, "+");
        try {
            assertThat(differences().get(check)).isPositive();
        } finally {
            change(table, column, "-");
        }
        assertThat(differences().values()).containsOnly(0L);
    }

    @Test
    void check_findsEntriesAndChargesThatBelongToNothing() {
        try {
            billing.database.execute("""
                    ALTER TABLE metering.ledger_entries DROP CONSTRAINT ledger_entries_transaction_id_fkey;
                    CREATE TABLE kept_transactions AS SELECT * FROM metering.ledger_transactions;
                    CREATE TABLE kept_lines AS SELECT * FROM metering.rated_lines;
                    DELETE FROM metering.ledger_transactions; DELETE FROM metering.rated_lines;
                    """);
            assertThat(differences().get("ledger_entries")).isPositive();
            assertThat(differences().get("charges")).isPositive();
        } finally {
            billing.database.execute("""
                    INSERT INTO metering.ledger_transactions SELECT * FROM kept_transactions;
                    INSERT INTO metering.rated_lines SELECT * FROM kept_lines;
                    """);
        }
    }

    private static void change(String table, String column, String operator) {
        billing.database.execute("UPDATE metering.%1$s SET %2$s = %2$s %3$s 1".formatted(table, column, operator));
    }

    private static Map<String, Long> differences() {
        var found = new HashMap<String, Long>();
        for (var check : LedgerInvariantStore.checks()) {
            var count = 0L;
            for (var row :
                    await(billing.service.reads().preparedQuery(check.slice()).execute(Tuple.of("", 500)))) {
                if (check.verdict().apply(row) != null) {
                    count++;
                }
            }
            found.put(check.name(), count);
        }
        return found;
    }

    private static Instant start(YearMonth month) {
        return month.atDay(1).atStartOfDay(ZoneOffset.UTC).toInstant();
    }
}

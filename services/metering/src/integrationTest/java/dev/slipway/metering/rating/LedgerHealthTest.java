package dev.slipway.metering.rating;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Ids;
import dev.slipway.metering.rating.BillingFixture.Usage;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.UUID;

import static dev.slipway.metering.rating.BillingFixture.await;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Stops the ledger: the exposed figures grow, balances are marked stale, and nothing is skipped. */
class LedgerHealthTest {
    private static final YearMonth MONTH = BillingFixture.currentMonth();
    private static final Instant START =
            MONTH.atDay(1).atStartOfDay(ZoneOffset.UTC).toInstant();

    private final BillingFixture billing = new BillingFixture();
    private final UUID org = Ids.next();
    private final UUID project = Ids.next();

    @BeforeEach
    void start() {
        billing.createPrice("hour", "0.10", START);
        use("10");
        billing.startRating();
        eventually(() -> assertThat(account().path("balance").asText()).isEqualTo("-1.00"));
    }

    @AfterEach
    void close() {
        billing.close();
    }

    @Test
    @Proves("3.83")
    void figuresGrowAndBalancesAreStale_whileTheLedgerRefusesEntries_andNothingIsSkipped() {
        billing.database.execute(
                "ALTER TABLE metering.ledger_entries ADD CONSTRAINT refuse CHECK (amount < 0) NOT VALID");
        use("20");
        use("30");
        // The time after which a balance is stale has passed.
        billing.database.execute(
                "UPDATE metering.usage_facts SET received_at = received_at - interval '61 seconds' WHERE org_id = '"
                        + org + "'");

        assertFiguresGrow();
        assertThat(account().path("stale").asBoolean()).isTrue();
        assertThat(account().path("unrated").asLong()).isEqualTo(2);
        assertThat(account().path("balance").asText()).isEqualTo("-1.00");

        billing.database.execute("ALTER TABLE metering.ledger_entries DROP CONSTRAINT refuse");

        assertNothingSkipped("-6.00");
    }

    /** A write that waits is neither accepted nor refused. */
    @Test
    @Proves("3.83")
    void figuresGrow_whileTheLedgerDoesNotAnswer_andNothingIsSkipped() {
        try (var ignored = billing.database.lock("metering.ledger_entries")) {
            use("40");

            assertFiguresGrow();
        }
        assertNothingSkipped("-5.00");
    }

    private void assertFiguresGrow() {
        eventually(() -> {
            await(billing.rater.measure());
            assertThat(billing.gauge("slipway.rating.unrated")).isPositive();
            assertThat(billing.gauge("slipway.rating.lag")).isPositive();
            assertThat(billing.gauge("slipway.ledger.blocked")).isPositive();
        });
        var lag = billing.gauge("slipway.rating.lag");
        var blocked = billing.gauge("slipway.ledger.blocked");
        eventually(() -> {
            await(billing.rater.measure());
            assertThat(billing.gauge("slipway.rating.lag")).isGreaterThan(lag);
            assertThat(billing.gauge("slipway.ledger.blocked")).isGreaterThan(blocked);
        });
    }

    private void assertNothingSkipped(String balance) {
        eventually(() -> {
            assertThat(account().path("balance").asText()).isEqualTo(balance);
            assertThat(account().path("stale").asBoolean()).isFalse();
            await(billing.rater.measure());
            assertThat(billing.gauge("slipway.rating.unrated")).isZero();
            assertThat(billing.gauge("slipway.rating.lag")).isZero();
            assertThat(billing.gauge("slipway.ledger.blocked")).isZero();
        });
        assertThat(billing.database.query("""
                        SELECT string_agg(t.reference, ' ' ORDER BY t.posted_at) || ' of ' || max(a.postings)
                        FROM metering.ledger_transactions t JOIN metering.billing_accounts a USING (org_id) WHERE org_id = '%s'
                        """.formatted(org))).isEqualTo("usage-1 usage-2 of 2");
        assertThat(await(billing.monitor.check()).values()).containsOnly(0L);
        assertThat(await(billing.reconstruction.reconstruct(BillingFixture.context(), org, null))
                        .identical())
                .isTrue();
    }

    private void use(String quantity) {
        billing.insertFact(Usage.of(org, project), "hour", quantity, START, MONTH.toString());
    }

    private JsonNode account() {
        return billing.call(billing.accounts::get, org, null, Map.of(), null);
    }
}

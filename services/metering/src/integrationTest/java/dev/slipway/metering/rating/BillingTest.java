package dev.slipway.metering.rating;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.metering.rating.BillingFixture.Usage;
import dev.slipway.testkit.Proves;
import io.vertx.core.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import static dev.slipway.metering.rating.BillingFixture.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class BillingTest {
    private static final YearMonth MONTH = BillingFixture.currentMonth();
    private static final Instant START =
            MONTH.atDay(1).atStartOfDay(ZoneOffset.UTC).toInstant();

    private static BillingFixture billing;

    private final UUID org = Ids.next();
    private final UUID project = Ids.next();

    @BeforeAll
    static void open() {
        billing = new BillingFixture();
        billing.createPrice("hour", "0.10", START.minusSeconds(86_400 * 400L));
    }

    @AfterAll
    static void close() {
        billing.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE ledger_entries SET amount = 1",
                "DELETE FROM ledger_entries",
                "UPDATE ledger_transactions SET reference = ''",
                "DELETE FROM ledger_transactions",
                "UPDATE prices SET included = 1",
                "DELETE FROM statement_lines",
                "UPDATE statements SET total = 0",
                "TRUNCATE ledger_entries",
                "TRUNCATE ledger_transactions CASCADE",
                "UPDATE ledger_accounts SET currency = 'USD'",
                "DELETE FROM ledger_accounts",
                "TRUNCATE ledger_accounts CASCADE",
                "UPDATE cost_split_policies SET all_lines = true",
                "DELETE FROM cost_split_policies",
                "UPDATE usage_facts SET quantity = 0",
                "DELETE FROM usage_facts",
                "TRUNCATE usage_facts",
                "DELETE FROM usage_periods",
                "TRUNCATE usage_periods"
            })
    @Proves("C.18")
    void runtimeRole_cannotChangeTheLedger(String statement) {
        assertThatThrownBy(() -> {
                    var unused = await(billing.service.reads().query(statement).execute());
                })
                .hasMessageContaining("permission denied");
    }

    @Test
    @Proves("C.18")
    void rate_postsUsageToTheLedger_withThePriceInEffect() {
        use("25", START);
        use("5", START.plusSeconds(7200));
        billing.rateAll();

        var transaction = billing.call(billing.accounts::list, org, null, Map.of(), null)
                .path("items")
                .path(0);
        assertThat(transaction.path("type").asText()).isEqualTo("usage");
        var debit = transaction.path("entries").path(0);
        assertThat(debit.path("account").asText()).isEqualTo("project");
        assertThat(debit.path("side").asText()).isEqualTo("debit");
        assertThat(debit.path("amount").asText()).isEqualTo("3.00");
        assertThat(debit.path("price_id").isNull()).isFalse();
        assertThat(account().path("balance").asText()).isEqualTo("-3.00");
        assertThat(billing.database.query(
                        "SELECT count(*) FROM metering.outbox WHERE event_type = 'audit.recorded' AND convert_from(value, 'UTF8') LIKE '%"
                                + transaction.path("id").asText() + "%entries_digest%'"))
                .isEqualTo("1");
        assertConsistent();
    }

    @Test
    void rate_countsEachFactOnce_whenSeveralRatersRun() {
        for (var i = 0; i < 40; i++) {
            use("1", START.plusSeconds(i));
        }
        var runs = List.of(billing.rater.rateNext(), billing.rater.rateNext(), billing.rater.rateNext());
        var unused = await(Future.join(runs).otherwiseEmpty());
        billing.rateAll();

        assertThat(account().path("balance").asText()).isEqualTo("-4.00");
        assertConsistent();
    }

    /** Facts of an earlier period are rated before those of a later one only if one process rates at a time. */
    @Test
    void rate_doesNothing_whileAnotherProcessRates() {
        use("10", START);
        try (var ignored =
                billing.database.begin("SELECT pg_advisory_xact_lock(hashtextextended('metering.rating', 0))")) {
            assertThat(await(billing.rater.rateNext())).isZero();
            assertThat(account().path("unrated").asLong()).isEqualTo(1);
        }
        billing.rateAll();

        assertThat(account().path("balance").asText()).isEqualTo("-1.00");
    }

    @Test
    void rate_skipsNothing_whenTheLedgerRefusesAWrite() {
        use("10", START);
        billing.database.execute(
                "ALTER TABLE metering.ledger_entries ADD CONSTRAINT refuse CHECK (amount < 0) NOT VALID");
        assertThatThrownBy(() -> billing.rateAll()).hasMessageContaining("refuse");
        assertThat(account().path("unrated").asLong()).isPositive();
        billing.database.execute("ALTER TABLE metering.ledger_entries DROP CONSTRAINT refuse");
        billing.rateAll();

        assertThat(account().path("balance").asText()).isEqualTo("-1.00");
        assertConsistent();
    }

    @Test
    void balance_isMarkedStale_whileUsageWaitsToBeRated() {
        var budget = Json.object().put("amount", "10.00").put("currency", "EUR").put("at_limit", "warn");
        var unused = billing.call(billing.budgets::put, org, project, Map.of(), budget);
        use("10", START);
        assertThat(account().path("stale").asBoolean()).isFalse();
        billing.database.execute(
                "UPDATE metering.usage_facts SET received_at = now() - interval '61 seconds' WHERE org_id = '" + org
                        + "'");

        assertThat(account().path("stale").asBoolean()).isTrue();
        assertThat(statement(MONTH).path("stale").asBoolean()).isTrue();
        assertThat(billing.call(billing.budgets::get, org, project, Map.of(), null)
                        .path("stale")
                        .asBoolean())
                .isTrue();
        billing.rateAll();

        assertThat(account().path("stale").asBoolean()).isFalse();
        assertThat(account().path("balance").asText()).isEqualTo("-1.00");
    }

    @Test
    void createPrice_ratesUsageAgain_whenItIsValidFromAnEarlierTime() {
        var unit = "unit" + org.getLeastSignificantBits();
        billing.insertFact(Usage.of(org, project), unit, "10", START.plusSeconds(60), MONTH.toString());
        billing.rateAll();
        assertThat(account().path("balance").asText()).isEqualTo("0");

        billing.createPrice(unit, "2", START);
        billing.rateAll();

        assertThat(account().path("balance").asText()).isEqualTo("-20.00");
        assertConsistent();
    }

    @Test
    void statement_resolvesLinesToFacts_andHidesThemFromOthers() {
        use("25", START);
        use("-5", START);
        billing.rateAll();

        var line = statement(MONTH).path("items").path(0);
        assertThat(line.path("amount").asText()).isEqualTo("2.00");
        var path = Map.of(
                "period", MONTH.toString(), "line_id", line.path("line_id").asText());
        assertThat(billing.call(billing.statements::listFacts, org, null, path, null)
                        .path("items")
                        .findValuesAsText("quantity"))
                .containsExactly("25", "-5");
        assertThat(billing.refusal(() -> billing.call(billing.statements::listFacts, Ids.next(), null, path, null)))
                .isEqualTo("not_found");
        assertThat(billing.call(
                                billing.statements::getOfProject,
                                org,
                                Ids.next(),
                                Map.of("period", MONTH.toString()),
                                null)
                        .path("items"))
                .isEmpty();
    }

    @Test
    void budget_reportsEachThresholdOnce_perTransition() {
        var budget = Json.object().put("amount", "10.00").put("currency", "EUR").put("at_limit", "refuse_launches");
        budget.putArray("thresholds").add(50).add(100);
        var unused = billing.call(billing.budgets::put, org, project, Map.of(), budget);
        for (var quantity : List.of("40", "20", "10", "40", "5")) {
            use(quantity, START);
            billing.rateAll();
        }

        assertThat(billing.events(org)).containsExactly("billing.budget.exceeded", "billing.budget.exceeded");
        var stored = billing.call(billing.budgets::get, org, project, Map.of(), null);
        assertThat(stored.path("spent").asText()).isEqualTo("11.50");
        assertThat(stored.path("remaining").asText()).isEqualTo("-1.50");
        assertThat(billing.refusal(() -> billing.call(
                        billing.budgets::put,
                        org,
                        project,
                        Map.of(),
                        budget.deepCopy().put("currency", "USD"))))
                .isEqualTo("currency_mismatch");
    }

    @Test
    void budget_countsTheMonthInWhichUsageIsBooked() {
        var last = MONTH.minusMonths(1);
        var budget = Json.object().put("amount", "10.00").put("currency", "EUR").put("at_limit", "stop_instances");
        var unused = billing.call(billing.budgets::put, org, project, Map.of(), budget);

        billing.insertFact(Usage.of(org, project), "hour", "500", START.minusSeconds(3600), last.toString());
        billing.rateAll();
        assertThat(account().path("balance").asText()).isEqualTo("-50.00");
        assertThat(billing.call(billing.budgets::get, org, project, Map.of(), null)
                        .path("spent")
                        .asText())
                .isEqualTo("0");

        billing.insertFact(Usage.of(org, project), "hour", "30", START.minusSeconds(1800), MONTH.toString());
        billing.rateAll();
        var stored = billing.call(billing.budgets::get, org, project, Map.of(), null);
        assertThat(stored.path("spent").asText()).isEqualTo("3.00");
        assertThat(stored.path("stop_at").isNull()).isTrue();
        assertThat(billing.events(org))
                .as("both thresholds of the month that has ended")
                .containsExactly("billing.budget.exceeded", "billing.budget.exceeded");
        assertConsistent();
    }

    @Test
    void balance_reportsLowDepletedAndRestored_oncePerTransition() {
        var settings = Json.object()
                .put("credit_limit", "10.00")
                .put("low_balance", "5.00")
                .put("at_zero", "stop_instances")
                .put("grace_seconds", 3600);
        var unused = billing.call(billing.accounts::put, org, null, Map.of(), settings);
        for (var quantity : List.of("30", "30", "10", "30", "10")) {
            use(quantity, START);
            billing.rateAll();
        }
        assertThat(account().path("state").asText()).isEqualTo("depleted");
        assertThat(account().path("stop_at").isNull()).isFalse();
        unused = billing.call(billing.accounts::post, org, null, Map.of(), payment("top_up", "100.00", "p-1"));

        assertThat(billing.events(org))
                .containsExactly("billing.balance.low", "billing.balance.depleted", "billing.balance.restored");
        assertThat(account().path("balance").asText()).isEqualTo("89.00");
        assertConsistent();
    }

    @Test
    void post_isRefused_whenTheReferenceWasPosted_orTheCurrencyDiffers() {
        var unused = billing.call(billing.accounts::post, org, null, Map.of(), payment("top_up", "50.00", "p-1"));
        unused = billing.call(billing.accounts::post, org, null, Map.of(), payment("refund", "20.00", "p-1"));
        unused = billing.call(billing.accounts::post, org, null, Map.of(), payment("adjustment", "-1.00", "p-1"));

        assertThat(billing.refusal(() ->
                        billing.call(billing.accounts::post, org, null, Map.of(), payment("top_up", "50.00", "p-1"))))
                .isEqualTo("transaction_exists");
        assertThat(billing.refusal(() -> billing.call(
                        billing.accounts::post,
                        org,
                        null,
                        Map.of(),
                        payment("top_up", "50.00", "p-2").put("currency", "USD"))))
                .isEqualTo("currency_mismatch");
        assertThat(billing.refusal(() ->
                        billing.call(billing.accounts::post, org, null, Map.of(), payment("refund", "-1.00", "p-3"))))
                .isEqualTo("validation_error");
        assertThat(account().path("balance").asText()).isEqualTo("29.00");
        assertConsistent();
    }

    @Test
    void createPrice_isRefused_whenTiersAreNotAscending() {
        var body = Json.object().put("unit", "hour").put("currency", "EUR").put("valid_from", START.toString());
        body.putArray("tiers").addObject().put("up_to", "10").put("unit_price", "1");
        assertThat(billing.refusal(() -> billing.call(billing.prices::create, org, null, Map.of(), body)))
                .isEqualTo("validation_error");
    }

    private void use(String quantity, Instant start) {
        billing.insertFact(Usage.of(org, project), "hour", quantity, start, MONTH.toString());
    }

    private JsonNode account() {
        return billing.call(billing.accounts::get, org, null, Map.of(), null);
    }

    private JsonNode statement(YearMonth period) {
        return billing.call(billing.statements::get, org, null, Map.of("period", period.toString()), null);
    }

    private static ObjectNode payment(String type, String amount, String reference) {
        return Json.object()
                .put("type", type)
                .put("amount", new BigDecimal(amount).toPlainString())
                .put("currency", "EUR")
                .put("reference", reference)
                .put("reason", "test");
    }

    @Test
    void rate_isRepeated_whenTheLaunchOfAnInstanceBecomesKnownAfterItsUsage() {
        var unit = "fixed_hour";
        var atLaunch = Json.object()
                .put("unit", unit)
                .put("currency", "EUR")
                .put("snapshot_at_launch", true)
                .put("valid_from", START.minusSeconds(86_400 * 40L).toString());
        atLaunch.putArray("tiers").addObject().putNull("up_to").put("unit_price", "1.00");
        billing.createPrice(atLaunch);
        billing.createPrice(unit, "3.00", START);
        var instance = Ids.next();
        billing.insertFact(new Usage(org, project, instance, null, null), unit, "10", START, MONTH.toString());
        billing.rateAll();
        assertThat(account().path("balance").asText()).isEqualTo("-30.00");

        billing.consume(
                "apps.instance.requested",
                START.minusSeconds(86_400),
                Json.object().put("app_instance_id", instance.toString()).put("org_id", org.toString()));
        billing.rateAll();

        assertThat(account().path("balance").asText()).isEqualTo("-10.00");
        assertConsistent();
    }

    private void assertConsistent() {
        assertThat(await(billing.monitor.check()).values()).containsOnly(0L);
        var rebuilt = await(billing.reconstruction.reconstruct(BillingFixture.context(), org, null));
        assertThat(rebuilt.identical()).isTrue();
    }
}

package dev.slipway.metering.rating;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.metering.rating.BillingFixture.Usage;
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

/** One organization does not delay another, however much usage it has, and even if it cannot be rated. */
class RatingIsolationTest {
    private static final YearMonth MONTH = BillingFixture.currentMonth();
    private static final YearMonth LAST_MONTH = MONTH.minusMonths(1);
    private static final int MANY = 300_000;

    private final BillingFixture billing = new BillingFixture();
    private final UUID org = Ids.next();
    private final UUID project = Ids.next();
    private final UUID other = Ids.next();

    @BeforeEach
    void createPrice() {
        billing.createPrice("hour", "0.10", start(LAST_MONTH));
    }

    @AfterEach
    void close() {
        billing.close();
    }

    @Test
    void rate_continues_whenOneOrganizationCannotBeRated() {
        refuseEntriesOf(org);
        use(org, "10", MONTH);
        use(other, "20", MONTH);
        billing.startRating();

        eventually(() -> assertThat(balance(other)).isEqualTo("-2.00"));
        use(other, "20", MONTH);
        use(org, "30", MONTH);
        eventually(() -> assertThat(balance(other)).isEqualTo("-4.00"));
        eventually(() -> {
            await(billing.rater.measure());
            assertThat(billing.gauge("slipway.rating.failing")).isEqualTo(1);
            assertThat(billing.gauge("slipway.ledger.blocked")).isZero();
        });
        assertThat(account(org).path("unrated").asLong()).isEqualTo(2);
        assertThat(account(other).path("unrated").asLong()).isZero();
        billing.database.execute("UPDATE metering.usage_facts SET received_at = received_at - interval '61 seconds'");
        assertThat(account(org).path("stale").asBoolean()).isTrue();
        eventually(() -> assertThat(account(other).path("stale").asBoolean()).isFalse());

        billing.database.execute("DROP TRIGGER refuse ON metering.billing_accounts");

        eventually(() -> assertThat(balance(org)).isEqualTo("-4.00"));
        await(billing.rater.measure());
        assertThat(billing.gauge("slipway.rating.failing")).isZero();
        assertConsistent(org);
        assertConsistent(other);
    }

    @Test
    void close_finalizesOtherStatements_whenOneOrganizationCannotBeRated() {
        refuseEntriesOf(org);
        use(org, "10", LAST_MONTH);
        use(other, "20", LAST_MONTH);
        billing.startRating();
        eventually(() -> assertThat(balance(other)).isEqualTo("-2.00"));

        var closed =
                billing.call(billing.closer::close, Ids.next(), null, Map.of("period", LAST_MONTH.toString()), null);
        assertThat(closed.path("final").asBoolean()).isFalse();
        assertThat(closed.path("statements").asInt()).isEqualTo(1);
        assertThat(billing.events(other)).containsExactly("billing.statement.finalized");

        billing.database.execute("DROP TRIGGER refuse ON metering.billing_accounts");
        eventually(() -> assertThat(balance(org)).isEqualTo("-1.00"));
        billing.closePeriod(LAST_MONTH);
        assertThat(billing.events(org)).containsExactly("billing.statement.finalized");
    }

    @Test
    void rate_sumsManyFactsOfOneKeyAgain_andRatesNewFactsOfOthersMeanwhile() {
        use(org, "1", MONTH);
        billing.rateAll();
        billing.database.execute("""
                INSERT INTO metering.usage_facts (source, fact_id, unit, unit_version, quantity, window_start, window_end, org_id, project_id,
                    app_slug, period, body_hash)
                SELECT 'many', n::text, 'hour', 1, 1, '%1$s', '%1$s'::timestamptz + interval '1 hour', '%2$s', '%3$s', 'echo', '%4$s-01', ''
                FROM generate_series(2, %5$d) n
                """.formatted(start(MONTH), org, project, MONTH, MANY));
        billing.createPrice("hour", "0.20", start(MONTH));
        use(other, "10", MONTH);
        use(org, "0", MONTH);

        var queued = await(billing.rater.rateNext());
        var rated = await(billing.rater.rateNext());

        assertThat(queued).isEqualTo(1);
        assertThat(rated).isEqualTo(2);
        assertThat(balance(other)).isEqualTo("-2.00");
        billing.rateAll();
        assertThat(balance(org)).isEqualTo("-60000.00");
        assertConsistent(org);
    }

    @Test
    void rate_keepsLinesWithoutUsage_soThatStatementsEqualTheSumOfTheirLines() {
        billing.insertUnit("fixed");
        var fixed = Json.object()
                .put("unit", "fixed")
                .put("currency", "EUR")
                .put("snapshot_at_launch", true)
                .put("valid_from", start(LAST_MONTH).minusSeconds(86_400 * 9L).toString());
        fixed.putArray("tiers").addObject().putNull("up_to").put("unit_price", "1.00");
        billing.createPrice(fixed);
        billing.createPrice("fixed", "3.00", start(LAST_MONTH));
        var instance = Ids.next();
        var usage = new Usage(org, project, instance, null, null);
        billing.insertFact(usage, "fixed", "10", start(LAST_MONTH), LAST_MONTH.toString());
        billing.rateAll();
        billing.closePeriod(LAST_MONTH);

        billing.consume(
                "apps.instance.requested",
                start(LAST_MONTH).minusSeconds(86_400),
                Json.object().put("app_instance_id", instance.toString()).put("org_id", org.toString()));
        billing.rateAll();

        var draft = billing.call(billing.statements::get, org, null, Map.of("period", MONTH.toString()), null);
        assertThat(draft.path("total").asText()).isEqualTo("-20.00");
        assertThat(draft.path("items").findValuesAsText("amount")).containsExactlyInAnyOrder("-30.00", "10.00");
        assertThat(draft.path("items").findValuesAsText("quantity")).containsExactlyInAnyOrder("-10", "10");
        // Usage at the price that was replaced can follow.
        billing.insertFact(usage, "fixed", "5", start(MONTH), MONTH.toString());
        billing.rateAll();
        assertThat(balance(org)).isEqualTo("-15.00");
        assertThat(await(billing.monitor.check()).values()).containsOnly(0L);
    }

    /** The ledger refuses the account of one organization only. */
    private void refuseEntriesOf(UUID orgId) {
        billing.database.execute("""
                CREATE FUNCTION metering.refuse() RETURNS trigger LANGUAGE plpgsql AS
                    $$ BEGIN RAISE EXCEPTION 'refused'; END $$;
                CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON metering.billing_accounts FOR EACH ROW
                    WHEN (NEW.org_id = '%s') EXECUTE FUNCTION metering.refuse();
                """.formatted(orgId));
    }

    private void use(UUID orgId, String quantity, YearMonth month) {
        billing.insertFact(Usage.of(orgId, project), "hour", quantity, start(month), month.toString());
    }

    private static Instant start(YearMonth month) {
        return month.atDay(1).atStartOfDay(ZoneOffset.UTC).toInstant();
    }

    private JsonNode account(UUID orgId) {
        return billing.call(billing.accounts::get, orgId, null, Map.of(), null);
    }

    private String balance(UUID orgId) {
        return account(orgId).path("balance").asText();
    }

    private void assertConsistent(UUID orgId) {
        assertThat(await(billing.monitor.check()).values()).containsOnly(0L);
        assertThat(await(billing.reconstruction.reconstruct(BillingFixture.context(), orgId, null))
                        .identical())
                .isTrue();
    }
}

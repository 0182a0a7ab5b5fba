package dev.slipway.metering.rating;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.metering.rating.BillingFixture.Usage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.UUID;

import static dev.slipway.metering.rating.BillingFixture.await;
import static org.assertj.core.api.Assertions.assertThat;

/** Closed periods, on a database of its own: closing applies to all organizations. */
class StatementTest {
    private static final YearMonth THIS_MONTH = BillingFixture.currentMonth();
    private static final YearMonth LAST_MONTH = THIS_MONTH.minusMonths(1);
    private static final Instant LAST_START =
            LAST_MONTH.atDay(1).atStartOfDay(ZoneOffset.UTC).toInstant();

    private static BillingFixture billing;

    @BeforeAll
    static void open() {
        billing = new BillingFixture();
        billing.createPrice("hour", "0.10", LAST_START);
    }

    @AfterAll
    static void close() {
        billing.close();
    }

    @Test
    void close_finalizesStatements_andLaterFactsAreBookedInTheNextPeriod() {
        var org = Ids.next();
        var project = Ids.next();
        assertThat(billing.refusal(() -> close(THIS_MONTH))).isEqualTo("period_not_ended");
        billing.insertFact(Usage.of(org, project), "hour", "100", LAST_START, LAST_MONTH.toString());
        var pending = close(LAST_MONTH);
        assertThat(pending.path("final").asBoolean())
                .as("final before all facts are rated")
                .isFalse();
        billing.rateAll();
        assertThat(close(LAST_MONTH).path("final").asBoolean()).isTrue();

        billing.insertFact(Usage.of(org, project), "hour", "-40", LAST_START, THIS_MONTH.toString());
        billing.rateAll();

        var last = statement(org, LAST_MONTH);
        assertThat(last.path("status").asText()).isEqualTo("final");
        assertThat(last.path("total").asText()).isEqualTo("10.00");
        assertThat(last.path("items").path(0).path("quantity").asText()).isEqualTo("100");
        var current = statement(org, THIS_MONTH);
        assertThat(current.path("status").asText()).isEqualTo("draft");
        assertThat(current.path("total").asText()).isEqualTo("-4.00");
        assertThat(current.path("items").path(0).path("usage_month").asText()).isEqualTo(LAST_MONTH.toString());
        assertThat(current.path("items").path(0).path("quantity").asText()).isEqualTo("-40");
        assertThat(billing.events(org)).containsExactly("billing.statement.finalized");
        var rebuilt = await(billing.reconstruction.reconstruct(BillingFixture.context(), org, null));
        assertThat(rebuilt.identical()).isTrue();
        assertThat(await(billing.reconstruction.reconstruct(BillingFixture.context(), org, Instant.now()))
                        .items())
                .hasSize(2);
        assertPriceCannotApplyToAClosedPeriod();
    }

    private static void assertPriceCannotApplyToAClosedPeriod() {
        var body = Json.object().put("unit", "hour").put("currency", "EUR").put("valid_from", LAST_START.toString());
        body.putArray("tiers").addObject().putNull("up_to").put("unit_price", "9");
        assertThat(billing.refusal(() -> billing.call(billing.prices::create, Ids.next(), null, Map.of(), body)))
                .isEqualTo("period_closed");
    }

    private static JsonNode close(YearMonth period) {
        return billing.call(billing.closer::close, Ids.next(), null, Map.of("period", period.toString()), null);
    }

    private static JsonNode statement(UUID org, YearMonth period) {
        return billing.call(billing.statements::get, org, null, Map.of("period", period.toString()), null);
    }
}

package dev.slipway.metering.usage;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.metering.rating.BillingFixture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import static dev.slipway.metering.usage.UsageFixture.ORG;
import static dev.slipway.metering.usage.UsageFixture.OTHER_ORG;
import static dev.slipway.metering.usage.UsageFixture.OTHER_PROJECT;
import static dev.slipway.metering.usage.UsageFixture.PROJECT;
import static dev.slipway.metering.usage.UsageFixture.SECOND_PROJECT;
import static dev.slipway.metering.usage.UsageFixture.account;
import static dev.slipway.metering.usage.UsageFixture.await;
import static org.assertj.core.api.Assertions.assertThat;

/** The unit prices of the FOCUS export: included quantities, tiers, a negotiated price and a price that changes within the month. */
@TestInstance(Lifecycle.PER_CLASS)
class FocusExportTest {
    private static final Instant MONTH = Instant.parse("2026-10-01T00:00:00Z");
    private static final Instant CHANGE = Instant.parse("2026-10-15T12:30:00Z");
    private static final Map<String, String> OCTOBER = Map.of("from", MONTH.toString(), "to", "2026-11-01T00:00:00Z");

    private UsageFixture usage;
    private BillingFixture billing;

    @BeforeAll
    void reportAndRate() {
        usage = new UsageFixture();
        billing = new BillingFixture(usage.database);
        billing.createPrice(price("default", "", MONTH, "100", "1000", "0.0133", "0.0071"));
        billing.createPrice(price("default", "", CHANGE, "0", "500", "0.02", "0.01"));
        billing.createPrice(price("organization", OTHER_ORG.toString(), MONTH, "50", "2000", "0.0101", "0.005"));
        report(ORG, PROJECT, "a", "333", "2026-10-02T10:00:00Z");
        report(ORG, PROJECT, "b", "777", "2026-10-03T10:00:00Z");
        // On the day of the change: before and after it, in the same hour.
        report(ORG, PROJECT, "c", "41", "2026-10-15T12:10:00Z");
        report(ORG, PROJECT, "d", "59", "2026-10-15T12:40:00Z");
        report(ORG, SECOND_PROJECT, "a", "997", "2026-10-20T10:00:00Z");
        report(OTHER_ORG, OTHER_PROJECT, "a", "2501", "2026-10-02T10:00:00Z");
        usage.report(
                account(ORG, PROJECT),
                "factory",
                List.of(UsageFixture.correction("e", "b").put("adjustment", "-77")));
        billing.rateAll();
    }

    @AfterAll
    void close() {
        billing.close();
        usage.close();
    }

    private static ObjectNode price(
            String scope, String subject, Instant from, String included, String upTo, String first, String second) {
        var body = Json.object()
                .put("unit", "token")
                .put("currency", "EUR")
                .put("scope", scope)
                .put("valid_from", from.toString())
                .put("included", included);
        if (!subject.isEmpty()) {
            body.put("subject", subject);
        }
        var tiers = body.putArray("tiers");
        tiers.addObject().put("up_to", upTo).put("unit_price", first);
        tiers.addObject().putNull("up_to").put("unit_price", second);
        return body;
    }

    private void report(UUID org, UUID project, String id, String quantity, String start) {
        var from = Instant.parse(start);
        var results = usage.report(
                account(org, project), "factory", List.of(UsageFixture.fact(id, quantity, from, from.plusSeconds(60))));
        assertThat(UsageFixture.outcomes(results)).containsExactly("accepted");
    }

    @Test
    void costs_areProductsOfUnitPriceAndQuantity_exactly() {
        for (var org : List.of(ORG, OTHER_ORG)) {
            assertThat(rows(org, null)).isNotEmpty().allSatisfy(row -> {
                var quantity = decimal(row, "PricingQuantity");
                assertThat(decimal(row, "ConsumedQuantity")).isEqualByComparingTo(quantity);
                assertThat(decimal(row, "ListCost"))
                        .isEqualByComparingTo(decimal(row, "ListUnitPrice").multiply(quantity));
                assertThat(decimal(row, "ContractedCost"))
                        .isEqualByComparingTo(
                                decimal(row, "ContractedUnitPrice").multiply(quantity));
                assertThat(row.path("PricingCategory").asText()).isEqualTo("Standard");
                assertThat(row.path("SkuPriceId").asText()).startsWith("token/");
                assertThat(row.path("x_CostStatus").asText()).isEqualTo("rated");
            });
        }
    }

    @Test
    void totals_areThoseOfUsageAndStatements() {
        for (var org : List.of(ORG, OTHER_ORG)) {
            var rows = rows(org, null);
            assertThat(sum(rows, "ConsumedQuantity")).isEqualByComparingTo(org.equals(ORG) ? "2130" : "2501");
            var statement = billing.call(billing.statements::get, org, null, Map.of("period", "2026-10"), null);
            var total = new BigDecimal(statement.path("total").asText());
            assertThat(sum(rows, "BilledCost").setScale(9, RoundingMode.HALF_EVEN))
                    .isEqualByComparingTo(total);
            // The exact cost differs from the charged one by its rounding, once for each price.
            assertThat(sum(rows, "ContractedCost").subtract(total).abs()).isLessThanOrEqualTo(new BigDecimal("0.01"));
        }
        var byProject = Stream.of(PROJECT, SECOND_PROJECT)
                .map(project -> sum(rows(ORG, project), "BilledCost"))
                .reduce(BigDecimal.ZERO, BigDecimal::add);
        assertThat(byProject).isEqualByComparingTo(sum(rows(ORG, null), "BilledCost"));
    }

    /** Tiers count the whole month: 1,074 tokens at the first price, of which 100 are included and all others are in its first tier. */
    @Test
    void rows_haveTheirOwnPrices_whenThePriceChangesWithinTheMonth() {
        var prices = new HashMap<String, HashSet<String>>();
        rows(ORG, null).forEach(row -> prices.computeIfAbsent(
                        row.path("ChargePeriodStart").asText().substring(0, 10), day -> new HashSet<>())
                .add(row.path("SkuPriceId").asText() + " at "
                        + decimal(row, "ContractedUnitPrice").toPlainString()));

        assertThat(prices.get("2026-10-02")).containsExactlyInAnyOrder("token/included at 0", "token/tier-1 at 0.0133");
        assertThat(prices.get("2026-10-15"))
                .containsExactlyInAnyOrder("token/included at 0", "token/tier-1 at 0.0133", "token/tier-2 at 0.01");
        assertThat(prices.get("2026-10-20")).containsExactly("token/tier-2 at 0.01");
        assertThat(sum(
                                rows(ORG, null).stream()
                                        .filter(row ->
                                                row.path("SkuPriceId").asText().equals("token/included"))
                                        .toList(),
                                "PricingQuantity")
                        .setScale(9, RoundingMode.HALF_EVEN))
                .isEqualByComparingTo("100");
    }

    /** The list price has 100 included tokens and a first tier of 1,000, the negotiated one 50 and 2,000: rows are cut at both. */
    @Test
    void rows_haveListAndContractedPrice_whenThePriceIsNegotiated() {
        assertThat(rows(OTHER_ORG, null))
                .extracting(row -> row.path("SkuPriceId").asText() + " "
                        + decimal(row, "PricingQuantity").toPlainString() + " at "
                        + decimal(row, "ContractedUnitPrice").toPlainString() + " of "
                        + decimal(row, "ListUnitPrice").toPlainString())
                .containsExactlyInAnyOrder(
                        "token/included 50 at 0 of 0",
                        "token/included 50 at 0.0101 of 0",
                        "token/tier-1 1000 at 0.0101 of 0.0133",
                        "token/tier-2 950 at 0.0101 of 0.0071",
                        "token/tier-2 451 at 0.005 of 0.0071");
    }

    @Test
    void csv_hasTheSameRows() {
        var reply = await(usage.queries.exportCsv(UsageFixture.request(OTHER_ORG, null, OCTOBER)));
        var lines = new String(reply.body(), StandardCharsets.UTF_8).split("\r\n");
        var columns = List.of(lines[0].split(","));
        assertThat(columns)
                .contains("ContractedUnitPrice", "ListUnitPrice", "PricingCategory", "SkuPriceDetails", "SkuPriceId");
        var expected = rows(OTHER_ORG, null).stream()
                .map(row -> decimal(row, "ListCost").toPlainString())
                .toList();

        assertThat(Stream.of(lines).skip(1).map(line -> line.split(",", -1)[columns.indexOf("ListCost")]))
                .containsExactlyElementsOf(expected);
        assertThat(lines[1]).contains("\"{\"\"x_Tier\"\":\"\"");
    }

    private List<JsonNode> rows(UUID org, @Nullable UUID project) {
        var page = usage.get(usage.queries::exportJson, org, project, OCTOBER);
        assertThat(page.path("next_cursor").isNull()).isTrue();
        return StreamSupport.stream(page.path("rows").spliterator(), false).toList();
    }

    private static BigDecimal sum(List<JsonNode> rows, String column) {
        return rows.stream().map(row -> decimal(row, column)).reduce(BigDecimal.ZERO, BigDecimal::add);
    }

    /** As text: a JSON number is read as a double otherwise. */
    private static BigDecimal decimal(JsonNode row, String column) {
        var value = new BigDecimal(Objects.requireNonNull(row.get(column)).asText());
        return value.signum() == 0 ? BigDecimal.ZERO : value.stripTrailingZeros();
    }
}

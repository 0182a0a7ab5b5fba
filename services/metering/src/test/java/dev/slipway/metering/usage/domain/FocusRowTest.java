package dev.slipway.metering.usage.domain;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Json;
import dev.slipway.metering.rating.domain.PricedPart;
import dev.slipway.metering.usage.domain.FocusCharge.RatedUsage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** Compares the export with the column rules of the specification, which focus-1.4.json contains. */
class FocusRowTest {
    private static final UUID ORG = new UUID(1, 1);

    private final JsonNode specification = specification();

    private static JsonNode specification() {
        try (var in = Objects.requireNonNull(
                FocusRowTest.class.getResourceAsStream("/dev/slipway/metering/usage/focus-1.4.json"))) {
            return Json.parseTrusted(in.readAllBytes());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void columns_containAllMandatoryOnes_andNoUnknownOne() {
        assertThat(FocusRow.VERSION).isEqualTo(specification.path("version").asText());
        var known = new HashSet<String>();
        for (var column : specification.path("columns")) {
            var id = column.path("id").asText();
            known.add(id);
            if (column.path("feature_level").asText().equals("Mandatory")) {
                assertThat(FocusRow.columns()).contains(id);
            }
        }
        specification.path("not_null_for_usage").forEach(column -> assertThat(FocusRow.columns())
                .contains(column.asText()));
        for (var removed : specification.path("removed")) {
            assertThat(FocusRow.columns()).doesNotContain(removed.asText());
        }
        assertThat(FocusRow.columns())
                .allMatch(column -> known.contains(column)
                        || column.startsWith(specification.path("custom_prefix").asText()));
    }

    @ParameterizedTest
    @CsvSource({
        "app_instance_id,   2026-10-01, false",
        "shared_runtime_id, 2026-10-01, false",
        "resource_id,       2026-10-01, false",
        "app_instance_id,   2026-11-01, true"
    })
    void row_followsTheRulesOfItsColumns(String resource, String period, boolean correction) {
        for (var charge : charges()) {
            var row = row(charge, resource, period);

            for (var column : specification.path("columns")) {
                checkColumn(column, row.get(column.path("id").asText()));
            }
            checkPrices(row);
            assertThat(time(row, "ChargePeriodStart")).isBefore(time(row, "ChargePeriodEnd"));
            assertThat(time(row, "BillingPeriodStart")).isBefore(time(row, "BillingPeriodEnd"));
            assertThat(row.get("ConsumedUnit") == null).isEqualTo(row.get("ConsumedQuantity") == null);
            assertThat(row.get("SubAccountName") == null).isEqualTo(row.get("SubAccountId") == null);
            assertThat(row.get("PricingUnit") == null).isEqualTo(row.get("PricingQuantity") == null);
            assertThat(row.get("ChargeClass")).isEqualTo(correction ? "Correction" : null);
        }
    }

    /** Unrated, unpriced, and priced usage with included quantity and tiers, with and without a negotiated price. */
    private static List<FocusCharge> charges() {
        var charges = new ArrayList<>(List.of(FocusCharge.unrated("EUR", new BigDecimal("12.50"))));
        charges.addAll(FocusCharge.divide(month("0.00", part(null, "40", "0", "0")), BigDecimal.TEN));
        charges.addAll(FocusCharge.divide(
                month("10.00", part("included", "10", "0", "0"), part("tier-1", "30", "0.333", "0.333")),
                BigDecimal.TEN));
        charges.addAll(FocusCharge.divide(month("10.00", part("tier-1", "40", "0.25", "0.40")), new BigDecimal("-3")));
        return charges;
    }

    private static void checkColumn(JsonNode column, @Nullable Object value) {
        var id = column.path("id").asText();
        if (value == null) {
            assertThat(column.path("allows_nulls").asBoolean()).as(id).isTrue();
            return;
        }
        switch (column.path("type").asText()) {
            case "Decimal" -> assertThat(value).as(id).isInstanceOf(BigDecimal.class);
            case "Date/Time" -> assertThat(value).as(id).isInstanceOf(Instant.class);
            case "Currency" -> assertThat(value.toString()).as(id).matches("[A-Z]{3}");
            case "JSON" ->
                assertThat(Json.parseStoredObject(value.toString()).properties())
                        .as(id)
                        .allMatch(property -> property.getKey().startsWith("x_"));
            default -> assertThat(value.toString()).as(id).isNotBlank();
        }
        if (column.has("values")) {
            assertThat(column.path("values")).as(id).anyMatch(allowed -> allowed.asText()
                    .equals(value));
        }
        if (column.has("minimum")) {
            assertThat((BigDecimal) value)
                    .as(id)
                    .isGreaterThanOrEqualTo(column.path("minimum").decimalValue());
        }
    }

    private void checkPrices(Map<String, @Nullable Object> row) {
        if (row.get("ChargeClass") == null) {
            specification.path("not_null_for_usage").forEach(column -> assertThat(row.get(column.asText()))
                    .as(column.asText())
                    .isNotNull());
        }
        if (row.get("SkuPriceId") == null) {
            specification.path("null_without_sku_price").forEach(column -> assertThat(row.get(column.asText()))
                    .as(column.asText())
                    .isNull());
        }
        for (var product : specification.path("products")) {
            var unitPrice = (BigDecimal) row.get(product.path("unit_price").asText());
            var quantity = (BigDecimal) row.get(product.path("quantity").asText());
            if (unitPrice != null && quantity != null) {
                assertThat((BigDecimal) row.get(product.path("cost").asText()))
                        .isEqualByComparingTo(unitPrice.multiply(quantity));
            }
        }
        assertThat(String.valueOf(row.get("SkuPriceId"))).startsWith(String.valueOf(row.get("SkuId")));
    }

    @Test
    void divide_givesEachUnitPriceItsPart_ofQuantityAndBilledCost() {
        var month = month(
                "10.01",
                part("included", "10", "0", "0"),
                part("tier-1", "20", "0.25", "0.40"),
                part("tier-2", "10", "0.5", "0.5"));

        var charges = FocusCharge.divide(month, BigDecimal.ONE);

        assertThat(charges).extracting(FocusCharge::tier).containsExactly("included", "tier-1", "tier-2");
        assertThat(sum(charges, FocusCharge::quantity)).isEqualByComparingTo("1");
        assertThat(sum(charges, FocusCharge::billed)).isEqualByComparingTo("0.25025");
        assertThat(charges)
                .extracting(charge -> charge.quantity().stripTrailingZeros().toPlainString())
                .containsExactly("0.25", "0.5", "0.25");
        assertThat(charges)
                .extracting(charge -> row(charge, "resource_id", "2026-10-01").get("SkuPriceId"))
                .containsExactly("token/included", "token/tier-1", "token/tier-2");
    }

    /** A third has no exact decimal: the parts are rounded, and still sum to the quantity. */
    @Test
    void divide_sumsExactly_whenPartsAreRounded() {
        var month = month("1.00", part("tier-1", "1", "0.1", "0.1"), part("tier-2", "2", "0.05", "0.05"));

        var charges = FocusCharge.divide(month, new BigDecimal("0.7"));

        assertThat(sum(charges, FocusCharge::quantity)).isEqualByComparingTo("0.7");
        assertThat(sum(charges, FocusCharge::billed)).isEqualByComparingTo("0.233333333333");
        assertThat(charges).allSatisfy(charge -> checkPrices(row(charge, "resource_id", "2026-10-01")));
    }

    private static BigDecimal sum(List<FocusCharge> charges, Function<FocusCharge, BigDecimal> value) {
        return charges.stream().map(value).reduce(BigDecimal.ZERO, BigDecimal::add);
    }

    /** A month in which the organization used what its parts sum to, by one resource. */
    private static RatedUsage month(String amount, PricedPart... parts) {
        var quantity = Stream.of(parts).map(PricedPart::quantity).reduce(BigDecimal.ZERO, BigDecimal::add);
        return new RatedUsage("EUR", quantity, new BigDecimal(amount), new UUID(4, 4), List.of(parts));
    }

    private static PricedPart part(@Nullable String tier, String quantity, String unitPrice, String listUnitPrice) {
        return new PricedPart(tier, new BigDecimal(quantity), new BigDecimal(unitPrice), new BigDecimal(listUnitPrice));
    }

    private static Map<String, @Nullable Object> row(FocusCharge charge, String resource, String period) {
        var attribution = new HashMap<String, @Nullable String>();
        attribution.put("period", period);
        attribution.put("source", new UUID(2, 2) + "/factory");
        attribution.put("project_id", new UUID(2, 2).toString());
        attribution.put("resource_type", "model");
        attribution.put(resource, new UUID(3, 3).toString());
        return FocusRow.of(
                ORG,
                Instant.parse("2026-10-05T00:00:00Z"),
                Instant.parse("2026-10-06T00:00:00Z"),
                "token",
                charge,
                attribution);
    }

    private static Instant time(Map<String, @Nullable Object> row, String column) {
        return (Instant) Objects.requireNonNull(row.get(column));
    }
}

package dev.slipway.metering.usage.domain;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Json;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

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
        var row = row(resource, period);

        for (var column : specification.path("columns")) {
            var id = column.path("id").asText();
            var value = row.get(id);
            if (value == null) {
                assertThat(column.path("allows_nulls").asBoolean()).as(id).isTrue();
                continue;
            }
            switch (column.path("type").asText()) {
                case "Decimal" -> assertThat(value).as(id).isInstanceOf(BigDecimal.class);
                case "Date/Time" -> assertThat(value).as(id).isInstanceOf(Instant.class);
                case "Currency" -> assertThat(value.toString()).as(id).matches("[A-Z]{3}");
                default -> assertThat(value.toString()).as(id).isNotBlank();
            }
            if (column.has("values")) {
                assertThat(column.path("values")).as(id).anyMatch(allowed -> allowed.asText()
                        .equals(value));
            }
        }
        assertThat(time(row, "ChargePeriodStart")).isBefore(time(row, "ChargePeriodEnd"));
        assertThat(time(row, "BillingPeriodStart")).isBefore(time(row, "BillingPeriodEnd"));
        assertThat(row.get("ConsumedUnit") == null).isEqualTo(row.get("ConsumedQuantity") == null);
        assertThat(row.get("PricingUnit") == null).isEqualTo(row.get("PricingQuantity") == null);
        assertThat(row.get("ChargeClass")).isEqualTo(correction ? "Correction" : null);
    }

    @Test
    void cost_isTheShareOfTheMonth_atTheAgreedAndAtTheListPrice() {
        var month = new FocusCost.RatedUsage(
                "EUR", new BigDecimal("40"), new BigDecimal("10.00"), new BigDecimal("16.00"), true);
        var attribution = Map.<String, @Nullable String>of(
                "period", "2026-10-01", "source", "factory", "resource_type", "model", "resource_id", "one");

        var row = FocusRow.of(
                ORG,
                Instant.EPOCH,
                Instant.EPOCH.plusSeconds(1),
                "token",
                BigDecimal.TEN,
                month.costOf(BigDecimal.TEN),
                attribution);

        for (var column : List.of("BilledCost", "EffectiveCost", "ContractedCost")) {
            assertThat((BigDecimal) row.get(column)).as(column).isEqualByComparingTo("2.5");
        }
        assertThat((BigDecimal) row.get("ListCost")).isEqualByComparingTo("4");
        assertThat(row).containsEntry("BillingCurrency", "EUR").containsEntry("x_CostStatus", "rated");
    }

    private static Map<String, @Nullable Object> row(String resource, String period) {
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
                new BigDecimal("12.50"),
                FocusCost.UNRATED,
                attribution);
    }

    private static Instant time(Map<String, @Nullable Object> row, String column) {
        return (Instant) Objects.requireNonNull(row.get(column));
    }
}

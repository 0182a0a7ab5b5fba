package dev.slipway.metering.usage;

import dev.slipway.messaging.SqlTime;
import dev.slipway.metering.rating.domain.PricedMonth;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/** All SQL that finds the prices of exported usage. */
public final class FocusStore {
    /** Without lines whose usage has moved to another price. */
    private static final String RATED_LINES = """
            SELECT line_key, price_from, price_id, min(currency) AS currency, sum(quantity) AS quantity, sum(amount) AS amount
            FROM (SELECT l.*, count(*) FILTER (WHERE quantity <> 0) OVER (PARTITION BY line_key) AS used FROM (
                SELECT price_from, price_id, currency, quantity, amount, concat_ws(chr(31), unit, usage_month::text, coalesce(project_id::text, ''),
                    coalesce(app_instance_id::text, ''), coalesce(shared_runtime_id::text, ''), coalesce(attachment_id::text, ''),
                    coalesce(app_slug, ''), coalesce(resource_type, ''), coalesce(resource_id, '')) AS line_key
                FROM rated_lines WHERE org_id = $1 AND unit = ANY ($2) AND usage_month = ANY ($3)) l
                WHERE line_key = ANY ($4)) l
            WHERE quantity <> 0 OR used = 0 GROUP BY line_key, price_from, price_id
            """;

    private static final String PRICED_MONTHS = """
            SELECT unit, usage_month, price_from, price_id, sum(quantity) AS quantity
            FROM rated_lines WHERE org_id = $1 AND unit = ANY ($2) AND usage_month = ANY ($3)
            GROUP BY unit, usage_month, price_from, price_id ORDER BY unit, usage_month, price_from
            """;

    private final SqlClient reads;

    public FocusStore(SqlClient reads) {
        this.reads = reads;
    }

    /** The usage of a resource in a month, as far as its rated lines distinguish it. */
    record ResourceMonth(String unit, LocalDate month, Map<String, @Nullable String> attribution) {
        private static final List<String> FIELDS = List.of(
                "project_id",
                "app_instance_id",
                "shared_runtime_id",
                "attachment_id",
                "app_slug",
                "resource_type",
                "resource_id");

        String text() {
            var parts = new ArrayList<>(List.of(unit, month.toString()));
            FIELDS.forEach(field -> parts.add(Objects.requireNonNullElse(attribution.get(field), "")));
            return String.join("\u001f", parts);
        }
    }

    /** The rated usage of a resource in a month at one price. */
    record PricedLine(
            Instant priceFrom, @Nullable UUID priceId, String currency, BigDecimal quantity, BigDecimal amount) {}

    /** Returns the rated usage of resources, by the text of the resource and month; those that are not rated are missing. */
    Future<Map<String, List<PricedLine>>> findLines(UUID orgId, Collection<ResourceMonth> resources) {
        var texts = resources.stream().map(ResourceMonth::text).distinct().toArray(String[]::new);
        return reads.preparedQuery(RATED_LINES)
                .execute(parameters(orgId, resources).addValue(texts))
                .map(rows -> {
                    var found = new HashMap<String, List<PricedLine>>();
                    rows.forEach(row -> found.computeIfAbsent(row.getString("line_key"), key -> new ArrayList<>())
                            .add(new PricedLine(
                                    SqlTime.read(row, "price_from"),
                                    row.getUUID("price_id"),
                                    row.getString("currency"),
                                    row.getBigDecimal("quantity"),
                                    row.getBigDecimal("amount"))));
                    return found;
                });
    }

    /** Returns the usage of the whole organization in the units and months of resources, by price, the earliest price of a month first. */
    Future<List<PricedMonth>> findMonths(UUID orgId, Collection<ResourceMonth> resources) {
        return reads.preparedQuery(PRICED_MONTHS)
                .execute(parameters(orgId, resources))
                .map(rows -> {
                    var months = new ArrayList<PricedMonth>();
                    rows.forEach(row -> months.add(new PricedMonth(
                            row.getString("unit"),
                            row.getLocalDate("usage_month"),
                            SqlTime.read(row, "price_from"),
                            row.getUUID("price_id"),
                            row.getBigDecimal("quantity"))));
                    return months;
                });
    }

    private static Tuple parameters(UUID orgId, Collection<ResourceMonth> resources) {
        return Tuple.of(
                orgId,
                resources.stream().map(ResourceMonth::unit).distinct().toArray(String[]::new),
                resources.stream().map(ResourceMonth::month).distinct().toArray(LocalDate[]::new));
    }
}

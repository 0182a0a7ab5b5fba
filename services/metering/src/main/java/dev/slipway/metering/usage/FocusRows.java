package dev.slipway.metering.usage;

import dev.slipway.metering.rating.domain.PriceBook;
import dev.slipway.metering.rating.domain.PricedMonth;
import dev.slipway.metering.rating.domain.PricedPart;
import dev.slipway.metering.rating.domain.RatingInputs;
import dev.slipway.metering.usage.FocusStore.PricedLine;
import dev.slipway.metering.usage.FocusStore.ResourceMonth;
import dev.slipway.metering.usage.UsageQueryStore.UsageSum;
import dev.slipway.metering.usage.domain.BookingPeriods;
import dev.slipway.metering.usage.domain.FocusCharge;
import dev.slipway.metering.usage.domain.FocusCharge.RatedUsage;
import dev.slipway.metering.usage.domain.FocusRow;
import dev.slipway.metering.usage.domain.UsageQuery;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Function;

/** Computes the rows of the export: the usage of each day, divided by the unit prices at which it was rated. */
public final class FocusRows {
    private final UsageQueryStore sums;
    private final FocusStore store;
    private final BiFunction<UUID, String, Future<RatingInputs>> prices;
    private final Function<UUID, Future<String>> currencies;

    /** The usage that tiers count together. */
    private record UnitMonth(String unit, LocalDate month) {}

    /** A price of a unit in a month, for the usage of the whole organization. */
    private record MonthPrice(
            String unit,
            LocalDate month,
            Instant from,
            @Nullable UUID priceId) {}

    /**
     * The rated usage of the months of an export.
     *
     * @param currency the currency of the account, for usage that is not rated
     * @param lines the lines of each resource and month
     * @param parts the division of the usage at each price
     * @param quantities the quantities of sums by price, where a month has several
     */
    private record RatedMonths(
            String currency,
            Map<String, List<PricedLine>> lines,
            Map<MonthPrice, List<PricedPart>> parts,
            Map<String, Map<Instant, BigDecimal>> quantities) {}

    /** {@code prices} returns the prices of an organization in a currency, and {@code currencies} the currency of an organization. */
    public FocusRows(
            UsageQueryStore sums,
            FocusStore store,
            BiFunction<UUID, String, Future<RatingInputs>> prices,
            Function<UUID, Future<String>> currencies) {
        this.sums = sums;
        this.store = store;
        this.prices = prices;
        this.currencies = currencies;
    }

    /** Returns the rows of sums by day; each sum has one row per unit price. */
    Future<List<Map<String, @Nullable Object>>> find(UsageQuery query, List<UsageSum> days) {
        var resources = days.stream().map(day -> resource(query, day)).toList();
        var currency = currencies.apply(query.orgId());
        return store.findLines(query.orgId(), resources).compose(lines -> {
            var parts = findParts(query.orgId(), resources, lines);
            var quantities = findQuantities(query, days, lines);
            return Future.all(currency, parts, quantities).map(all -> {
                var rated = new RatedMonths(currency.result(), lines, parts.result(), quantities.result());
                return days.stream()
                        .flatMap(day -> rows(query, day, rated).stream())
                        .toList();
            });
        });
    }

    private static ResourceMonth resource(UsageQuery query, UsageSum day) {
        var month = BookingPeriods.monthOf(query.endOf(day.bucketStart()));
        return new ResourceMonth(day.unit(), month, FocusExport.toMap(day.values()));
    }

    /** Returns how the usage of the organization at each price is divided by its tiers. */
    private Future<Map<MonthPrice, List<PricedPart>>> findParts(
            UUID orgId, Collection<ResourceMonth> resources, Map<String, List<PricedLine>> lines) {
        if (lines.isEmpty()) {
            return Future.succeededFuture(Map.of());
        }
        var currency = lines.values().iterator().next().get(0).currency();
        return store.findMonths(orgId, resources)
                .compose(months -> prices.apply(orgId, currency).map(inputs -> divide(months, inputs)));
    }

    private static Map<MonthPrice, List<PricedPart>> divide(List<PricedMonth> months, RatingInputs inputs) {
        var parts = new HashMap<MonthPrice, List<PricedPart>>();
        var used = new HashMap<UnitMonth, BigDecimal>();
        for (var month : months) {
            var key = new UnitMonth(month.unit(), month.usageMonth());
            parts.put(
                    new MonthPrice(month.unit(), month.usageMonth(), month.priceFrom(), month.priceId()),
                    inputs.divide(month, used.getOrDefault(key, BigDecimal.ZERO)));
            used.merge(key, month.quantity(), BigDecimal::add);
        }
        return parts;
    }

    /** Returns the quantities by price of the days of resources that have several prices in a month. */
    private Future<Map<String, Map<Instant, BigDecimal>>> findQuantities(
            UsageQuery query, List<UsageSum> days, Map<String, List<PricedLine>> lines) {
        var divided = new ArrayList<UsageSum>();
        var times = new TreeSet<>(List.of(PriceBook.BEGINNING));
        for (var day : days) {
            var priced = lines.getOrDefault(resource(query, day).text(), List.of());
            if (priced.size() > 1) {
                divided.add(day);
                priced.forEach(line -> times.add(line.priceFrom()));
            }
        }
        if (divided.isEmpty()) {
            return Future.succeededFuture(Map.of());
        }
        var first = divided.stream().map(UsageSum::bucketStart).min(Instant::compareTo);
        var last = divided.stream().map(UsageSum::bucketStart).max(Instant::compareTo);
        return sums.sumByStart(
                query.withRange(first.orElseThrow(), query.endOf(last.orElseThrow())),
                divided.stream().map(UsageSum::unit).distinct().toList(),
                divided.stream().map(UsageSum::key).toList(),
                times);
    }

    private static List<Map<String, @Nullable Object>> rows(UsageQuery query, UsageSum day, RatedMonths rated) {
        var resource = resource(query, day);
        var priced = rated.lines.getOrDefault(resource.text(), List.of());
        var charges = new ArrayList<FocusCharge>();
        if (priced.isEmpty()) {
            charges.add(FocusCharge.unrated(rated.currency, day.quantity()));
        } else {
            var byPrice = new TreeMap<Instant, PricedLine>();
            priced.forEach(line -> byPrice.put(line.priceFrom(), line));
            var whole = Map.of(PriceBook.BEGINNING, day.quantity());
            byPrice(byPrice, rated.quantities.getOrDefault(day.key(), whole)).forEach((line, quantity) -> {
                var price = new MonthPrice(resource.unit(), resource.month(), line.priceFrom(), line.priceId());
                charges.addAll(charges(line, quantity, rated.parts.get(price)));
            });
        }
        return charges.stream()
                .map(charge -> FocusRow.of(
                        query.orgId(),
                        day.bucketStart(),
                        query.endOf(day.bucketStart()),
                        day.unit(),
                        charge,
                        FocusExport.toMap(day.values())))
                .toList();
    }

    /** Without parts, the usage was rated at another price between two reads: the next export has it. */
    private static List<FocusCharge> charges(PricedLine line, BigDecimal quantity, @Nullable List<PricedPart> parts) {
        if (parts == null) {
            return List.of(FocusCharge.unrated(line.currency(), quantity));
        }
        var usage = new RatedUsage(line.currency(), line.quantity(), line.amount(), line.priceId(), parts);
        return FocusCharge.divide(usage, quantity);
    }

    /** Adds each quantity to the last price that began before it. */
    private static Map<PricedLine, BigDecimal> byPrice(
            NavigableMap<Instant, PricedLine> lines, Map<Instant, BigDecimal> quantities) {
        var result = new LinkedHashMap<PricedLine, BigDecimal>();
        new TreeMap<>(quantities).forEach((time, quantity) -> {
            var line = lines.floorEntry(time);
            result.merge((line == null ? lines.firstEntry() : line).getValue(), quantity, BigDecimal::add);
        });
        return result;
    }
}

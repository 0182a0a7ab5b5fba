package dev.slipway.metering.rating.domain;

import dev.slipway.metering.rating.domain.Charge.ChargeKey;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/**
 * Computes the charges of an organization from its raw facts alone. The charges of a period are the charges of all facts booked until its end,
 * less those of the periods before it.
 */
public final class Reconstruction {
    private final RatingInputs inputs;
    private final TreeMap<LocalDate, Map<LineKey, BigDecimal>> quantities = new TreeMap<>();

    /** A month in which one shared runtime is divided. */
    private record RuntimeMonth(UUID sharedRuntimeId, LocalDate month) {}

    public Reconstruction(RatingInputs inputs) {
        this.inputs = inputs;
    }

    public void add(RatableFact fact) {
        quantities
                .computeIfAbsent(fact.period(), first -> new HashMap<>())
                .merge(inputs.keyOf(fact), fact.quantity(), BigDecimal::add);
    }

    /** Returns the lines of all facts. */
    public List<RatedLine> lines() {
        return quantities.isEmpty() ? List.of() : lines(quantities.lastKey());
    }

    /** Returns the charges of each period; those of zero are omitted. */
    public Map<LocalDate, Map<ChargeKey, BigDecimal>> charges() {
        var result = new TreeMap<LocalDate, Map<ChargeKey, BigDecimal>>();
        var before = Map.<ChargeKey, BigDecimal>of();
        for (var period : quantities.keySet()) {
            var until = sums(charges(lines(period), inputs));
            var booked = differences(before, until);
            if (!booked.isEmpty()) {
                result.put(period, booked);
            }
            before = until;
        }
        return result;
    }

    private List<RatedLine> lines(LocalDate lastPeriod) {
        var byKey = new HashMap<RatingKey, Map<LineKey, BigDecimal>>();
        quantities
                .headMap(lastPeriod, true)
                .values()
                .forEach(booked -> booked.forEach(
                        (key, quantity) -> byKey.computeIfAbsent(key.ratingKey(), first -> new HashMap<>())
                                .merge(key, quantity, BigDecimal::add)));
        var lines = new ArrayList<RatedLine>();
        byKey.forEach((key, sums) -> lines.addAll(RatingEngine.rate(sums, inputs.book(key.unit()), inputs.digits())));
        return lines;
    }

    /** Returns the charges of lines; the lines of a shared runtime and month must be complete. */
    public static List<Charge> charges(List<RatedLine> lines, RatingInputs inputs) {
        var charges = new ArrayList<Charge>();
        var runtimes = new HashMap<RuntimeMonth, List<RatedLine>>();
        for (var line : lines) {
            var runtime = line.key().group().sharedRuntimeId();
            if (runtime == null) {
                charges.add(CostSplit.chargeWhole(line));
            } else {
                runtimes.computeIfAbsent(new RuntimeMonth(runtime, line.key().usageMonth()), first -> new ArrayList<>())
                        .add(line);
            }
        }
        runtimes.forEach((key, owned) -> charges.addAll(inputs.divide(key.sharedRuntimeId, key.month, owned)));
        return charges;
    }

    /** Returns what has to be booked to get from one state to another; differences of zero are omitted. */
    public static Map<ChargeKey, BigDecimal> differences(
            Map<ChargeKey, BigDecimal> before, Map<ChargeKey, BigDecimal> after) {
        var differences = new HashMap<ChargeKey, BigDecimal>();
        Set<ChargeKey> keys = new HashSet<>(before.keySet());
        keys.addAll(after.keySet());
        for (var key : keys) {
            var difference =
                    after.getOrDefault(key, BigDecimal.ZERO).subtract(before.getOrDefault(key, BigDecimal.ZERO));
            if (difference.signum() != 0) {
                differences.put(key, difference);
            }
        }
        return differences;
    }

    public static Map<ChargeKey, BigDecimal> sums(List<Charge> charges) {
        var sums = new HashMap<ChargeKey, BigDecimal>();
        charges.forEach(charge -> sums.merge(charge.key(), charge.amount(), BigDecimal::add));
        return sums;
    }

    /** Returns the periods that have facts. */
    public Set<LocalDate> periods() {
        return new TreeSet<>(quantities.keySet());
    }
}

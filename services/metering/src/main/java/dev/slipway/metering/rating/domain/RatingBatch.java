package dev.slipway.metering.rating.domain;

import dev.slipway.metering.rating.domain.Charge.ChargeKey;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Rates new facts of one organization and one period on top of the lines that are stored. */
public final class RatingBatch {
    private final RatingInputs inputs;
    private final Map<LineKey, RatedLine> stored = new HashMap<>();
    private final Map<RatingKey, Map<LineKey, BigDecimal>> quantities = new HashMap<>();
    private final Map<ChargeKey, BigDecimal> booked;
    private final Set<RatingKey> touched = new HashSet<>();

    /** The changes of a batch: lines to store, and amounts to book. */
    public record RatedBatch(List<RatedLine> changedLines, Map<ChargeKey, BigDecimal> bookings) {}

    /**
     * @param lines all lines of the rating keys of the facts, and all lines of shared runtimes of which one of these lines is a part
     * @param booked what is booked so far for these lines, in all periods
     */
    public RatingBatch(RatingInputs inputs, Collection<RatedLine> lines, Map<ChargeKey, BigDecimal> booked) {
        this.inputs = inputs;
        this.booked = Map.copyOf(booked);
        for (var line : lines) {
            stored.put(line.key(), line);
            // A line without usage costs nothing, and its price may have been replaced.
            if (line.quantity().signum() != 0) {
                quantitiesOf(line.key().ratingKey()).put(line.key(), line.quantity());
            }
        }
    }

    public void add(RatableFact fact) {
        var key = inputs.keyOf(fact);
        touched.add(key.ratingKey());
        quantitiesOf(key.ratingKey()).merge(key, fact.quantity(), BigDecimal::add);
    }

    /** Replaces the quantities of a rating key by those of its facts, after a change of prices. */
    public void replace(RatingKey key, Collection<RatableFact> facts) {
        touched.add(key);
        quantitiesOf(key).clear();
        facts.forEach(this::add);
    }

    public RatedBatch complete() {
        var current = new LinkedHashMap<LineKey, RatedLine>();
        quantities.forEach((key, sums) -> {
            if (touched.contains(key)) {
                RatingEngine.rate(sums, inputs.book(key.unit()), inputs.digits())
                        .forEach(line -> current.put(line.key(), line));
            } else {
                sums.keySet().forEach(line -> current.put(line, findStored(line)));
            }
        });
        var changed = new ArrayList<>(
                current.values().stream().filter(line -> !isStored(line)).toList());
        // Lines whose usage has moved to another price stay: charges and final statements refer to them.
        var nothing = BigDecimal.ZERO.setScale(inputs.digits());
        stored.forEach((key, line) -> {
            if (!current.containsKey(key)
                    && (line.quantity().signum() != 0 || line.amount().signum() != 0)) {
                changed.add(new RatedLine(line.id(), key, BigDecimal.ZERO, nothing));
            }
        });
        var target = Reconstruction.sums(Reconstruction.charges(new ArrayList<>(current.values()), inputs));
        return new RatedBatch(changed, Reconstruction.differences(booked, target));
    }

    private RatedLine findStored(LineKey key) {
        var line = stored.get(key);
        if (line == null) {
            throw new IllegalStateException("line " + key.id() + " is not stored");
        }
        return line;
    }

    private boolean isStored(RatedLine line) {
        var before = stored.get(line.key());
        return before != null
                && before.quantity().compareTo(line.quantity()) == 0
                && before.amount().compareTo(line.amount()) == 0;
    }

    private Map<LineKey, BigDecimal> quantitiesOf(RatingKey key) {
        return quantities.computeIfAbsent(key, first -> new HashMap<>());
    }
}

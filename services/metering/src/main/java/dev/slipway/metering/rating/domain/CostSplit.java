package dev.slipway.metering.rating.domain;

import dev.slipway.metering.rating.domain.Charge.ChargeKey;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;

/** Divides the lines of a shared runtime between projects. Without a policy nothing is divided. */
public final class CostSplit {
    private CostSplit() {}

    /** Returns the charge of a line that is not divided: its project pays, or the organization if the line names none. */
    public static Charge chargeWhole(RatedLine line) {
        return new Charge(new ChargeKey(line.id(), line.key().group().projectId()), line.amount());
    }

    /**
     * Returns the charges of the lines of one shared runtime in one month. They sum to the amount of each line.
     *
     * @param attached the projects that were attached in the month
     */
    public static List<Charge> divide(
            Collection<RatedLine> lines, @Nullable SplitPolicy policy, Set<UUID> attached, int digits) {
        if (policy == null) {
            return lines.stream().map(CostSplit::chargeWhole).toList();
        }
        var weights = weights(lines, policy, attached);
        var charges = new ArrayList<Charge>();
        for (var line : lines) {
            if (!policy.allLines() && line.key().group().projectId() != null) {
                charges.add(chargeWhole(line));
            } else if (weights.isEmpty()) {
                charges.add(new Charge(new ChargeKey(line.id(), null), line.amount()));
            } else {
                divide(line, weights, digits, charges);
            }
        }
        return charges;
    }

    private static void divide(RatedLine line, SortedMap<UUID, BigDecimal> weights, int digits, List<Charge> charges) {
        var parts = Allocation.allocate(line.amount(), List.copyOf(weights.values()), digits);
        var part = 0;
        for (var project : weights.keySet()) {
            charges.add(new Charge(new ChargeKey(line.id(), project), parts.get(part)));
            part++;
        }
    }

    /** Returns the projects with a positive weight; none if the owner pays. */
    private static SortedMap<UUID, BigDecimal> weights(
            Collection<RatedLine> lines, SplitPolicy policy, Set<UUID> attached) {
        var weights = new TreeMap<UUID, BigDecimal>();
        switch (policy.method()) {
            case OWNER_PAYS -> {}
            case EQUAL -> attached.forEach(project -> weights.put(project, BigDecimal.ONE));
            case BY_USAGE -> addQuantities(weights, lines, policy, LineGroup::projectId);
            case BY_CONTRIBUTED_CAPACITY -> addQuantities(weights, lines, policy, LineGroup::sourceProjectId);
            case FIXED_SHARES -> weights.putAll(policy.shares());
        }
        weights.values().removeIf(weight -> weight.signum() <= 0);
        return weights;
    }

    private static void addQuantities(
            SortedMap<UUID, BigDecimal> weights,
            Collection<RatedLine> lines,
            SplitPolicy policy,
            Function<LineGroup, @Nullable UUID> project) {
        for (var line : lines) {
            var id = project.apply(line.key().group());
            if (id != null && line.key().unit().equals(policy.weightUnit())) {
                weights.merge(id, line.quantity(), BigDecimal::add);
            }
        }
    }
}

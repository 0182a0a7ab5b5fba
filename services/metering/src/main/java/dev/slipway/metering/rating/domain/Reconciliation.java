package dev.slipway.metering.rating.domain;

import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Compares a service that the platform runs for several tenants as a whole with the parts of its tenants and projects. Both sides come from different
 * records: the whole from raw facts and prices, the parts from the sums and charges that tenants see.
 */
public final class Reconciliation {
    private Reconciliation() {}

    /** A number of facts, their quantity and their cost. */
    public record Totals(long facts, BigDecimal quantity, BigDecimal cost) {
        public static final Totals ZERO = new Totals(0, BigDecimal.ZERO, BigDecimal.ZERO);

        public Totals plus(Totals other) {
            return new Totals(facts + other.facts, quantity.add(other.quantity), cost.add(other.cost));
        }

        Totals minus(Totals other) {
            return new Totals(facts - other.facts, quantity.subtract(other.quantity), cost.subtract(other.cost));
        }

        boolean isZero() {
            return facts == 0 && quantity.signum() == 0 && cost.signum() == 0;
        }
    }

    /** A unit, and the currency in which its cost is charged. */
    public record UnitKey(String unit, String currency) implements Comparable<UnitKey> {
        @Override
        public int compareTo(UnitKey other) {
            var byUnit = unit.compareTo(other.unit);
            return byUnit == 0 ? currency.compareTo(other.currency) : byUnit;
        }
    }

    /** The part of a tenant and project; without a project, the tenant itself pays. */
    public record TenantPart(UUID orgId, @Nullable UUID projectId, UnitKey key, Totals totals) {}

    /** The whole of a unit, the sum of its parts, and the whole less the parts. */
    public record UnitComparison(UnitKey key, Totals service, Totals tenants, Totals difference) {
        public boolean isReconciled() {
            return difference.isZero();
        }
    }

    /** Part of the whole service, as one tenant's raw facts have it. */
    public record ServicePart(UnitKey key, Totals totals) {}

    /** Compares the whole with its parts, unit by unit. */
    public static List<UnitComparison> compare(Collection<ServicePart> service, Collection<TenantPart> tenants) {
        var whole = new TreeMap<UnitKey, Totals>();
        service.forEach(part -> whole.merge(part.key, part.totals, Totals::plus));
        var parts = new TreeMap<UnitKey, Totals>();
        tenants.forEach(part -> parts.merge(part.key, part.totals, Totals::plus));
        var keys = new HashSet<>(whole.keySet());
        keys.addAll(parts.keySet());
        return keys.stream()
                .sorted()
                .map(key -> {
                    var ofService = whole.getOrDefault(key, Totals.ZERO);
                    var ofTenants = parts.getOrDefault(key, Totals.ZERO);
                    return new UnitComparison(key, ofService, ofTenants, ofService.minus(ofTenants));
                })
                .toList();
    }

    /** Orders parts by tenant, project and unit. */
    public static List<TenantPart> sorted(Collection<TenantPart> parts) {
        return parts.stream()
                .sorted(Comparator.comparing(TenantPart::orgId)
                        .thenComparing(TenantPart::projectId, Comparator.nullsFirst(Comparator.naturalOrder()))
                        .thenComparing(TenantPart::key))
                .toList();
    }
}

package dev.slipway.metering.rating.domain;

import dev.slipway.metering.rating.domain.PriceBook.PlanChange;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

/** The inputs beside usage that determine the charges of one organization. */
public final class RatingInputs {
    private final UUID orgId;
    private final String currency;
    private final List<PriceVersion> prices;
    private final List<PlanChange> plans;
    private final Map<UUID, Instant> launches;
    private final Map<UUID, List<SplitPolicy>> policies;
    private final Map<UUID, List<AttachedProject>> attachments;
    private final Map<String, PriceBook> books = new HashMap<>();

    /**
     * A project that is or was attached to a shared runtime.
     *
     * @param until null while it is attached
     */
    public record AttachedProject(
            UUID projectId, Instant from, @Nullable Instant until) {}

    /**
     * @param currency the currency of the organization; prices in others do not apply
     * @param launches when instances were launched, by instance
     * @param policies the versions of the cost-split policy, by shared runtime
     * @param attachments by shared runtime
     */
    public RatingInputs(
            UUID orgId,
            String currency,
            List<PriceVersion> prices,
            List<PlanChange> plans,
            Map<UUID, Instant> launches,
            Map<UUID, List<SplitPolicy>> policies,
            Map<UUID, List<AttachedProject>> attachments) {
        this.orgId = orgId;
        this.currency = currency;
        this.prices = List.copyOf(prices);
        this.plans = List.copyOf(plans);
        this.launches = Map.copyOf(launches);
        this.policies = Map.copyOf(policies);
        this.attachments = Map.copyOf(attachments);
    }

    public String currency() {
        return currency;
    }

    public int digits() {
        return Allocation.digits(currency);
    }

    public PriceBook book(String unit) {
        return books.computeIfAbsent(
                unit,
                first -> new PriceBook(
                        orgId,
                        prices.stream()
                                .filter(price -> price.unit().equals(unit)
                                        && price.currency().equals(currency))
                                .toList(),
                        plans));
    }

    /**
     * Divides the usage of a month at one price by unit prices.
     *
     * @param used the quantity of the month at earlier prices
     */
    public List<PricedPart> divide(PricedMonth month, BigDecimal used) {
        var price = prices.stream()
                .filter(version -> version.id().equals(month.priceId()))
                .findFirst()
                .orElse(null);
        var listPrice =
                price == null ? null : book(month.unit()).listPrice(price, month.priceFrom(), month.usageMonth());
        return PricedPart.divide(price, listPrice, used, month.quantity());
    }

    /** Returns the times at which another price can begin to apply to the organization. */
    public Set<Instant> priceTimes() {
        var times = new TreeSet<Instant>();
        times.add(PriceBook.BEGINNING);
        prices.forEach(price -> times.add(price.validFrom()));
        plans.forEach(change -> times.add(change.from()));
        return times;
    }

    public LineKey keyOf(RatableFact fact) {
        var instance = fact.group().appInstanceId();
        return RatingEngine.keyOf(fact, book(fact.unit()), instance == null ? null : launches.get(instance));
    }

    /** Returns whether the price of a line was fixed when its instance was launched. */
    public boolean isFixedAtLaunch(LineKey key) {
        var instance = key.group().appInstanceId();
        var launchedAt = instance == null ? null : launches.get(instance);
        if (launchedAt == null) {
            return false;
        }
        var price = book(key.unit()).at(launchedAt).price();
        return price != null && price.snapshotAtLaunch();
    }

    /** Returns the policy that applies to a shared runtime in a month: the latest version that is valid then. */
    public @Nullable SplitPolicy policy(UUID sharedRuntimeId, LocalDate month) {
        return policies.getOrDefault(sharedRuntimeId, List.of()).stream()
                .filter(policy -> !policy.validFrom().isAfter(month))
                .max(Comparator.comparing(SplitPolicy::validFrom).thenComparingInt(SplitPolicy::version))
                .orElse(null);
    }

    /** Returns the charges of the lines of one shared runtime in one month. */
    public List<Charge> divide(UUID sharedRuntimeId, LocalDate month, Collection<RatedLine> lines) {
        return CostSplit.divide(lines, policy(sharedRuntimeId, month), attached(sharedRuntimeId, month), digits());
    }

    /** Returns the projects that were attached at any time of the month. */
    public Set<UUID> attached(UUID sharedRuntimeId, LocalDate month) {
        var from = month.atStartOfDay(ZoneOffset.UTC).toInstant();
        var until = month.plusMonths(1).atStartOfDay(ZoneOffset.UTC).toInstant();
        var found = new HashSet<UUID>();
        for (var attachment : attachments.getOrDefault(sharedRuntimeId, List.of())) {
            if (attachment.from.isBefore(until) && (attachment.until == null || attachment.until.isAfter(from))) {
                found.add(attachment.projectId);
            }
        }
        return found;
    }
}

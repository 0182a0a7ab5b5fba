package dev.slipway.metering.rating.domain;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.UUID;

/** The prices of one unit for one organization over time. */
public final class PriceBook {
    /** The earliest time at which a price can be valid. */
    public static final Instant BEGINNING = Instant.EPOCH;

    private static final Comparator<PriceVersion> BY_AGE =
            Comparator.comparing(PriceVersion::validFrom).thenComparingInt(PriceVersion::version);

    private final List<PriceSegment> segments;
    private final List<PriceVersion> defaults;

    /**
     * A time in which one price applies.
     *
     * @param price null if none applies
     */
    public record PriceSegment(Instant from, @Nullable PriceVersion price) {
        @Nullable
        UUID priceId() {
            return price == null ? null : price.id();
        }
    }

    /** The plan of the organization since a time. */
    public record PlanChange(String plan, Instant from) {}

    /** @param versions the versions of the unit in the currency of the organization; those of other organizations and plans do not apply */
    public PriceBook(UUID orgId, List<PriceVersion> versions, List<PlanChange> plans) {
        var times = new TreeSet<Instant>();
        times.add(BEGINNING);
        versions.forEach(version -> times.add(version.validFrom()));
        plans.forEach(change -> times.add(change.from));
        var found = new ArrayList<PriceSegment>();
        for (var time : times) {
            var price = select(orgId, versions, plans, time);
            var last = found.isEmpty() ? null : found.get(found.size() - 1);
            if (last == null || !Objects.equals(last.price, price)) {
                found.add(new PriceSegment(time, price));
            }
        }
        segments = List.copyOf(found);
        defaults = versions.stream()
                .filter(version -> version.scope() == PriceScope.DEFAULT)
                .toList();
    }

    /** Returns the times at which another price begins to apply. */
    public List<Instant> times() {
        return segments.stream().map(PriceSegment::from).toList();
    }

    /** Returns the segment of a time. */
    public PriceSegment at(Instant time) {
        for (var i = segments.size() - 1; i > 0; i--) {
            if (!segments.get(i).from.isAfter(time)) {
                return segments.get(i);
            }
        }
        return segments.get(0);
    }

    /** Returns the segment that begins at the time. Fails if none does. */
    PriceSegment beginningAt(Instant from) {
        return segments.stream()
                .filter(segment -> segment.from.equals(from))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no price begins at " + from));
    }

    /**
     * Returns the default price that a price replaces: the one that is valid when the price begins to apply, or the month if that is later. Returns the
     * price itself if it is a default price, or if there is none to replace.
     */
    PriceVersion listPrice(PriceVersion price, Instant segmentFrom, LocalDate month) {
        if (price.scope() == PriceScope.DEFAULT) {
            return price;
        }
        var monthStart = month.atStartOfDay(ZoneOffset.UTC).toInstant();
        var time = segmentFrom.isAfter(monthStart) ? segmentFrom : monthStart;
        return defaults.stream()
                .filter(version -> !version.validFrom().isAfter(time))
                .max(BY_AGE)
                .orElse(price);
    }

    /** Returns the end of the segment that begins at the time; null if it has none. */
    public @Nullable Instant endOf(Instant from) {
        return segments.stream()
                .map(PriceSegment::from)
                .filter(next -> next.isAfter(from))
                .findFirst()
                .orElse(null);
    }

    private static @Nullable PriceVersion select(
            UUID orgId, List<PriceVersion> versions, List<PlanChange> plans, Instant time) {
        var plan = plans.stream()
                .filter(change -> !change.from.isAfter(time))
                .max(Comparator.comparing(PlanChange::from))
                .map(PlanChange::plan)
                .orElse("");
        return versions.stream()
                .filter(version -> !version.validFrom().isAfter(time))
                .filter(version -> switch (version.scope()) {
                    case DEFAULT -> true;
                    case PLAN -> version.subject().equals(plan);
                    case ORGANIZATION -> version.subject().equals(orgId.toString());
                })
                .max(Comparator.comparing(PriceVersion::scope).thenComparing(BY_AGE))
                .orElse(null);
    }
}

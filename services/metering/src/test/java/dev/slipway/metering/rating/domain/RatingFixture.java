package dev.slipway.metering.rating.domain;

import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Prices and facts of an organization. */
final class RatingFixture {
    static final UUID ORG = id(1);
    static final LocalDate JANUARY = LocalDate.of(2026, 1, 1);
    static final LocalDate FEBRUARY = LocalDate.of(2026, 2, 1);

    private RatingFixture() {}

    static UUID id(int number) {
        return new UUID(0x0190_0000_0000_7000L, 0x8000_0000_0000_0000L + number);
    }

    static Instant start(LocalDate day) {
        return day.atStartOfDay(ZoneOffset.UTC).toInstant();
    }

    /** Creates a price in EUR; tiers are pairs of an end and a price, and a price at the end. */
    static PriceVersion price(String unit, Instant from, String included, String... tiers) {
        return price(PriceScope.DEFAULT, "", 1, unit, from, included, false, tiers);
    }

    static PriceVersion price(
            PriceScope scope,
            String subject,
            int version,
            String unit,
            Instant from,
            String included,
            boolean snapshot,
            String... tiers) {
        var list = new ArrayList<PriceTier>();
        for (var i = 0; i + 1 < tiers.length; i += 2) {
            list.add(new PriceTier(new BigDecimal(tiers[i]), new BigDecimal(tiers[i + 1])));
        }
        list.add(new PriceTier(null, new BigDecimal(tiers[tiers.length - 1])));
        var id = UUID.nameUUIDFromBytes((scope + subject + version + unit + from).getBytes(StandardCharsets.UTF_8));
        return new PriceVersion(
                id,
                unit,
                "runtime",
                scope,
                subject,
                version,
                "EUR",
                new BigDecimal(included),
                list,
                snapshot,
                from,
                from);
    }

    static RatingInputs inputs(PriceVersion... prices) {
        return new RatingInputs(ORG, "EUR", List.of(prices), List.of(), Map.of(), Map.of(), Map.of());
    }

    static LineGroup project(int project) {
        return new LineGroup(id(project), id(project + 1000), null, null, null, "echo", null, null);
    }

    /** Creates usage of a shared runtime; the projects are null for its controller and its own capacity. */
    static LineGroup runtime(@Nullable UUID project, @Nullable UUID sourceProject) {
        return new LineGroup(
                project, null, id(500), project == null ? null : id(600), sourceProject, "slurm", null, null);
    }

    static RatableFact fact(LineGroup group, String unit, Instant at, String quantity, LocalDate period) {
        return new RatableFact(ORG, unit, new BigDecimal(quantity), at, at.plusSeconds(3600), group, period);
    }
}

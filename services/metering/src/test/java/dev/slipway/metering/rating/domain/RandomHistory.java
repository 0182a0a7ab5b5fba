package dev.slipway.metering.rating.domain;

import dev.slipway.metering.rating.domain.Charge.ChargeKey;
import dev.slipway.metering.rating.domain.PriceBook.PlanChange;
import dev.slipway.metering.rating.domain.RatingInputs.AttachedProject;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;

import static dev.slipway.metering.rating.domain.RatingFixture.JANUARY;
import static dev.slipway.metering.rating.domain.RatingFixture.ORG;
import static dev.slipway.metering.rating.domain.RatingFixture.fact;
import static dev.slipway.metering.rating.domain.RatingFixture.id;
import static dev.slipway.metering.rating.domain.RatingFixture.price;
import static dev.slipway.metering.rating.domain.RatingFixture.project;
import static dev.slipway.metering.rating.domain.RatingFixture.runtime;
import static dev.slipway.metering.rating.domain.RatingFixture.start;

/**
 * A random history of an organization: batches of facts (late ones and corrections among them), prices, plans, launches, attachments, cost-split
 * policies and closed periods. Rates every batch as it comes.
 */
final class RandomHistory {
    private static final List<String> UNITS = List.of("hour", "gpu", "request");
    private static final UUID RUNTIME = id(500);

    private final Random random;
    private final List<RatableFact> facts = new ArrayList<>();
    private final List<PriceVersion> prices = new ArrayList<>();
    private final List<PlanChange> plans = new ArrayList<>();
    private final Map<UUID, Instant> launches = new HashMap<>();
    private final List<SplitPolicy> policies = new ArrayList<>();
    private final List<AttachedProject> attachments = new ArrayList<>();
    private final Map<LineKey, RatedLine> lines = new HashMap<>();
    private final TreeMap<LocalDate, Map<ChargeKey, BigDecimal>> bookings = new TreeMap<>();
    private LocalDate firstOpen = JANUARY;
    private Instant now = start(JANUARY).plus(Duration.ofDays(2));

    RandomHistory(long seed) {
        random = new Random(seed);
        for (var project = 2; project < 5; project++) {
            launches.put(id(project + 1000), start(JANUARY).plus(Duration.ofDays(random.nextInt(20))));
        }
        addPrice();
    }

    void step() {
        now = now.plus(Duration.ofHours(random.nextInt(48)));
        switch (random.nextInt(10)) {
            case 0 -> {
                addPrice();
                rateAgain();
            }
            case 1 -> {
                plans.add(new PlanChange(random.nextBoolean() ? "gold" : "standard", now));
                rateAgain();
            }
            case 2 -> {
                addPolicy();
                rateAgain();
            }
            case 3 -> {
                attachments.add(new AttachedProject(id(2 + random.nextInt(3)), now, null));
                rateAgain();
            }
            case 4 -> {
                if (month(now).isAfter(firstOpen)) {
                    firstOpen = firstOpen.plusMonths(1);
                }
            }
            default -> rate(newFacts());
        }
    }

    Reconstruction rebuild() {
        var reconstruction = new Reconstruction(inputs());
        var shuffled = new ArrayList<>(facts);
        Collections.shuffle(shuffled, random);
        shuffled.forEach(reconstruction::add);
        return reconstruction;
    }

    /** Returns the charges of each period, without those that are zero. */
    Map<LocalDate, Map<ChargeKey, BigDecimal>> booked() {
        var result = new TreeMap<LocalDate, Map<ChargeKey, BigDecimal>>();
        bookings.forEach((period, charges) -> {
            var nonZero = Reconstruction.differences(Map.of(), charges);
            if (!nonZero.isEmpty()) {
                result.put(period, nonZero);
            }
        });
        return result;
    }

    Map<UUID, BigDecimal> lineAmounts() {
        return amounts(lines.values());
    }

    Map<UUID, BigDecimal> chargesPerLine() {
        var sums = new HashMap<UUID, BigDecimal>();
        bookings.values()
                .forEach(
                        charges -> charges.forEach((key, amount) -> sums.merge(key.lineId(), amount, BigDecimal::add)));
        sums.values().removeIf(sum -> sum.signum() == 0);
        return sums;
    }

    static Map<UUID, BigDecimal> amounts(Collection<RatedLine> lines) {
        var amounts = new HashMap<UUID, BigDecimal>();
        lines.stream()
                .filter(line -> line.amount().signum() != 0)
                .forEach(line -> amounts.put(line.id(), line.amount()));
        return amounts;
    }

    private RatingInputs inputs() {
        return new RatingInputs(
                ORG,
                "EUR",
                prices,
                plans,
                launches,
                Map.of(RUNTIME, List.copyOf(policies)),
                Map.of(RUNTIME, List.copyOf(attachments)));
    }

    private void addPrice() {
        var unit = UNITS.get(random.nextInt(UNITS.size()));
        var scope = List.of(PriceScope.values()).get(random.nextInt(3));
        var subject =
                switch (scope) {
                    case DEFAULT -> "";
                    case PLAN -> "gold";
                    case ORGANIZATION -> ORG.toString();
                };
        var from = prices.isEmpty()
                ? start(JANUARY)
                : latest(start(firstOpen), now.minus(Duration.ofDays(random.nextInt(10))));
        prices.add(price(
                scope,
                subject,
                prices.size() + 1,
                unit,
                from,
                String.valueOf(random.nextInt(20)),
                random.nextInt(4) == 0,
                String.valueOf(1 + random.nextInt(30)),
                "0." + (1 + random.nextInt(99_999)),
                "0.0" + (1 + random.nextInt(9_999))));
    }

    private void addPolicy() {
        var method = List.of(SplitMethod.values()).get(random.nextInt(SplitMethod.values().length));
        var shares = new HashMap<UUID, BigDecimal>();
        if (method == SplitMethod.FIXED_SHARES) {
            shares.put(id(2), new BigDecimal(1 + random.nextInt(5)));
            shares.put(id(3), new BigDecimal(1 + random.nextInt(5)));
        }
        policies.add(new SplitPolicy(
                id(700 + policies.size()),
                policies.size() + 1,
                method,
                random.nextBoolean(),
                method.needsWeightUnit() ? "request" : null,
                shares,
                firstOpen.plusMonths(random.nextInt(2)),
                now));
    }

    private List<RatableFact> newFacts() {
        var batch = new ArrayList<RatableFact>();
        for (var i = 0; i < 1 + random.nextInt(6); i++) {
            if (!facts.isEmpty() && random.nextInt(5) == 0) {
                var corrected = facts.get(random.nextInt(facts.size()));
                var share = new BigDecimal(random.nextInt(3)).movePointLeft(1);
                batch.add(fact(
                        corrected.group(),
                        corrected.unit(),
                        corrected.windowStart(),
                        corrected.quantity().multiply(share).negate().toPlainString(),
                        period(corrected.windowStart())));
            } else {
                var at = latest(start(JANUARY), now.minus(Duration.ofHours(random.nextInt(24 * 40))));
                var quantity = random.nextInt(20) + "." + random.nextInt(1_000_000);
                batch.add(fact(group(), UNITS.get(random.nextInt(UNITS.size())), at, quantity, period(at)));
            }
        }
        return batch;
    }

    private LineGroup group() {
        return random.nextBoolean() ? project(2 + random.nextInt(3)) : runtime(someProject(), someProject());
    }

    private @Nullable UUID someProject() {
        var number = random.nextInt(4);
        return number == 0 ? null : id(1 + number);
    }

    /** Rates the facts of each period in order, as the service does. */
    private void rate(List<RatableFact> batch) {
        facts.addAll(batch);
        var byPeriod = new TreeMap<LocalDate, List<RatableFact>>();
        batch.forEach(fact -> byPeriod.computeIfAbsent(fact.period(), first -> new ArrayList<>())
                .add(fact));
        byPeriod.forEach((period, booked) -> {
            var rating = batch(booked.stream().map(RatableFact::usageMonth).toList());
            booked.forEach(rating::add);
            apply(period, rating.complete());
        });
    }

    /** Rates every key again, as the service does after a change of prices or policies: in the first open period from its month on. */
    private void rateAgain() {
        var keys = new TreeMap<LocalDate, List<RatingKey>>();
        facts.stream().map(RatableFact::ratingKey).distinct().forEach(key -> keys.computeIfAbsent(
                        key.usageMonth().isBefore(firstOpen) ? firstOpen : key.usageMonth(), first -> new ArrayList<>())
                .add(key));
        keys.forEach((period, touched) -> {
            var rating = batch(touched.stream().map(RatingKey::usageMonth).toList());
            touched.forEach(key -> rating.replace(
                    key,
                    facts.stream().filter(fact -> fact.ratingKey().equals(key)).toList()));
            apply(period, rating.complete());
        });
    }

    private RatingBatch batch(List<LocalDate> months) {
        var loaded = lines.values().stream()
                .filter(line -> months.contains(line.key().usageMonth()))
                .toList();
        var ids = loaded.stream().map(RatedLine::id).collect(Collectors.toSet());
        var booked = totals();
        booked.keySet().removeIf(key -> !ids.contains(key.lineId()));
        return new RatingBatch(inputs(), loaded, booked);
    }

    private void apply(LocalDate period, RatingBatch.RatedBatch rated) {
        rated.changedLines().forEach(line -> lines.put(line.key(), line));
        var charges = bookings.computeIfAbsent(period, first -> new HashMap<>());
        rated.bookings().forEach((key, amount) -> charges.merge(key, amount, BigDecimal::add));
    }

    private Map<ChargeKey, BigDecimal> totals() {
        var sums = new HashMap<ChargeKey, BigDecimal>();
        bookings.values()
                .forEach(charges -> charges.forEach((key, amount) -> sums.merge(key, amount, BigDecimal::add)));
        return sums;
    }

    private LocalDate period(Instant windowStart) {
        var month = month(windowStart.plusSeconds(3599));
        return month.isBefore(firstOpen) ? firstOpen : month;
    }

    private static LocalDate month(Instant time) {
        return LocalDate.ofInstant(time, ZoneOffset.UTC).withDayOfMonth(1);
    }

    private static Instant latest(Instant a, Instant b) {
        return a.isAfter(b) ? a : b;
    }
}

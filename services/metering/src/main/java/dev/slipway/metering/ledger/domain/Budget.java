package dev.slipway.metering.ledger.domain;

import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.UUID;

/**
 * The monthly budget of a project.
 *
 * @param spent the usage that is booked in {@code reachedPeriod}
 * @param thresholds percentages of the amount at which an event is published, ascending
 * @param reservationHours a launch reserves its estimated cost of this time
 * @param reachedPercent the highest threshold that was exceeded in {@code reachedPeriod}; 0 for none
 * @param exceededAt when the whole amount was spent; null if it is not
 */
public record Budget(
        UUID projectId,
        UUID orgId,
        String currency,
        BigDecimal amount,
        BigDecimal spent,
        List<Integer> thresholds,
        LimitAction atLimit,
        Duration grace,
        int reservationHours,
        int reachedPercent,
        @Nullable LocalDate reachedPeriod,
        @Nullable Instant exceededAt,
        long revision) {
    private static final BigDecimal HUNDRED = BigDecimal.valueOf(100);

    public Budget {
        thresholds = List.copyOf(thresholds);
    }

    /** Returns a budget of which nothing is spent. */
    public static Budget create(UUID projectId, UUID orgId, Settings settings) {
        return new Budget(projectId, orgId, settings, 0, null, null, 0);
    }

    private Budget(
            UUID projectId,
            UUID orgId,
            Settings settings,
            int reachedPercent,
            @Nullable LocalDate reachedPeriod,
            @Nullable Instant exceededAt,
            long revision) {
        this(
                projectId,
                orgId,
                settings.currency,
                settings.amount,
                BigDecimal.ZERO,
                settings.thresholds,
                settings.atLimit,
                settings.grace,
                settings.reservationHours,
                reachedPercent,
                reachedPeriod,
                exceededAt,
                revision);
    }

    /** The part of a budget that its project sets. */
    public record Settings(
            String currency,
            BigDecimal amount,
            List<Integer> thresholds,
            LimitAction atLimit,
            Duration grace,
            int reservationHours) {
        public Settings {
            thresholds = List.copyOf(thresholds);
        }
    }

    /**
     * Returns a copy with other settings, of which the spent amount is not known. The reached threshold is kept: it was reported. If the action at
     * the limit changes, the grace period begins again.
     */
    public Budget withSettings(Settings settings) {
        return new Budget(
                projectId,
                orgId,
                settings,
                reachedPercent,
                reachedPeriod,
                settings.atLimit == atLimit ? exceededAt : null,
                revision);
    }

    /** Returns a copy with the highest threshold that the spent amount has reached. The revision always increases. */
    public Budget withSpent(BigDecimal newSpent, LocalDate period, Instant now) {
        var reached = thresholds.stream()
                .filter(threshold -> isReached(threshold, newSpent))
                .max(Integer::compare)
                .orElse(0);
        var isExceeded = newSpent.compareTo(amount) >= 0;
        var since = isExceeded ? (exceededAt != null && period.equals(reachedPeriod) ? exceededAt : now) : null;
        return new Budget(
                projectId,
                orgId,
                currency,
                amount,
                newSpent,
                thresholds,
                atLimit,
                grace,
                reservationHours,
                reached,
                period,
                since,
                revision + 1);
    }

    /** Returns the thresholds that this state has exceeded and the earlier one had not: each is reported once per period. */
    public List<Integer> newlyExceeded(Budget earlier) {
        var before = reachedPeriod != null && reachedPeriod.equals(earlier.reachedPeriod) ? earlier.reachedPercent : 0;
        return thresholds.stream()
                .filter(threshold -> threshold > before && threshold <= reachedPercent)
                .toList();
    }

    /** Returns the thresholds that the later amount exceeds and the earlier one does not. */
    public List<Integer> exceededBetween(BigDecimal earlier, BigDecimal later) {
        return thresholds.stream()
                .filter(threshold -> isReached(threshold, later) && !isReached(threshold, earlier))
                .toList();
    }

    private boolean isReached(int threshold, BigDecimal spentAmount) {
        return spentAmount.multiply(HUNDRED).compareTo(amount.multiply(BigDecimal.valueOf(threshold))) >= 0;
    }

    /** Returns when instances are stopped; null if they are not. */
    public @Nullable Instant stopAt() {
        return exceededAt != null && atLimit == LimitAction.STOP_INSTANCES ? exceededAt.plus(grace) : null;
    }
}

package dev.slipway.instances.spending.domain;

import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * The part of a budget that a launch has reserved: the cost of its first hours.
 *
 * @param committed the part that has become spent
 * @param endedAt when the instance failed or was deleted; null while it exists
 */
public record BudgetReservation(
        UUID appInstanceId,
        BigDecimal perHour,
        BigDecimal amount,
        BigDecimal committed,
        Instant createdAt,
        Instant expiresAt,
        @Nullable Instant endedAt) {
    private static final BigDecimal MILLIS_PER_HOUR = BigDecimal.valueOf(3_600_000);
    private static final int SCALE = 18;

    /**
     * Commits new spending to the reservations of a project, in their order. A reservation commits at most the cost of the time that has passed
     * since its launch until its instance ended: the rest of its hours remains reserved, regardless of other spending of the project. Returns the
     * changed reservations.
     */
    public static List<BudgetReservation> commit(List<BudgetReservation> open, BigDecimal spent, Instant asOf) {
        var changed = new ArrayList<BudgetReservation>();
        var rest = spent;
        for (var reservation : open) {
            var part = rest.min(reservation.committable(asOf));
            if (part.signum() > 0) {
                changed.add(reservation.withCommitted(reservation.committed.add(part)));
                rest = rest.subtract(part);
            }
        }
        return changed;
    }

    private BigDecimal committable(Instant asOf) {
        var end = endedAt != null && endedAt.isBefore(asOf) ? endedAt : asOf;
        var elapsedMs = BigDecimal.valueOf(Duration.between(createdAt, end).toMillis());
        // Rounded down: what is not committed stays reserved.
        var elapsedCost = perHour.multiply(elapsedMs).divide(MILLIS_PER_HOUR, SCALE, RoundingMode.FLOOR);
        return amount.min(elapsedCost).subtract(committed);
    }

    private BudgetReservation withCommitted(BigDecimal next) {
        return new BudgetReservation(appInstanceId, perHour, amount, next, createdAt, expiresAt, endedAt);
    }
}

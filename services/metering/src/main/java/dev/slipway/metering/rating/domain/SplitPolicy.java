package dev.slipway.metering.rating.domain;

import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/**
 * A version of the policy by which the cost of a shared runtime is divided. It applies to whole months.
 *
 * @param allLines if true, all cost of the runtime is divided; otherwise only cost that no project caused, such as that of the controller
 * @param weightUnit the unit whose quantities are the weights; null unless the method needs one
 * @param shares the weight of each project; empty unless the method is {@link SplitMethod#FIXED_SHARES}
 */
public record SplitPolicy(
        UUID id,
        int version,
        SplitMethod method,
        boolean allLines,
        @Nullable String weightUnit,
        Map<UUID, BigDecimal> shares,
        LocalDate validFrom,
        Instant createdAt) {
    public SplitPolicy {
        shares = new TreeMap<>(shares);
    }
}

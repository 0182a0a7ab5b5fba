package dev.slipway.metering.rating.domain;

import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.util.UUID;

/**
 * The usage of one unit by a whole organization in one month, as far as one price applies to it.
 *
 * @param priceFrom when the price began to apply to the organization
 * @param priceId null if no price applies
 */
public record PricedMonth(
        String unit,
        LocalDate usageMonth,
        Instant priceFrom,
        @Nullable UUID priceId,
        BigDecimal quantity) {}

package dev.slipway.metering.rating.domain;

import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;

/**
 * A tier of a price.
 *
 * @param upTo the end of the tier, counted from the end of the included quantity; null for the last tier, which has no end
 */
public record PriceTier(@Nullable BigDecimal upTo, BigDecimal unitPrice) {}

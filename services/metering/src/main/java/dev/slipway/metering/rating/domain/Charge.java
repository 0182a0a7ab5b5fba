package dev.slipway.metering.rating.domain;

import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.util.UUID;

/** The part of a rated line that a project or the organization pays. */
public record Charge(ChargeKey key, BigDecimal amount) {
    /**
     * Identifies a charge.
     *
     * @param payer null if the organization pays without a project
     */
    public record ChargeKey(UUID lineId, @Nullable UUID payer) {}
}

package dev.slipway.metering.rating.domain;

import java.math.BigDecimal;
import java.util.UUID;

/**
 * The usage of a group at a price, and its amount, rounded to the currency.
 *
 * @param listAmount the amount at the default price, if a price for the plan or the organization replaces it; otherwise the amount
 */
public record RatedLine(LineKey key, BigDecimal quantity, BigDecimal amount, BigDecimal listAmount) {
    public UUID id() {
        return key.id();
    }
}

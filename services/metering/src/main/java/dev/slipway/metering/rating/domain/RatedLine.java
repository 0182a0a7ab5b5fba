package dev.slipway.metering.rating.domain;

import java.math.BigDecimal;
import java.util.UUID;

/**
 * The usage of a group at a price, and its amount, rounded to the currency.
 *
 * @param id the id of the key, which is a hash: it is computed once
 */
public record RatedLine(UUID id, LineKey key, BigDecimal quantity, BigDecimal amount) {
    public RatedLine(LineKey key, BigDecimal quantity, BigDecimal amount) {
        this(key.id(), key, quantity, amount);
    }
}

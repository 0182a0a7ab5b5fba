package dev.slipway.metering.rating.domain;

import java.math.BigDecimal;
import java.util.UUID;

/** The usage of a group at a price, and its amount, rounded to the currency. */
public record RatedLine(LineKey key, BigDecimal quantity, BigDecimal amount) {
    public UUID id() {
        return key.id();
    }
}

package dev.slipway.metering.usage.domain;

import dev.slipway.contract.domain.RegistryLifecycle;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;

/**
 * A registered usage unit.
 *
 * @param precision the number of decimal places that quantities may have
 */
public record UsageUnit(String id, int version, int precision, RegistryLifecycle lifecycle) {
    private static final int MAX_INTEGER_DIGITS = 24;

    /** Returns whether usage can be reported in this unit. */
    public boolean isUsable() {
        return lifecycle.isUsable();
    }

    /** Returns why an amount of this unit cannot be counted, or null if it can. */
    @Nullable
    String checkAmount(BigDecimal amount) {
        var stripped = amount.stripTrailingZeros();
        if (stripped.scale() > precision) {
            return "has more than " + precision + " decimal places, the precision of the unit";
        }
        return stripped.precision() - stripped.scale() > MAX_INTEGER_DIGITS ? "is too large" : null;
    }
}

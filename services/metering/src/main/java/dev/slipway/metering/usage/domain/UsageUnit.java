package dev.slipway.metering.usage.domain;

import dev.slipway.contract.domain.RegistryLifecycle;

/**
 * A registered usage unit.
 *
 * @param precision the number of decimal places that quantities may have
 */
public record UsageUnit(String id, int version, int precision, RegistryLifecycle lifecycle) {

    /** Returns whether usage can be reported in this unit. */
    public boolean isUsable() {
        return lifecycle.isUsable();
    }
}

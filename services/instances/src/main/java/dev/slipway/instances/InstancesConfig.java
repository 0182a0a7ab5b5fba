package dev.slipway.instances;

import dev.slipway.settings.Settings;

import java.time.Duration;

/**
 * The configuration of the instances service.
 *
 * @param region part of the resource names of new instances
 * @param maxPolicyAge maximum policy age accepted for a launch or a change
 * @param maxBillingAge maximum age of the copy of billing by which instances are stopped
 * @param currency the currency of organizations whose account has not been published yet
 * @param deadlineInterval time between two sweeps for operations that are past their deadline
 */
public record InstancesConfig(
        String region, Duration maxPolicyAge, Duration maxBillingAge, String currency, Duration deadlineInterval) {
    public static InstancesConfig from(Settings settings) {
        var region = settings.text("SLIPWAY_REGION", "local");
        if (!region.matches("[A-Za-z0-9_-]+")) {
            settings.addError("SLIPWAY_REGION=" + region + " may have letters, digits, _ and - only");
        }
        return new InstancesConfig(
                region,
                settings.duration("SLIPWAY_POLICY_BUDGET", Duration.ofMinutes(5)),
                settings.duration("SLIPWAY_BILLING_BUDGET", Duration.ofMinutes(2)),
                settings.text("SLIPWAY_BILLING_CURRENCY", "EUR"),
                settings.duration("SLIPWAY_DEADLINES_EVERY", Duration.ofSeconds(5)));
    }
}

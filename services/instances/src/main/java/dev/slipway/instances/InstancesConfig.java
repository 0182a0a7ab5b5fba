package dev.slipway.instances;

import dev.slipway.settings.Settings;

import java.time.Duration;

/**
 * What the instances service can be told.
 *
 * @param policyBudget how old what is known of policy may be where something new is let in
 * @param deadlinesEvery how often what is past its deadline is looked for
 */
public record InstancesConfig(String region, Duration policyBudget, Duration deadlinesEvery) {
    public static InstancesConfig from(Settings settings) {
        var region = settings.text("SLIPWAY_REGION", "local");
        if (!region.matches("[A-Za-z0-9_-]+")) {
            settings.fault("SLIPWAY_REGION=" + region + " may have letters, digits, _ and - only");
        }
        return new InstancesConfig(
                region,
                settings.duration("SLIPWAY_POLICY_BUDGET", Duration.ofMinutes(5)),
                settings.duration("SLIPWAY_DEADLINES_EVERY", Duration.ofSeconds(5)));
    }
}

package dev.slipway.instances;

import dev.slipway.settings.Settings;

/** What the instances service can be told. */
public record InstancesConfig(String region) {
    public static InstancesConfig from(Settings settings) {
        var region = settings.text("SLIPWAY_REGION", "local");
        if (!region.matches("[A-Za-z0-9_-]+")) {
            settings.fault("SLIPWAY_REGION=" + region + " may have letters, digits, _ and - only");
        }
        return new InstancesConfig(region);
    }
}

package dev.slipway.instances.launch.domain;

import java.util.List;

/** A manifest's rule for upgrades to, or rollbacks from, its version; {@code versions} is empty if it names none. */
public record UpgradeRule(String strategy, List<String> versions) {
    boolean isSupported() {
        return !strategy.equals("unsupported");
    }
}

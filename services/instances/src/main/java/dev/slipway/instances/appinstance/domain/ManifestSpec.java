package dev.slipway.instances.appinstance.domain;

import dev.slipway.instances.appinstance.domain.AppInstance.LifecycleSettings;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/** The parts of a manifest that decisions use; {@code text} is the whole manifest as JSON. */
public record ManifestSpec(
        String text,
        LifecycleSettings lifecycleSettings,
        Deadlines deadlines,
        UpgradeRule upgrade,
        UpgradeRule rollback,
        List<Component> components,
        Set<String> usageUnits) {

    /** The time that the operations on an instance may take. */
    public record Deadlines(Duration deploy, Duration upgrade, Duration rollback, Duration member) {}
}

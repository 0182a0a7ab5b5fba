package dev.slipway.instances.launch.domain;

import dev.slipway.instances.member.domain.Component;

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
        Set<String> usageUnits,
        SharedRuntimeSupport sharedRuntime) {

    /**
     * The support of shared runtimes by the version.
     *
     * @param workerComponents the components whose members projects can contribute
     * @param projectOperations the declared operations that attached projects can submit
     */
    public record SharedRuntimeSupport(boolean supported, Set<String> workerComponents, Set<String> projectOperations) {
        public static final SharedRuntimeSupport NONE = new SharedRuntimeSupport(false, Set.of(), Set.of());
    }

    /** The time that the operations on an instance may take. */
    public record Deadlines(Duration deploy, Duration upgrade, Duration rollback, Duration member) {}
}

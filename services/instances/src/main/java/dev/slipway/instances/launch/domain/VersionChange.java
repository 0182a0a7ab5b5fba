package dev.slipway.instances.launch.domain;

import dev.slipway.operations.domain.Operation;
import org.jspecify.annotations.Nullable;

/** The version that an instance runs after an upgrade or a rollback; {@code previous} is null after a rollback. */
public record VersionChange(
        AppVersionRef app,
        String config,
        LifecycleSettings lifecycleSettings,
        @Nullable PreviousVersion previous) {

    /** Returns the version that runs once an upgrade or a rollback has succeeded. */
    public static VersionChange of(
            AppVersionRef current,
            String currentConfig,
            Operation operation,
            AppVersionRef target,
            String config,
            ManifestSpec manifest) {
        var previous = operation.kind() == Operation.Kind.UPGRADE
                ? new PreviousVersion(current.versionId(), current.version(), currentConfig)
                : null;
        return new VersionChange(target, config, manifest.lifecycleSettings(), previous);
    }
}

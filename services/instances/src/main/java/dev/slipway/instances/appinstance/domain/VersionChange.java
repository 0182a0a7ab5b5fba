package dev.slipway.instances.appinstance.domain;

import dev.slipway.instances.appinstance.domain.AppInstance.AppVersionRef;
import dev.slipway.instances.appinstance.domain.AppInstance.LifecycleSettings;
import dev.slipway.instances.appinstance.domain.AppInstance.PreviousVersion;
import org.jspecify.annotations.Nullable;

/** The version that an instance runs after an upgrade or a rollback; {@code previous} is null after a rollback. */
public record VersionChange(
        AppVersionRef app,
        String config,
        LifecycleSettings lifecycleSettings,
        @Nullable PreviousVersion previous) {}

package dev.slipway.instances.launch.domain;

import org.jspecify.annotations.Nullable;

/**
 * Settings of the manifest that are needed even if the version is no longer usable.
 *
 * @param reap whether a failed launch is deleted automatically
 * @param registryVersions JSON text: the versions of the registry entries that the version was published under; null if unknown
 */
public record LifecycleSettings(
        int deleteSeconds, boolean reap, @Nullable String registryVersions) {
    public static final LifecycleSettings DEFAULT = new LifecycleSettings(1_800, false, null);
}

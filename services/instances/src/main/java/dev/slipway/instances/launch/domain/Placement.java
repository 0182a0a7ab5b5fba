package dev.slipway.instances.launch.domain;

import org.jspecify.annotations.Nullable;

/** The requested location of an instance; the adapter chooses the values that are null. */
public record Placement(
        @Nullable String region,
        @Nullable String sku,
        @Nullable Integer gpuCount) {
    public static final Placement UNSPECIFIED = new Placement(null, null, null);
}

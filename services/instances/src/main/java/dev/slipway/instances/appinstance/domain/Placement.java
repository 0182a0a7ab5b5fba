package dev.slipway.instances.appinstance.domain;

import org.jspecify.annotations.Nullable;

/** Where an instance should run; the adapter chooses what is null. */
public record Placement(
        @Nullable String region,
        @Nullable String sku,
        @Nullable Integer gpuCount) {
    public static final Placement UNSPECIFIED = new Placement(null, null, null);
}

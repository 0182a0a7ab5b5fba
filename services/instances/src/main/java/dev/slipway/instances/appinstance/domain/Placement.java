package dev.slipway.instances.appinstance.domain;

import org.jspecify.annotations.Nullable;

/** Where an instance is to be, as far as anybody cares: what is null is the adapter's choice. */
public record Placement(
        @Nullable String region,
        @Nullable String sku,
        @Nullable Integer gpuCount) {
    public static final Placement ANYWHERE = new Placement(null, null, null);
}

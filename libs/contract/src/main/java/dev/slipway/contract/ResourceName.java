package dev.slipway.contract;

import org.jspecify.annotations.Nullable;

import java.util.UUID;

/** The immutable external name of a resource: {@code slipway:{region}:{org}:{project or -}:{kind}:{id}}. */
public record ResourceName(
        String region, UUID orgId, @Nullable UUID projectId, String kind, UUID id) {

    public ResourceName {
        if (!region.matches("[A-Za-z0-9_-]+") || !kind.matches("[a-z_]+")) {
            throw new IllegalArgumentException("invalid region or kind: " + region + ", " + kind);
        }
    }

    @Override
    public String toString() {
        return "slipway:" + region + ":" + orgId + ":" + (projectId == null ? "-" : projectId) + ":" + kind + ":" + id;
    }
}

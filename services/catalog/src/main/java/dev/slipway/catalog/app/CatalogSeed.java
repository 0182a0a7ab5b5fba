package dev.slipway.catalog.app;

import java.util.List;
import java.util.UUID;

/** Apps and entitlements that the catalog creates at start if they do not exist. */
public record CatalogSeed(List<App> apps, List<Entitlement> entitlements) {
    public static final CatalogSeed EMPTY = new CatalogSeed(List.of(), List.of());

    /** An app with one published version. {@code manifest} is JSON text. */
    public record App(
            UUID id,
            String slug,
            String displayName,
            String category,
            String publisher,
            String productId,
            UUID versionId,
            String version,
            String runtimeBackend,
            String manifest) {}

    public record Entitlement(UUID id, UUID orgId, UUID projectId, UUID appId, String appSlug) {}
}

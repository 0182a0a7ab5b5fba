package dev.slipway.catalog.app;

import dev.slipway.catalog.app.domain.AppStatus;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.UUID;

/**
 * An app of the catalog.
 *
 * @param published whether a version of it was ever published; until then, tenants do not see it
 * @param newestVersionId the newest version that is active, or else deprecated; null if there is none or if it was not read
 */
record App(
        UUID id,
        String slug,
        String displayName,
        String category,
        String publisher,
        @Nullable String productId,
        String description,
        AppStatus status,
        boolean published,
        long revision,
        Instant createdAt,
        Instant updatedAt,
        @Nullable UUID newestVersionId) {}

package dev.slipway.catalog.app;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.UUID;

/**
 * An app of the catalog.
 *
 * @param published whether a version of it ever was: before that, tenants do not see it
 * @param newestVersionId of its versions that could be launched; null where there is none, or where nobody asked
 */
record App(
        UUID id,
        String slug,
        String displayName,
        String category,
        String publisher,
        @Nullable String productId,
        String description,
        String status,
        boolean published,
        long revision,
        Instant createdAt,
        Instant updatedAt,
        @Nullable UUID newestVersionId) {}

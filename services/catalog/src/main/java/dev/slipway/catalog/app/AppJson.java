package dev.slipway.catalog.app;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.slipway.catalog.app.domain.AppStatus;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.UUID;

/** JSON records of apps: requests, responses, events and snapshots. */
final class AppJson {
    private AppJson() {}

    record CreateRequest(
            String slug,
            String displayName,
            String category,
            String publisher,
            String productId,
            @Nullable String description) {}

    record UpdateRequest(
            @Nullable String displayName,
            @Nullable String category,
            @Nullable String publisher,
            @Nullable String description,
            @Nullable String status) {}

    record AppFields(
            UUID id,
            String slug,
            String displayName,
            String category,
            String publisher,
            @Nullable String productId,
            String description,
            AppStatus status,
            long revision,
            Instant createdAt,
            Instant updatedAt) {
        static AppFields of(App app) {
            return new AppFields(
                    app.id(),
                    app.slug(),
                    app.displayName(),
                    app.category(),
                    app.publisher(),
                    app.productId(),
                    app.description(),
                    app.status(),
                    app.revision(),
                    app.createdAt(),
                    app.updatedAt());
        }
    }

    /** {@code launch} is null if the request names no project. */
    record AppResponse(
            @JsonUnwrapped AppFields app,
            @JsonUnwrapped @Nullable LaunchFields launch) {}

    record AdminAppResponse(@JsonUnwrapped AppFields app, boolean published) {
        static AdminAppResponse of(App app) {
            return new AdminAppResponse(AppFields.of(app), app.published());
        }
    }

    record AuditMetadata(@Nullable AdminAppResponse before, AdminAppResponse after) {}

    record AppEvent(
            UUID appId,
            String appSlug,
            String displayName,
            String category,
            String publisher,
            @Nullable String productId,
            AppStatus status) {
        static AppEvent of(App app) {
            return new AppEvent(
                    app.id(),
                    app.slug(),
                    app.displayName(),
                    app.category(),
                    app.publisher(),
                    app.productId(),
                    app.status());
        }
    }

    record Snapshot(UUID appId, String appSlug, AppStatus status, long revision) {
        static Snapshot of(App app) {
            return new Snapshot(app.id(), app.slug(), app.status(), app.revision());
        }
    }
}

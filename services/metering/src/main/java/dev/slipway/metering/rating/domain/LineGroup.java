package dev.slipway.metering.rating.domain;

import org.jspecify.annotations.Nullable;

import java.util.UUID;

/** The attribution by which usage is grouped into rated lines. A line resolves to the facts with the same values. */
public record LineGroup(
        @Nullable UUID projectId,
        @Nullable UUID appInstanceId,
        @Nullable UUID sharedRuntimeId,
        @Nullable UUID attachmentId,
        @Nullable UUID sourceProjectId,
        @Nullable String appSlug,
        @Nullable String resourceType,
        @Nullable String resourceId) {

    String text() {
        return String.join(
                "\u001f",
                text(projectId),
                text(appInstanceId),
                text(sharedRuntimeId),
                text(attachmentId),
                text(sourceProjectId),
                text(appSlug),
                text(resourceType),
                text(resourceId));
    }

    private static String text(@Nullable Object value) {
        return value == null ? "" : value.toString();
    }
}

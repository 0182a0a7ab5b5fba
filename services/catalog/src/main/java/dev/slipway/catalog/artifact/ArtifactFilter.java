package dev.slipway.catalog.artifact;

import dev.slipway.service.Request;
import org.jspecify.annotations.Nullable;

/** Filters of the artifact list; null matches any. */
record ArtifactFilter(
        boolean shared,
        @Nullable String lifecycleState,
        @Nullable String trustState,
        @Nullable String channel,
        @Nullable String artifactType,
        @Nullable String appSlug,
        @Nullable String digest) {

    static ArtifactFilter of(Request request) {
        return new ArtifactFilter(
                "shared".equals(request.query("include")),
                request.query("lifecycle_state"),
                request.query("trust_state"),
                request.query("channel"),
                request.query("artifact_type"),
                request.query("app_slug"),
                request.query("digest"));
    }
}

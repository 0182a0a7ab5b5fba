package dev.slipway.catalog.artifact;

import org.jspecify.annotations.Nullable;

import java.util.UUID;

/**
 * A source that the platform shares with all its tenants.
 *
 * @param host with its port, where that is not the usual one
 * @param namespace what of it is the platform's; empty: all
 * @param push whether projects may push to it, each to a namespace of its own
 * @param tokenService what the source calls itself in the tokens that this platform signs for it; null: it takes none
 */
public record PlatformSource(
        String name,
        String sourceType,
        String host,
        String namespace,
        boolean push,
        @Nullable String tokenService) {

    /** What a project may push to; null where nobody may. */
    @Nullable
    String pushNamespace(UUID projectId) {
        return push ? (namespace.isEmpty() ? "" : namespace + "/") + projectId : null;
    }
}

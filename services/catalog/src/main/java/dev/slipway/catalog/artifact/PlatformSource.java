package dev.slipway.catalog.artifact;

import org.jspecify.annotations.Nullable;

import java.util.UUID;
import java.util.regex.Pattern;

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
    private static final Pattern PROJECT = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

    /** What a project may push to; null where nobody may. */
    @Nullable
    String pushNamespace(UUID projectId) {
        return push ? below() + projectId : null;
    }

    /** Whether a repository is one that another project pushes to: what the platform can read there is not everybody's. */
    boolean isOfAnother(UUID projectId, String repository) {
        if (!push || !repository.startsWith(below())) {
            return false;
        }
        var owner = repository.substring(below().length()).split("/", -1)[0];
        return PROJECT.matcher(owner).matches() && !owner.equals(projectId.toString());
    }

    private String below() {
        return namespace.isEmpty() ? "" : namespace + "/";
    }
}

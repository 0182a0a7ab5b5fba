package dev.slipway.catalog.artifact;

import org.jspecify.annotations.Nullable;

import java.util.UUID;
import java.util.regex.Pattern;

/**
 * An artifact source that the platform shares with all tenants.
 *
 * @param host with its port, unless it is 443
 * @param namespace the part of the source that the platform uses; empty means all of it
 * @param push whether projects may push to it, each to its own namespace
 * @param tokenService the audience of tokens for this source; null if it does not accept this platform's tokens
 */
public record PlatformSource(
        String name,
        String sourceType,
        String host,
        String namespace,
        boolean push,
        @Nullable String tokenService) {
    private static final Pattern PROJECT = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

    /** Returns the namespace that a project may push to, or null if the source does not accept pushes. */
    @Nullable
    String pushNamespace(UUID projectId) {
        return push ? namespacePrefix() + projectId : null;
    }

    /** Returns whether a repository is in the push namespace of another project. */
    boolean belongsToOtherProject(UUID projectId, String repository) {
        if (!push || !repository.startsWith(namespacePrefix())) {
            return false;
        }
        var owner = repository.substring(namespacePrefix().length()).split("/", -1)[0];
        return PROJECT.matcher(owner).matches() && !owner.equals(projectId.toString());
    }

    private String namespacePrefix() {
        return namespace.isEmpty() ? "" : namespace + "/";
    }
}

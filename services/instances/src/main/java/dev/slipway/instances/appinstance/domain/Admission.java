package dev.slipway.instances.appinstance.domain;

import org.jspecify.annotations.Nullable;

import java.util.Set;
import java.util.UUID;

/**
 * What is known, behind the project's lock, about a launch: null where there is no such thing.
 *
 * @param operatorAccountId the account asked for, or the project's own; null unless it is active and of this project
 */
public record Admission(
        UUID orgId,
        @Nullable UUID appId,
        @Nullable Version version,
        boolean entitled,
        Set<String> allowedModes,
        Set<String> allowedScopes,
        @Nullable UUID operatorAccountId) {

    /** The version asked for. */
    public record Version(UUID id, String runtimeBackend, String status) {}
}

package dev.slipway.instances.appinstance.domain;

import dev.slipway.instances.appinstance.domain.Decision.Refused;
import org.jspecify.annotations.Nullable;

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
        Policy policy,
        @Nullable UUID operatorAccountId) {

    /**
     * The version asked for.
     *
     * @param revoked whether the trust in one of its artifacts was withdrawn
     */
    public record Version(UUID id, String runtimeBackend, String status, boolean revoked) {}

    /**
     * What the effective policy makes of the launch.
     *
     * @param version of the policy, kept with the instance
     * @param placement as asked for, with what policy chose where the caller left it open
     * @param refusal the first thing that policy forbids; null if nothing
     */
    public record Policy(
            String version,
            Placement placement,
            boolean deprecatedAllowed,
            @Nullable Refused refusal) {}

    /** As if policy let deprecated versions be launched. */
    public Admission withDeprecated() {
        return new Admission(
                orgId,
                appId,
                version,
                entitled,
                new Policy(policy.version, policy.placement, true, policy.refusal),
                operatorAccountId);
    }
}

package dev.slipway.instances.sharedruntime.domain;

import dev.slipway.instances.launch.domain.LaunchEligibility;
import dev.slipway.instances.launch.domain.Placement;
import dev.slipway.operations.domain.Refusal;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.UUID;

/**
 * A request to create a shared runtime. {@code config} is JSON text.
 *
 * @param operatorId the requested operator identity; null if one is created with the runtime
 */
public record RuntimeRequest(
        UUID orgId,
        String environment,
        String appSlug,
        String appVersion,
        String displayName,
        @Nullable UUID operatorId,
        Placement placement,
        String config,
        ContributionPolicy contribution,
        SubmissionPolicy submission,
        List<UUID> attachedProjectIds,
        UUID requestedByUserId,
        UUID requestedByPrincipalId,
        String principalType) {

    /**
     * The permission of the organization, and the runtime that it already has.
     *
     * @param appId null if the app does not exist
     * @param version null if the version does not exist
     * @param existingId the runtime that the organization already has; null without one
     * @param operatorRefusal why the requested operator identity cannot be used; null if it can, or none is requested
     * @param refusal why catalog or policy refuse the app to the organization; null if they do not
     */
    public record Eligibility(
            @Nullable UUID appId,
            LaunchEligibility.@Nullable Version version,
            LaunchEligibility.Policy policy,
            @Nullable UUID existingId,
            @Nullable Refusal operatorRefusal,
            @Nullable Refusal refusal) {
        /** Returns a copy with another refusal, unless there is one already. */
        public Eligibility withFallback(@Nullable Refusal other) {
            return refusal != null || other == null
                    ? this
                    : new Eligibility(appId, version, policy, existingId, operatorRefusal, other);
        }
    }

    /** The permission of a project to be attached; {@code refusal} is null if it has it. */
    public record ProjectEligibility(
            UUID projectId, @Nullable Refusal refusal) {}
}

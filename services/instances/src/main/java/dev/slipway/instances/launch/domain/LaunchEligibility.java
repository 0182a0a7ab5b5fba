package dev.slipway.instances.launch.domain;

import dev.slipway.instances.spending.domain.Spending;
import dev.slipway.operations.domain.Refusal;
import org.jspecify.annotations.Nullable;

import java.util.UUID;

/**
 * The outcome of the eligibility rule for a launch, an upgrade or a rollback, read under the project's lock.
 *
 * @param appId null if the app does not exist
 * @param version null if the version does not exist
 * @param operatorAccountId the requested account or the project's own; null unless it is an active account of this project that may report
 * @param attached whether the project is attached to the shared runtime that the launch names
 * @param refusal null if the version may be used
 * @param spending the balance and the budget that limit a launch; they do not limit an upgrade or a rollback
 */
public record LaunchEligibility(
        UUID orgId,
        @Nullable UUID appId,
        @Nullable Version version,
        Policy policy,
        @Nullable UUID operatorAccountId,
        @Nullable Refusal refusal,
        boolean attached,
        Spending spending) {

    /** Creates the outcome for a project that is not attached to a shared runtime, and that billing does not limit. */
    public LaunchEligibility(
            UUID orgId,
            @Nullable UUID appId,
            @Nullable Version version,
            Policy policy,
            @Nullable UUID operatorAccountId,
            @Nullable Refusal refusal) {
        this(orgId, appId, version, policy, operatorAccountId, refusal, false, Spending.UNLIMITED);
    }

    /** Returns a copy that says whether the project is attached to the requested shared runtime. */
    public LaunchEligibility withAttached(boolean next) {
        return new LaunchEligibility(orgId, appId, version, policy, operatorAccountId, refusal, next, spending);
    }

    /** Returns a copy with the limits of billing. */
    public LaunchEligibility withSpending(Spending next) {
        return new LaunchEligibility(orgId, appId, version, policy, operatorAccountId, refusal, attached, next);
    }

    /** The requested version. */
    public record Version(UUID id, String runtimeBackend) {}

    /**
     * The policy that was applied.
     *
     * @param version identifies the policy documents; stored with the instance
     * @param placement the requested placement, completed with policy defaults
     */
    public record Policy(String version, Placement placement) {}
}

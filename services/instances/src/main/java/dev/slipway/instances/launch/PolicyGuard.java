package dev.slipway.instances.launch;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.policy.EffectivePolicy;
import dev.slipway.policy.LaunchEligibilityRule;
import io.vertx.core.Future;

import java.util.UUID;

/** Rejects changes of existing instances that the policy of their project disables. */
public final class PolicyGuard {
    private final ProjectPolicyStore policies;
    private final PolicyFreshness freshness;
    private final PolicyMetrics metrics;

    public PolicyGuard(ProjectPolicyStore policies, PolicyFreshness freshness, PolicyMetrics metrics) {
        this.policies = policies;
        this.freshness = freshness;
        this.metrics = metrics;
    }

    /** Rejects a change of an instance that policy disables; fails also if policy is stale. */
    public Future<Void> requireMutable(UnitOfWork unit, UUID projectId) {
        return policies.load(unit, projectId).compose(policy -> {
            freshness.requireFresh(policy.ageSeconds());
            return requireMutable(policy.effective());
        });
    }

    /** Rejects the removal of an instance that policy disables; a stale policy does not prevent it. */
    public Future<Void> requireRemovable(UnitOfWork unit, UUID projectId) {
        return policies.load(unit, projectId).compose(policy -> requireMutable(policy.effective()));
    }

    private Future<Void> requireMutable(EffectivePolicy policy) {
        var started = System.nanoTime();
        var disabled = LaunchEligibilityRule.checkMutationsEnabled(policy);
        metrics.recordDecision(disabled == null ? null : disabled.code(), System.nanoTime() - started);
        return disabled == null
                ? Future.succeededFuture()
                : Future.failedFuture(Problem.of(ErrorCode.of(disabled.code()), disabled.message())
                        .asException());
    }
}

package dev.slipway.catalog.artifact;

import dev.slipway.catalog.policy.PolicyStore;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import dev.slipway.policy.EffectivePolicy;
import dev.slipway.policy.EffectivePolicy.Effect;
import dev.slipway.policy.PolicyKeys;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** From where a project may have its artifacts: what policy leaves of it now. */
public final class SourcePolicy {
    private final PolicyStore policies;
    private final Set<String> shared;

    public SourcePolicy(PolicyStore policies, List<PlatformSource> shared) {
        this.policies = policies;
        this.shared = shared.stream().map(PlatformSource::host).collect(Collectors.toUnmodifiableSet());
    }

    /**
     * What is allowed.
     *
     * @param patterns as policy has them; null where no level says anything, and the platform's own sources are what is left
     * @param allows whether a host, with its port, is
     * @param by the level that left it so, for a sentence about it
     */
    record Allowed(@Nullable List<String> patterns, Predicate<String> allows, String by) {
        ProblemException refused(String host) {
            return Problem.of(
                            ErrorCode.SOURCE_NOT_ALLOWED,
                            "Policy does not allow artifacts from " + host + ", by " + by
                                    + ". GET /api/v1/apps/registry says from where.")
                    .asException();
        }
    }

    /** For a project, and for one app in it where one is named. */
    Future<Allowed> of(UUID orgId, UUID projectId, @Nullable String appSlug) {
        return policies.ofProject(orgId, projectId, appSlug).map(levels -> {
            var effective = levels.effective();
            for (var effect : effective.effects()) {
                if (effect.key().id().equals(PolicyKeys.ARTIFACT_SOURCES)) {
                    return allowed(effective, effect);
                }
            }
            return new Allowed(List.of(), host -> false, "the registry, which has no such key");
        });
    }

    /** Where no level says anything, the platform's own sources are what is left, but for those that are denied for good. */
    private Allowed allowed(EffectivePolicy effective, Effect effect) {
        var by = effective.narrowedBy(PolicyKeys.ARTIFACT_SOURCES);
        return effect.setBy() == null
                ? new Allowed(
                        null,
                        host -> shared.contains(host) && effective.allowsAsSaid(PolicyKeys.ARTIFACT_SOURCES, host),
                        by)
                : new Allowed(
                        effective.allowed(PolicyKeys.ARTIFACT_SOURCES),
                        host -> effective.allows(PolicyKeys.ARTIFACT_SOURCES, host),
                        by);
    }
}

package dev.slipway.catalog.artifact;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import dev.slipway.policy.EffectivePolicy;
import dev.slipway.policy.EffectivePolicy.EffectiveValue;
import dev.slipway.policy.PolicyKeys;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Determines from which hosts a project may use artifacts, by its current policy. */
public final class SourcePolicy {
    private final PolicyLookup policies;
    private final Set<String> platformHosts;

    public SourcePolicy(PolicyLookup policies, List<PlatformSource> platformSources) {
        this.policies = policies;
        this.platformHosts = platformSources.stream().map(PlatformSource::host).collect(Collectors.toUnmodifiableSet());
    }

    /**
     * The allowed sources.
     *
     * @param patterns the allowed host patterns; null if no level sets them, which allows the platform's own sources
     * @param allows tests a host with its port
     * @param decidedBy the level that determined the value, for messages
     */
    record AllowedSources(@Nullable List<String> patterns, Predicate<String> allows, String decidedBy) {
        ProblemException notAllowed(String host) {
            return Problem.of(
                            ErrorCode.SOURCE_NOT_ALLOWED,
                            "Artifacts from " + host + " are not allowed, set by " + decidedBy
                                    + ". GET /api/v1/apps/registry lists the allowed sources.")
                    .asException();
        }
    }

    /** Finds the sources for a project, or for one app in it if a slug is given. */
    Future<AllowedSources> find(UUID orgId, UUID projectId, @Nullable String appSlug) {
        return policies.find(orgId, projectId, appSlug).map(policy -> {
            for (var value : policy.effectiveValues()) {
                if (value.key().id().equals(PolicyKeys.ARTIFACT_SOURCES)) {
                    return toAllowedSources(policy, value);
                }
            }
            return new AllowedSources(List.of(), host -> false, "the registry, which has no such key");
        });
    }

    private AllowedSources toAllowedSources(EffectivePolicy policy, EffectiveValue value) {
        var decidedBy = policy.describeSource(PolicyKeys.ARTIFACT_SOURCES);
        return value.setBy() == null
                ? new AllowedSources(
                        null,
                        host -> platformHosts.contains(host)
                                && policy.allowsExplicitly(PolicyKeys.ARTIFACT_SOURCES, host),
                        decidedBy)
                : new AllowedSources(
                        policy.allowed(PolicyKeys.ARTIFACT_SOURCES),
                        host -> policy.allows(PolicyKeys.ARTIFACT_SOURCES, host),
                        decidedBy);
    }
}

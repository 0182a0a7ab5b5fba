package dev.slipway.catalog.artifact;

import dev.slipway.policy.EffectivePolicy;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.UUID;

/** Computes the effective policy of a project, or of one app in it if a slug is given. */
@FunctionalInterface
public interface PolicyLookup {
    Future<EffectivePolicy> find(UUID orgId, UUID projectId, @Nullable String appSlug);
}

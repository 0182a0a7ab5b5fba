package dev.slipway.catalog.app;

import dev.slipway.catalog.policy.domain.Eligibility;
import io.vertx.core.Future;

import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Evaluates whether a project can launch versions; versions that do not exist are missing from the result. */
@FunctionalInterface
public interface EligibilityLookup {
    Future<Map<UUID, Eligibility>> find(UUID orgId, UUID projectId, List<UUID> versionIds);
}

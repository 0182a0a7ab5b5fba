package dev.slipway.catalog;

import dev.slipway.catalog.app.version.domain.AppVersion;
import dev.slipway.catalog.artifact.domain.Artifact;
import dev.slipway.catalog.policy.EffectivePolicyStore;
import dev.slipway.catalog.releasegate.ReleaseGateConsumer;
import dev.slipway.catalog.releasegate.ReleaseGateGuard;
import dev.slipway.catalog.releasegate.ReleaseGateStore;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Service;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.UUID;

/** Wires the enforcement of release gates. */
final class ReleaseGateWiring {
    private final ReleaseGateStore store = new ReleaseGateStore();
    private final ReleaseGateGuard guard = new ReleaseGateGuard(store);

    Future<@Nullable UUID> requirePassed(UnitOfWork unit, Artifact artifact) {
        return EffectivePolicyStore.findForProject(unit, artifact.orgId(), artifact.projectId(), artifact.appSlug())
                .compose(levels -> guard.requireArtifact(
                        unit,
                        levels.effective(),
                        artifact.appSlug(),
                        artifact.digest().text()));
    }

    /** Versions belong to the platform, so only the global level applies. */
    Future<@Nullable UUID> requirePassed(UnitOfWork unit, AppVersion version) {
        return EffectivePolicyStore.findGlobal(unit)
                .compose(
                        levels -> guard.requireVersion(unit, levels.effective(), version.appSlug(), version.version()));
    }

    /** The service starts without the verdicts: where gates are required, stale ones are refused. */
    Service serve(Service service) {
        return service.consumeOptional(
                        "releases", List.of(Topics.EVIDENCE_STATE), new ReleaseGateConsumer(store)::apply)
                .withHeartbeats();
    }
}

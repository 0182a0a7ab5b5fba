package dev.slipway.catalog.releasegate;

import dev.slipway.catalog.releasegate.domain.ReleaseGateRule;
import dev.slipway.catalog.releasegate.domain.ReleaseGateRule.GateDecision.Accepted;
import dev.slipway.catalog.releasegate.domain.ReleaseGateRule.GateDecision.Refused;
import dev.slipway.catalog.releasegate.domain.ReleaseVerdict;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.policy.EffectivePolicy;
import dev.slipway.policy.PolicyKeys;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.UUID;

/** Requires passed release gates where policy does not exempt the product. Reads replicated verdicts only. */
public final class ReleaseGateGuard {
    /** Represents an artifact that belongs to no app, in the policy key. */
    private static final String NO_PRODUCT = "-";

    private final ReleaseGateStore store;

    public ReleaseGateGuard(ReleaseGateStore store) {
        this.store = store;
    }

    /** Returns the verdict of a version, or null if it needs none. Fails with a problem if its gates have not passed. */
    public Future<@Nullable UUID> requireVersion(
            UnitOfWork unit, EffectivePolicy policy, String product, String version) {
        return store.findVersion(unit, product, version)
                .compose(newest -> decide(unit, policy, product, newest, product + " " + version));
    }

    /** Returns the verdict of an artifact, or null if it needs none. Fails with a problem if its gates have not passed. */
    public Future<@Nullable UUID> requireArtifact(
            UnitOfWork unit, EffectivePolicy policy, @Nullable String product, String digest) {
        return store.findDigest(unit, digest, product)
                .compose(newest -> decide(unit, policy, product == null ? NO_PRODUCT : product, newest, digest));
    }

    private Future<@Nullable UUID> decide(
            UnitOfWork unit, EffectivePolicy policy, String product, @Nullable ReleaseVerdict newest, String name) {
        var gated = !policy.allows(PolicyKeys.UNGATED_PRODUCTS, product);
        return store.findFreshness(unit).map(replicatedAt -> {
            var decision = ReleaseGateRule.decide(gated, newest, replicatedAt, name, unit.now());
            if (decision instanceof Refused refused) {
                throw problem(refused).asException();
            }
            return ((Accepted) decision).releaseVerdictId();
        });
    }

    private static Problem problem(Refused refused) {
        var problem = Problem.of(ErrorCode.of(refused.code()), refused.message());
        var releaseId = refused.releaseId();
        if (releaseId != null) {
            problem.details().put("release_id", releaseId.toString());
        }
        return problem;
    }
}

package dev.slipway.catalog.artifact;

import dev.slipway.contract.ProblemException;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;
import java.util.Map;

/** What is shown of artifacts: how many are trusted, and what became of promotions. */
public final class ArtifactMetrics {
    private static final Logger LOG = LoggerFactory.getLogger(ArtifactMetrics.class);
    private static final long EVERY_MS = 15_000;
    private static final String DONE = "promoted";

    private final MeterRegistry registry;
    private volatile Map<String, Long> byTrust = Map.of();

    public ArtifactMetrics(MeterRegistry registry) {
        this.registry = registry;
        for (var state : List.of("unverified", "verified", "failed_verification", "revoked")) {
            Gauge.builder("slipway.artifacts", this, shown -> shown.byTrust.getOrDefault(state, 0L))
                    .description("Registered artifacts by their trust state")
                    .tag("trust_state", state)
                    .register(registry);
        }
        var unused = promotions(DONE);
    }

    /** Counts now and then: whoever changes an artifact does not wait for it. */
    public void start(Vertx vertx, ArtifactReadStore artifacts) {
        vertx.setPeriodic(0, EVERY_MS, timer -> artifacts
                .countByTrust()
                .onSuccess(counted -> byTrust = counted)
                .onFailure(e -> LOG.atWarn().log("could not count artifacts: {}", e.toString())));
    }

    /** Counts what becomes of a promotion: a refusal by its code, and what is nobody's fault as failed. */
    <T> Future<T> promotion(Future<T> promotion) {
        return promotion.onSuccess(ok -> promotions(DONE).increment()).onFailure(e -> promotions(
                        e instanceof ProblemException refused
                                ? refused.problem().code().code()
                                : "failed")
                .increment());
    }

    private Counter promotions(String outcome) {
        return Counter.builder("slipway.artifact.promotions")
                .description("Promotions of artifacts: promoted, or the code that one was refused with")
                .tag("outcome", outcome)
                .register(registry);
    }
}

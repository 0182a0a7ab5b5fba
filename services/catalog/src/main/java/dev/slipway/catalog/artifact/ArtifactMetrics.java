package dev.slipway.catalog.artifact;

import dev.slipway.catalog.artifact.domain.Artifact.Trust;
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

/** Metrics of artifacts: their number by trust state, and promotions by outcome. */
public final class ArtifactMetrics {
    private static final Logger LOG = LoggerFactory.getLogger(ArtifactMetrics.class);
    private static final long INTERVAL_MS = 15_000;
    private static final String PROMOTED = "promoted";

    private final MeterRegistry registry;
    private volatile Map<String, Long> byTrust = Map.of();

    public ArtifactMetrics(MeterRegistry registry) {
        this.registry = registry;
        for (var state : List.of(Trust.values())) {
            Gauge.builder("slipway.artifacts", this, metrics -> metrics.byTrust.getOrDefault(state.text(), 0L))
                    .description("Registered artifacts by their trust state")
                    .tag("trust_state", state.text())
                    .register(registry);
        }
        var unused = counter(PROMOTED);
    }

    /** Counts artifacts periodically, so that changes do not have to. */
    public void start(Vertx vertx, ArtifactReadStore artifacts) {
        vertx.setPeriodic(0, INTERVAL_MS, timer -> artifacts
                .countByTrust()
                .onSuccess(counted -> byTrust = counted)
                .onFailure(e -> LOG.atWarn().setCause(e).log("counting artifacts failed")));
    }

    /** Counts a promotion by its outcome: promoted, the error code of a refusal, or failed. */
    <T> Future<T> countOutcome(Future<T> promotion) {
        return promotion.onSuccess(ok -> counter(PROMOTED).increment()).onFailure(e -> counter(
                        e instanceof ProblemException refused
                                ? refused.problem().code().code()
                                : "failed")
                .increment());
    }

    private Counter counter(String outcome) {
        return Counter.builder("slipway.artifact.promotions")
                .description("Promotions of artifacts by outcome: promoted, or the error code")
                .tag("outcome", outcome)
                .register(registry);
    }
}

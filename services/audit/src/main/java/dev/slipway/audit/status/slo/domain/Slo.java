package dev.slipway.audit.status.slo.domain;

import dev.slipway.contract.domain.TextEnum;
import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * A service level objective of a shared service.
 *
 * @param service the shared service
 * @param failureBehaviour what the service does when it or its data is unavailable
 * @param target the target in words
 * @param objective the required share of good events
 * @param components the components that provide the service
 * @param readModels the replicated data that the service decides from
 * @param refusals the error codes of writes that it refuses because of its state
 * @param evidence the metrics that show the details
 */
public record Slo(
        String id,
        int version,
        String service,
        String title,
        String failureBehaviour,
        String target,
        double objective,
        Indicator indicator,
        List<String> components,
        List<ReadModel> readModels,
        List<String> refusals,
        List<String> evidence) {

    /** The measured quantity: durations of events, the age of data in samples, or nothing because the service does not exist yet. */
    public record Indicator(
            Kind kind, @Nullable String name, @Nullable Long thresholdMs) {
        /** The kinds of indicators. */
        public enum Kind implements TextEnum {
            LATENCY,
            AGE,
            NONE
        }
    }

    /** Replicated data; it is stale if it is older than the budget. */
    public record ReadModel(String name, long budgetMs) {}

    public boolean isMeasured() {
        return indicator.kind != Indicator.Kind.NONE;
    }
}

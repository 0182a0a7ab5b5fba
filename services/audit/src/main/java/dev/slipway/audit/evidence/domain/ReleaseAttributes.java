package dev.slipway.audit.evidence.domain;

import java.util.List;

/**
 * The product, its revision and the target of a release. The attributes of a candidate never change.
 *
 * @param requiredJourneys the persona journeys that must pass, beside the demo suite
 */
public record ReleaseAttributes(
        String product,
        String version,
        String sourceSha,
        String branch,
        String environment,
        String profile,
        boolean productionImpacting,
        boolean capacityImpacting,
        List<String> requiredJourneys) {
    public ReleaseAttributes {
        requiredJourneys = List.copyOf(requiredJourneys);
    }

    /** Returns whether the release impacts production or capacity. */
    public boolean impactsProductionOrCapacity() {
        return productionImpacting || capacityImpacting;
    }
}

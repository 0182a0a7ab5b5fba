package dev.slipway.audit.status.domain;

import dev.slipway.audit.status.component.domain.RolloutStatus;
import dev.slipway.audit.status.incident.domain.Incident;
import dev.slipway.audit.status.maintenance.domain.Maintenance;
import dev.slipway.audit.status.slo.domain.SloResult;
import dev.slipway.contract.domain.TextEnum;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Decides whether the state of the platform allows releases. */
public final class ReleaseReadiness {
    private ReleaseReadiness() {}

    /** A blocker of a release: the kind and the id of a resource, and an explanation. */
    public record Reason(String kind, String reference, String message) {}

    /**
     * Returns what blocks every release: components that do not work, objectives without error budget, critical and major incidents, and
     * maintenance.
     *
     * @param incidents the incidents that are not resolved
     * @param maintenance the windows that are in progress
     */
    public static List<Reason> reasons(
            Map<String, RolloutStatus> components,
            Map<String, SloResult> objectives,
            List<Incident> incidents,
            List<Maintenance> maintenance) {
        var reasons = new ArrayList<Reason>();
        components.forEach((id, status) -> {
            if (blocks(status)) {
                reasons.add(new Reason("component", id, "The component is " + words(status) + "."));
            }
        });
        objectives.forEach((id, result) -> {
            if (blocks(result)) {
                reasons.add(new Reason("slo", id, "The objective is " + words(result) + "."));
            }
        });
        incidents.stream()
                .filter(incident -> incident.severity().blocksReleases())
                .forEach(incident -> reasons.add(new Reason(
                        "incident",
                        incident.id().toString(),
                        "The " + incident.severity().text() + " incident \"" + incident.title() + "\" is "
                                + incident.status().text() + ".")));
        maintenance.forEach(window -> reasons.add(new Reason(
                "maintenance", window.id().toString(), "The maintenance \"" + window.title() + "\" is in progress.")));
        return List.copyOf(reasons);
    }

    private static boolean blocks(RolloutStatus status) {
        return switch (status) {
            case UNAVAILABLE, UNKNOWN -> true;
            case READY, DEGRADED -> false;
        };
    }

    private static boolean blocks(SloResult result) {
        return switch (result) {
            case VIOLATED, AT_RISK -> true;
            case MET, NO_DATA, NOT_MEASURED -> false;
        };
    }

    private static String words(TextEnum value) {
        return value.text().replace('_', ' ');
    }
}

package dev.slipway.audit.status.incident.domain;

import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The alerts of a group, merged from notifications that can arrive twice, late or incomplete. */
public record AlertGroup(Map<String, Alert> alerts) {
    /** The most alerts that are stored for an incident. */
    public static final int MAX_ALERTS = 200;

    public static AlertGroup of(Collection<Alert> stored) {
        var alerts = new LinkedHashMap<String, Alert>();
        stored.forEach(alert -> alerts.put(alert.fingerprint(), alert));
        return new AlertGroup(alerts);
    }

    /**
     * Returns the group after a notification. An alert of an earlier start than the stored one is ignored. If the whole group is resolved, so
     * are the alerts that the notification left out.
     */
    public AlertGroup merge(List<Alert> notified, boolean groupIsResolved, Instant now) {
        var merged = new LinkedHashMap<>(alerts);
        for (var alert : notified) {
            var stored = merged.get(alert.fingerprint());
            if (stored == null ? merged.size() < MAX_ALERTS : isCurrent(alert, stored)) {
                merged.put(alert.fingerprint(), alert);
            }
        }
        if (groupIsResolved && notified.stream().noneMatch(Alert::isFiring)) {
            merged.replaceAll((fingerprint, alert) ->
                    alert.startsAt().isAfter(latestStart(notified)) ? alert : alert.resolvedAt(now));
        }
        return new AlertGroup(merged);
    }

    /** An alert that ended does not fire again with the same start: such a notification is an old one. */
    private static boolean isCurrent(Alert alert, Alert stored) {
        return alert.startsAt().equals(stored.startsAt())
                ? stored.isFiring()
                : alert.startsAt().isAfter(stored.startsAt());
    }

    private static Instant latestStart(List<Alert> notified) {
        return notified.stream().map(Alert::startsAt).max(Instant::compareTo).orElse(Instant.MIN);
    }

    public boolean isResolved() {
        return alerts.values().stream().noneMatch(Alert::isFiring);
    }

    /** Returns the number of alerts that are firing. */
    public long firing() {
        return alerts.values().stream().filter(Alert::isFiring).count();
    }

    /** Returns whether the other group has the same alerts in the same states. */
    public boolean hasSameStates(AlertGroup other) {
        return states().equals(other.states());
    }

    private Map<String, String> states() {
        var states = new LinkedHashMap<String, String>();
        alerts.forEach((fingerprint, alert) -> states.put(fingerprint, alert.isFiring() + " " + alert.startsAt()));
        return states;
    }
}

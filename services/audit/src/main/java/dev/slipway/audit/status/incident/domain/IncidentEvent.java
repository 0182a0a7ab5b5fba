package dev.slipway.audit.status.incident.domain;

import java.util.Locale;

/** The changes of an incident that are published. */
public enum IncidentEvent {
    OPENED,
    UPDATED,
    ACKNOWLEDGED,
    MITIGATED,
    RESOLVED;

    /** Returns the event type. */
    public String type() {
        return "status.incident." + name().toLowerCase(Locale.ROOT);
    }
}

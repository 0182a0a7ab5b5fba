package dev.slipway.audit.status.incident.domain;

import dev.slipway.contract.domain.TextEnum;

/** The changes of an incident that are published. */
public enum IncidentEvent implements TextEnum {
    OPENED,
    UPDATED,
    ACKNOWLEDGED,
    MITIGATED,
    RESOLVED;

    /** Returns the event type. */
    public String type() {
        return "status.incident." + text();
    }
}

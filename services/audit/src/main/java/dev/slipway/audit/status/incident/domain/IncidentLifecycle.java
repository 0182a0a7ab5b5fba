package dev.slipway.audit.status.incident.domain;

import dev.slipway.audit.status.incident.domain.Incident.Changes;
import dev.slipway.audit.status.incident.domain.Incident.Severity;
import dev.slipway.audit.status.incident.domain.Incident.Source;
import dev.slipway.audit.status.incident.domain.Incident.Status;
import dev.slipway.audit.status.incident.domain.IncidentDecision.Accepted;
import dev.slipway.audit.status.incident.domain.IncidentDecision.Refused;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** The lifecycle of an incident: open → acknowledged → mitigated → resolved. Steps can be skipped, but not reversed. */
public final class IncidentLifecycle {
    private static final String CONFLICT = "state_conflict";

    private IncidentLifecycle() {}

    /** The fields of an incident that is opened. */
    public record NewIncident(
            UUID id,
            String title,
            @Nullable String summary,
            Severity severity,
            boolean isPublic,
            List<String> components,
            List<UUID> orgIds,
            Source source,
            @Nullable String groupKey) {}

    public static Accepted open(NewIncident created, Instant now) {
        return new Accepted(
                new Incident(
                        created.id,
                        created.title,
                        created.summary,
                        created.severity,
                        Status.OPEN,
                        created.isPublic,
                        created.components,
                        created.orgIds,
                        created.source,
                        created.groupKey,
                        null,
                        1,
                        now,
                        null,
                        null,
                        null,
                        now),
                IncidentEvent.OPENED);
    }

    /** Moves the incident forward. */
    public static IncidentDecision move(Incident current, Status next, Instant now) {
        if (next.compareTo(current.status()) <= 0) {
            return new Refused(
                    CONFLICT,
                    "The incident is " + current.status().text() + " and cannot become " + next.text()
                            + ". Open a new incident if it has recurred.");
        }
        var event =
                switch (next) {
                    case OPEN -> IncidentEvent.OPENED;
                    case ACKNOWLEDGED -> IncidentEvent.ACKNOWLEDGED;
                    case MITIGATED -> IncidentEvent.MITIGATED;
                    case RESOLVED -> IncidentEvent.RESOLVED;
                };
        return new Accepted(current.withStatus(next, now), event);
    }

    /** Changes the description. A resolved incident accepts a postmortem only. */
    public static IncidentDecision change(Incident current, Changes changes, Instant now) {
        return current.status() == Status.RESOLVED && !changes.isPostmortemOnly()
                ? new Refused(CONFLICT, "The incident is resolved. Only its postmortem can be changed.")
                : new Accepted(current.withChanges(changes, now), IncidentEvent.UPDATED);
    }

    /** Records that the incident has a new update or other alerts. */
    public static IncidentDecision annotate(Incident current, Instant now) {
        return new Accepted(
                current.withChanges(new Changes(null, null, null, null, null, null, null), now), IncidentEvent.UPDATED);
    }
}

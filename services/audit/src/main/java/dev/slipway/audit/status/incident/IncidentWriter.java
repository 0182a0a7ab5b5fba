package dev.slipway.audit.status.incident;

import dev.slipway.audit.status.incident.IncidentJson.AuditMetadata;
import dev.slipway.audit.status.incident.IncidentJson.EventPayload;
import dev.slipway.audit.status.incident.IncidentStore.IncidentUpdate;
import dev.slipway.audit.status.incident.domain.Incident;
import dev.slipway.audit.status.incident.domain.IncidentDecision;
import dev.slipway.audit.status.incident.domain.IncidentDecision.Accepted;
import dev.slipway.audit.status.incident.domain.IncidentDecision.Refused;
import dev.slipway.audit.status.incident.domain.IncidentEvent;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditTrail.AuditEntry;
import org.jspecify.annotations.Nullable;

import java.util.function.Consumer;

/** Writes the outcome of a decision: the incident, its update, its event and its audit record. */
final class IncidentWriter {
    private final IncidentStore store;

    /** The text of an update and its author. */
    record Note(String message, boolean isPublic, String author) {}

    IncidentWriter(IncidentStore store) {
        this.store = store;
    }

    /** Writes an accepted decision and returns the incident; a refused one fails with its problem. */
    Incident write(
            UnitOfWork unit,
            IncidentDecision decision,
            @Nullable Note note,
            String action,
            Consumer<AuditEntry> audit) {
        if (decision instanceof Refused refused) {
            throw Problem.of(ErrorCode.of(refused.code()), refused.message()).asException();
        }
        var accepted = (Accepted) decision;
        var incident = accepted.next();
        if (accepted.event() == IncidentEvent.OPENED) {
            store.insert(unit, incident);
        } else {
            store.update(unit, incident);
        }
        if (note != null) {
            store.insertUpdate(
                    unit,
                    new IncidentUpdate(
                            Ids.next(),
                            incident.id(),
                            incident.status(),
                            note.message,
                            note.isPublic,
                            note.author,
                            unit.now()));
        }
        unit.publish(
                Topics.STATUS_EVENTS,
                incident.id().toString(),
                accepted.event().type(),
                Json.toObject(EventPayload.of(incident, note == null ? null : note.message)));
        audit.accept(new AuditEntry(
                action,
                "incident",
                incident.id().toString(),
                null,
                null,
                Json.toObject(new AuditMetadata(
                        accepted.event().type(),
                        incident.severity(),
                        incident.status(),
                        incident.isPublic(),
                        incident.version()))));
        return incident;
    }
}

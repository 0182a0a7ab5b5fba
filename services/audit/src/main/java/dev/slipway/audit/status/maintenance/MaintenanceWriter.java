package dev.slipway.audit.status.maintenance;

import dev.slipway.audit.status.maintenance.MaintenanceJson.AuditMetadata;
import dev.slipway.audit.status.maintenance.MaintenanceJson.EventPayload;
import dev.slipway.audit.status.maintenance.domain.Maintenance;
import dev.slipway.audit.status.maintenance.domain.MaintenanceDecision.Accepted;
import dev.slipway.contract.Json;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditTrail.AuditEntry;

import java.util.function.Consumer;

/** Writes an accepted decision: the maintenance window, its event and its audit record. */
final class MaintenanceWriter {
    private static final String ACTION = "status.maintenance.write";

    private final MaintenanceStore store;

    MaintenanceWriter(MaintenanceStore store) {
        this.store = store;
    }

    Maintenance write(UnitOfWork unit, Accepted accepted, Consumer<AuditEntry> audit) {
        var window = accepted.next();
        if (window.version() == 1) {
            store.insert(unit, window);
        } else {
            store.update(unit, window);
        }
        unit.publish(
                Topics.STATUS_EVENTS,
                window.id().toString(),
                accepted.eventType(),
                Json.toObject(EventPayload.of(window)));
        audit.accept(new AuditEntry(
                ACTION,
                "maintenance",
                window.id().toString(),
                null,
                null,
                Json.toObject(new AuditMetadata(accepted.eventType(), window.status(), window.version()))));
        return window;
    }
}

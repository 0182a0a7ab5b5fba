package dev.slipway.audit.status.maintenance;

import dev.slipway.audit.status.maintenance.domain.MaintenanceDecision.Accepted;
import dev.slipway.audit.status.maintenance.domain.MaintenanceLifecycle;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditResult;
import dev.slipway.service.AuditTrail;
import io.vertx.core.Future;

/** Starts and completes maintenance windows at their times. */
public final class MaintenanceSchedule {
    private static final String ACTOR = "maintenance schedule";

    private final MaintenanceStore store;
    private final MaintenanceWriter writer;

    public MaintenanceSchedule(MaintenanceStore store) {
        this.store = store;
        this.writer = new MaintenanceWriter(store);
    }

    /** Moves the windows whose start or end has come; returns how many. */
    public Future<Integer> run(UnitOfWork unit) {
        return store.lockDue(unit, unit.now()).map(windows -> {
            for (var window : windows) {
                var next = MaintenanceLifecycle.dueStatus(window, unit.now());
                if (MaintenanceLifecycle.move(window, next, unit.now()) instanceof Accepted accepted) {
                    var unused = writer.write(
                            unit,
                            accepted,
                            entry -> AuditTrail.recordSystemAction(
                                    unit, "system", ACTOR, null, entry, AuditResult.SUCCESS, null));
                }
            }
            return windows.size();
        });
    }
}

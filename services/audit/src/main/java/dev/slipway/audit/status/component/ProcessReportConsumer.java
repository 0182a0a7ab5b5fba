package dev.slipway.audit.status.component;

import dev.slipway.audit.status.component.ComponentStore.StoredReport;
import dev.slipway.audit.status.slo.SloRecorder;
import dev.slipway.contract.Json;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.ProcessReport;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;

/** Stores the reports of processes and counts their events for the objectives. A report that is not newer than the stored one is ignored. */
public final class ProcessReportConsumer {
    private final ComponentStore store;
    private final SloRecorder objectives;

    /** A report, and the time when the broker received it. */
    private record Arrival(ProcessReport report, Instant observedAt) {}

    public ProcessReportConsumer(ComponentStore store, SloRecorder objectives) {
        this.store = store;
        this.objectives = objectives;
    }

    /** Locks processes in the order of their ids, so that two consumers cannot wait for each other. */
    public Future<Void> apply(UnitOfWork unit, List<ReceivedEvent> events) {
        var arrivals = events.stream()
                .filter(event -> event.envelope().eventType().equals(ProcessReport.EVENT_TYPE))
                .map(event -> new Arrival(
                        Json.toRecord(event.envelope().payload(), ProcessReport.class),
                        event.record().appendedAt()))
                .sorted(Comparator.comparing((Arrival arrival) -> arrival.report.processId())
                        .thenComparing(Arrival::observedAt))
                .toList();
        var applied = Future.<Void>succeededFuture();
        for (var arrival : arrivals) {
            applied = applied.compose(ok -> apply(unit, arrival));
        }
        return applied;
    }

    private Future<Void> apply(UnitOfWork unit, Arrival arrival) {
        return store.lockReport(unit, arrival.report.processId()).map(stored -> {
            if (isNewer(arrival, stored)) {
                objectives.record(unit, stored == null ? null : stored.report(), arrival.report, arrival.observedAt);
                store.upsertReport(unit, arrival.report, arrival.observedAt);
            }
            return null;
        });
    }

    private static boolean isNewer(Arrival arrival, @Nullable StoredReport stored) {
        return stored == null || arrival.observedAt.isAfter(stored.observedAt());
    }
}

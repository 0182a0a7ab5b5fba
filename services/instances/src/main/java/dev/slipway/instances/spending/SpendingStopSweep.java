package dev.slipway.instances.spending;

import dev.slipway.contract.Json;
import dev.slipway.instances.spending.SpendingStore.DueStop;
import dev.slipway.instances.spending.SpendingStore.DueStop.Kind;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.operations.PeriodicSweep.DueWork;
import io.vertx.core.Future;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Stops what costs money and has a balance or a budget that is used up, after the grace period. Adapters cannot suspend an app, so stopping is a
 * deletion or a detachment. Nothing is started again when the balance or the budget recovers.
 */
public final class SpendingStopSweep implements DueWork<DueStop> {
    private static final Logger LOG = LoggerFactory.getLogger(SpendingStopSweep.class);

    private final SpendingStore spending;
    private final Map<Kind, StopHandler> handlers;

    /** Stops one kind of resource. */
    public interface StopHandler {
        /**
         * Locks the resource, and stops it if {@link SpendingStore#findDueStop} confirms under the lock that it has to be stopped: it is not
         * stopped twice, nor after a payment that arrived in between. Returns whether it was stopped.
         */
        Future<Boolean> stop(UnitOfWork unit, DueStop due);
    }

    /** The input of the operation that stops a resource. */
    private record StopInput(String reason) {}

    public SpendingStopSweep(SpendingStore spending, Map<Kind, StopHandler> handlers) {
        this.spending = spending;
        this.handlers = Map.copyOf(handlers);
    }

    /** Returns the input of the operation that stops a resource, as JSON text. */
    public static String input(DueStop confirmed) {
        return Json.text(new StopInput(confirmed.reason()));
    }

    @Override
    public String name() {
        return "spending stops";
    }

    @Override
    public Future<List<DueStop>> listDue(UnitOfWork unit, int limit) {
        SpendingStore.deleteExpired(unit);
        return spending.recordBillingAge(unit).compose(ok -> spending.listDueStops(unit, limit));
    }

    @Override
    public Future<Void> handle(UnitOfWork unit, DueStop due) {
        var handler = Objects.requireNonNull(handlers.get(due.kind()), () -> "no handler stops " + due.kind());
        return handler.stop(unit, due).map(stopped -> {
            if (stopped) {
                LOG.atInfo()
                        .addKeyValue("kind", due.kind().text())
                        .addKeyValue("id", due.id())
                        .addKeyValue("project_id", due.projectId())
                        .addKeyValue("reason", due.reason())
                        .log("stopped because of spending");
            }
            return null;
        });
    }

    @Override
    public Map<String, Object> logKeys(DueStop due) {
        return Map.of("kind", due.kind().text(), "id", due.id(), "org_id", due.orgId());
    }
}

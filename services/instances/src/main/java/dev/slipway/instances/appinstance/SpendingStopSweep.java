package dev.slipway.instances.appinstance;

import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.instances.appinstance.AppInstanceStore.Part;
import dev.slipway.instances.appinstance.domain.InstanceRequests;
import dev.slipway.instances.appinstance.domain.LoadedInstance;
import dev.slipway.instances.spending.SpendingStore;
import dev.slipway.instances.spending.SpendingStore.DueStop;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.UUID;

/**
 * Stops instances whose balance or budget is used up, after the grace period. Adapters cannot suspend an app, so stopping is the deletion of the
 * instance. Nothing is started again when the balance or the budget recovers.
 */
public final class SpendingStopSweep {
    private static final Logger LOG = LoggerFactory.getLogger(SpendingStopSweep.class);
    private static final int BATCH = 100;

    private final Vertx vertx;
    private final Outbox outbox;
    private final SpendingStore spending;
    private final AppInstanceStore instances;
    private final Duration interval;
    private boolean busy;

    /** The input of the deletion. */
    private record StopInput(String reason) {}

    /** The metadata of the audit entry. */
    private record StopAudit(UUID operationId) {}

    public SpendingStopSweep(
            Vertx vertx, Outbox outbox, SpendingStore spending, AppInstanceStore instances, Duration interval) {
        this.vertx = vertx;
        this.outbox = outbox;
        this.spending = spending;
        this.instances = instances;
        this.interval = interval;
    }

    public void start() {
        vertx.setPeriodic(interval.toMillis(), timer -> {
            if (!busy) {
                busy = true;
                sweep().onFailure(e -> LOG.atWarn()
                                .setCause(e)
                                .log("cannot look for instances to stop; retrying at the next interval"))
                        .onComplete(done -> busy = false);
            }
        });
    }

    private Future<Void> sweep() {
        return outbox.transaction(newContext(), unit -> {
                    SpendingStore.deleteExpired(unit);
                    return spending.listDueStops(unit, BATCH);
                })
                .compose(due -> {
                    Future<Void> chain = Future.succeededFuture();
                    for (var stop : due) {
                        chain = chain.compose(ok -> stop(stop));
                    }
                    return chain;
                });
    }

    /** In a transaction of its own, so that a failure does not affect the other instances. */
    private Future<Void> stop(DueStop due) {
        return outbox.<Void>transaction(newContext(), unit -> instances
                        .load(unit, due.projectId(), due.appInstanceId(), Part.OPEN_OPERATIONS)
                        .compose(loaded -> spending.findDueStop(unit, due.projectId(), due.appInstanceId())
                                .map(confirmed -> stop(unit, loaded, confirmed))))
                .recover(e -> {
                    LOG.atWarn()
                            .addKeyValue("project_id", due.projectId())
                            .addKeyValue("app_instance_id", due.appInstanceId())
                            .setCause(e)
                            .log("stopping an instance failed; retrying at the next interval");
                    return Future.succeededFuture();
                });
    }

    /** Under the lock of the instance: it is not stopped twice, nor after a payment that arrived in between. */
    private @Nullable Void stop(UnitOfWork unit, LoadedInstance loaded, @Nullable DueStop confirmed) {
        if (confirmed == null || !InstanceRequests.isDeletable(loaded.instance())) {
            return null;
        }
        var input = Json.text(new StopInput(confirmed.reason()));
        var change = InstanceRequests.stop(loaded, input, InstanceChangeApi.decisionContext(unit));
        var instance = instances.apply(unit, change);
        AuditTrail.recordSystemAction(
                unit,
                "system",
                "instances",
                null,
                new AuditEntry(
                        "apps.instance.delete",
                        "app_instance",
                        instance.id().toString(),
                        instance.orgId(),
                        instance.projectId(),
                        Json.toObject(new StopAudit(change.openedOperation().id()))),
                "success",
                confirmed.reason());
        LOG.atInfo()
                .addKeyValue("project_id", instance.projectId())
                .addKeyValue("app_instance_id", instance.id())
                .addKeyValue("reason", confirmed.reason())
                .log("instance stopped");
        return null;
    }

    private static ChangeContext newContext() {
        return new ChangeContext(Ids.next().toString(), Context.root());
    }
}

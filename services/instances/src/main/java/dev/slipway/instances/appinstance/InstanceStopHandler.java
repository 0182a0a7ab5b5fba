package dev.slipway.instances.appinstance;

import dev.slipway.instances.appinstance.AppInstanceStore.Part;
import dev.slipway.instances.appinstance.domain.InstanceRequests;
import dev.slipway.instances.appinstance.domain.LoadedInstance;
import dev.slipway.instances.spending.SpendingStopSweep;
import dev.slipway.instances.spending.SpendingStopSweep.StopHandler;
import dev.slipway.instances.spending.SpendingStore;
import dev.slipway.instances.spending.SpendingStore.DueStop;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.Objects;

/** Deletes instances whose balance or budget is used up. */
public final class InstanceStopHandler implements StopHandler {
    private final SpendingStore spending;
    private final AppInstanceStore instances;

    public InstanceStopHandler(SpendingStore spending, AppInstanceStore instances) {
        this.spending = spending;
        this.instances = instances;
    }

    @Override
    public Future<Boolean> stop(UnitOfWork unit, DueStop due) {
        var projectId = Objects.requireNonNull(due.projectId(), "an instance has a project");
        return instances.load(unit, projectId, due.id(), Part.OPEN_OPERATIONS).compose(loaded -> spending.findDueStop(
                        unit, due)
                .map(confirmed -> stopIfDue(unit, loaded, confirmed)));
    }

    private boolean stopIfDue(UnitOfWork unit, LoadedInstance loaded, @Nullable DueStop confirmed) {
        if (confirmed == null || !InstanceRequests.isDeletable(loaded.instance())) {
            return false;
        }
        var change = InstanceRequests.stop(
                loaded, SpendingStopSweep.input(confirmed), InstanceChangeApi.decisionContext(unit));
        var instance = instances.apply(unit, change);
        AppInstanceReports.auditDeletion(
                unit, instance, change.openedOperation().id(), confirmed.reason());
        return true;
    }
}

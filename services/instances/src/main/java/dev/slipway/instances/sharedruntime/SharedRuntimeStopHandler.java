package dev.slipway.instances.sharedruntime;

import dev.slipway.instances.sharedruntime.domain.LoadedSharedRuntime;
import dev.slipway.instances.sharedruntime.domain.SharedRuntimeRequests;
import dev.slipway.instances.spending.SpendingStopSweep;
import dev.slipway.instances.spending.SpendingStore;
import dev.slipway.instances.spending.SpendingStore.DueStop;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.operations.domain.Operation;
import dev.slipway.service.AuditResult;
import dev.slipway.service.AuditTrail;
import io.vertx.core.Future;

import java.util.Objects;
import java.util.function.BiConsumer;

/**
 * Deletes the shared runtimes of an organization whose balance is used up, and detaches a project whose budget is used up. Both take effect at
 * once: the grace period was the time to finish the work.
 */
public final class SharedRuntimeStopHandler {
    private final SpendingStore spending;
    private final SharedRuntimeStore runtimes;
    private final SharedRuntimeReportHandler detachments;

    public SharedRuntimeStopHandler(
            SpendingStore spending, SharedRuntimeStore runtimes, SharedRuntimeReportHandler detachments) {
        this.spending = spending;
        this.runtimes = runtimes;
        this.detachments = detachments;
    }

    /** Deletes a runtime, with its attachments and workers. */
    public Future<Boolean> stopRuntime(UnitOfWork unit, DueStop due) {
        return stop(unit, due, (loaded, confirmed) -> delete(unit, loaded, confirmed));
    }

    /** Detaches a project: its work there is canceled, its workers are removed, and the runtime continues. */
    public Future<Boolean> stopAttachment(UnitOfWork unit, DueStop due) {
        var projectId = Objects.requireNonNull(due.projectId(), "an attachment has a project");
        return stop(unit, due, (loaded, confirmed) -> detachments.detach(unit, loaded, projectId, confirmed.reason()));
    }

    /** Locks the runtime, and stops if that is still due then. */
    private Future<Boolean> stop(UnitOfWork unit, DueStop due, BiConsumer<LoadedSharedRuntime, DueStop> stop) {
        return runtimes.load(unit, due.orgId(), due.id())
                .compose(loaded -> spending.findDueStop(unit, due).map(confirmed -> {
                    if (confirmed == null) {
                        return false;
                    }
                    stop.accept(loaded, confirmed);
                    return true;
                }));
    }

    private void delete(UnitOfWork unit, LoadedSharedRuntime loaded, DueStop confirmed) {
        var change = SharedRuntimeCall.requireAccepted(SharedRuntimeRequests.stop(
                loaded, SpendingStopSweep.input(confirmed), SharedRuntimeCall.context(unit)));
        var runtime = runtimes.apply(unit, change);
        // A deletion that waits for detachments may be open already.
        var operation = change.openedOperations().stream()
                .filter(each -> each.kind() == Operation.Kind.DELETE)
                .findFirst()
                .orElse(null);
        AuditTrail.recordSystemAction(
                unit,
                "system",
                "instances",
                null,
                SharedRuntimeCall.entry(runtime, "apps.shared_runtime.force_delete", operation, null, null),
                AuditResult.SUCCESS,
                confirmed.reason());
    }
}

package dev.slipway.processadapter;

import dev.slipway.adapter.MemberState.State;
import dev.slipway.adapter.Outcome;
import dev.slipway.adapter.Outcome.Canceled;
import dev.slipway.adapter.Outcome.Done;
import dev.slipway.adapter.Outcome.Running;
import dev.slipway.adapter.Progress;
import io.vertx.core.Future;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;
import java.util.stream.Stream;

/** Deploys and upgrades instances. */
final class InstanceDeployer {
    private static final Logger LOG = LoggerFactory.getLogger(InstanceDeployer.class);
    /** Clients may use the old address until the new one is reported. */
    private static final long OLD_VERSION_GRACE_MS = 2_000;

    private static final Canceled CANCELED_WHILE_WAITING = new Canceled("canceled while waiting for a free slot");

    private final ProcessLauncher launcher;
    private final ProcessSupervisor supervisor;
    private final UsageReporter usage;

    InstanceDeployer(ProcessLauncher processLauncher, ProcessSupervisor processSupervisor, UsageReporter usage) {
        this.launcher = processLauncher;
        this.supervisor = processSupervisor;
        this.usage = usage;
    }

    Future<Outcome> deploy(ManagedInstance instance, InstanceSpec spec, Progress progress) {
        instance.processes().forEach(process -> process.setRelaunches(0));
        return instance.runExclusively(() -> prepare(instance, spec, progress))
                .compose(ready -> ready
                        ? reportJoining(instance, progress)
                                .compose(ok -> launcher.startAll(instance.processes(), spec, progress.cancellation()))
                        : Future.succeededFuture(CANCELED_WHILE_WAITING))
                .compose(outcome -> {
                    if (outcome instanceof Done) {
                        return reportRunning(instance, progress);
                    }
                    return reportFailed(instance, progress)
                            .compose(ok -> supervisor.stopInstance(instance))
                            .map(outcome);
                });
    }

    /** Returns false if the command is canceled while it waits for slots. */
    private Future<Boolean> prepare(ManagedInstance instance, InstanceSpec requested, Progress progress) {
        var current = instance.spec();
        var spec = current == null ? requested : requested.mergeWith(current);
        return removeObsolete(instance, spec)
                .compose(ok -> launcher.acquireSlots(instance, spec.processes().size() - instance.slots(), progress))
                .compose(acquired -> acquired
                        ? launcher.runBlocking(() -> {
                                    instance.directory().write(spec);
                                    return true;
                                })
                                .onSuccess(written -> instance.spec(spec))
                        : Future.succeededFuture(false));
    }

    /** Removes processes that the new spec does not contain, to free their slots first. */
    private Future<Void> removeObsolete(ManagedInstance instance, InstanceSpec spec) {
        var keys = spec.processes().stream().map(ProcessSpec::key).toList();
        var oldProcesses = Stream.concat(instance.processes().stream(), instance.retiring().stream())
                .filter(process -> !keys.contains(process.spec().key()))
                .toList();
        instance.retiring().clear();
        return oldProcesses.isEmpty()
                ? Future.succeededFuture()
                : launcher.terminateAndRemove(instance, oldProcesses)
                        .onSuccess(ok -> launcher.releaseSlots(instance, oldProcesses.size()));
    }

    /**
     * Starts the new version beside the old one. When all new processes are healthy, they take over and the old ones are stopped. Otherwise
     * the old version keeps running unchanged.
     */
    Future<Outcome> upgrade(ManagedInstance instance, InstanceSpec next, Progress progress) {
        var current = instance.spec();
        if (current == null || current.generation() >= next.generation()) {
            return deploy(instance, next, progress); // already switched over, or nothing to keep running
        }
        var procs = next.processes().stream()
                .map(processSpec -> new ManagedProcess(instance.directory(), processSpec))
                .toList();
        // Waits for the cleanup of leftovers from an earlier adapter, which must not terminate the new processes.
        Future<Boolean> slots = instance.runExclusively(() -> Future.<Void>succeededFuture())
                .compose(ok -> launcher.acquireSlots(instance, procs.size(), progress));
        return slots.compose(acquired -> {
            if (!acquired) {
                return Future.succeededFuture(CANCELED_WHILE_WAITING);
            }
            return progress.report(10, "launching " + next.version() + " beside " + current.version())
                    .compose(ok -> launcher.startAll(procs, next, progress.cancellation()))
                    .compose(outcome -> outcome instanceof Done
                            ? switchOver(instance, next, procs, progress)
                            : removeProcesses(instance, procs).map(outcome));
        });
    }

    private Future<Outcome> switchOver(
            ManagedInstance instance, InstanceSpec next, List<ManagedProcess> procs, Progress progress) {
        var oldProcesses = instance.processes();
        return instance.runExclusively(() -> launcher.runBlocking(() -> {
                            instance.directory().write(next);
                            return null;
                        })
                        .onSuccess(ok -> instance.spec(next, procs)))
                .compose(ok -> {
                    instance.retiring().addAll(oldProcesses);
                    launcher.vertx().setTimer(OLD_VERSION_GRACE_MS, timer -> stopOldVersion(instance, oldProcesses));
                    return reportRunning(instance, progress);
                });
    }

    /** If the adapter stops before, its next start terminates them; if the instance is deleted, they are gone already. */
    private void stopOldVersion(ManagedInstance instance, List<ManagedProcess> oldProcesses) {
        if (!instance.retiring().containsAll(oldProcesses)) {
            return;
        }
        instance.retiring().removeAll(oldProcesses);
        removeProcesses(instance, oldProcesses)
                .compose(ok -> supervisor.reportRemoved(instance, oldProcesses))
                .onFailure(e -> LOG.atError()
                        .addKeyValue("app_instance_id", instance.id())
                        .setCause(e)
                        .log("stopping the processes of the old version failed"));
    }

    private Future<Void> removeProcesses(ManagedInstance instance, List<ManagedProcess> procs) {
        return instance.runExclusively(() -> launcher.terminateAndRemove(instance, procs))
                .onSuccess(ok -> launcher.releaseSlots(instance, procs.size()));
    }

    private Future<Void> reportJoining(ManagedInstance instance, Progress progress) {
        var limits = launcher.limits(instance.requireSpec());
        return progress.reportMembers(ManagedInstance.memberStates(instance.processes(), State.JOINING, limits));
    }

    private Future<Outcome> reportRunning(ManagedInstance instance, Progress progress) {
        var limits = launcher.limits(instance.requireSpec());
        return usage.start(instance)
                .compose(ok ->
                        progress.reportMembers(ManagedInstance.memberStates(instance.processes(), State.READY, limits)))
                .map(ok -> {
                    instance.reportedEndpoints(instance.endpoints());
                    return new Running(instance.endpoints());
                });
    }

    private Future<Void> reportFailed(ManagedInstance instance, Progress progress) {
        var spec = instance.spec();
        var failed =
                instance.processes().stream().filter(ManagedProcess::hasFailed).toList();
        return spec == null
                ? Future.succeededFuture()
                : progress.reportMembers(ManagedInstance.memberStates(failed, State.FAILED, launcher.limits(spec)));
    }
}

package dev.slipway.processadapter;

import dev.slipway.adapter.InstanceReporter;
import dev.slipway.adapter.MemberState;
import dev.slipway.adapter.MemberState.State;
import dev.slipway.adapter.Outcome.Failed;
import dev.slipway.adapter.Outcome.Running;
import dev.slipway.processadapter.ManagedProcess.Attempt;
import io.vertx.core.Future;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import static java.util.Objects.requireNonNull;

/** Supervises running processes: relaunches those that exit and reports state changes. */
final class ProcessSupervisor {
    private static final Logger LOG = LoggerFactory.getLogger(ProcessSupervisor.class);
    private static final int MAX_RELAUNCHES = 3;
    private static final long RELAUNCH_DELAY_MS = 500;

    private final ProcessLauncher launcher;
    private final InstanceReporter reporter;
    private final UsageReporter usage;
    private final Supplier<Collection<ManagedInstance>> instances;

    ProcessSupervisor(
            ProcessLauncher processLauncher,
            InstanceReporter reporter,
            UsageReporter usage,
            Supplier<Collection<ManagedInstance>> instances) {
        this.launcher = processLauncher;
        this.reporter = reporter;
        this.usage = usage;
        this.instances = instances;
    }

    /** Starts the processes of the stored spec that are not running and reports their endpoints, because a new process has a new port. */
    void restore(ManagedInstance instance) {
        var spec = instance.requireSpec();
        var wantedKeys = spec.processes().stream().map(ProcessSpec::key).collect(Collectors.toSet());
        var procs = instance.processes();
        var attempts = new HashMap<ManagedProcess, Attempt>();
        procs.forEach(process -> attempts.put(process, process.nextAttempt()));
        instance.runExclusively(() -> launcher.terminateStrays(instance, wantedKeys))
                .compose(ok -> launcher.runBlocking(() -> {
                    var running = 0;
                    for (var process : procs) {
                        running += process.directory().isAlive() ? 1 : 0;
                    }
                    return running > 0;
                }))
                .compose(ranMeanwhile -> Future.join(procs.stream()
                                .map(process -> ensureRunning(instance, process, requireNonNull(attempts.get(process))))
                                .toList())
                        .transform(done -> usage.resume(instance, ranMeanwhile)))
                .compose(ok -> instance.endpoints().isEmpty() ? Future.succeededFuture() : reportState(instance, procs))
                .onFailure(e -> LOG.atError()
                        .addKeyValue("app_instance_id", instance.id())
                        .setCause(e)
                        .log("restoring an instance failed"));
    }

    /** Reports the instance's endpoints and the states of these members. */
    Future<Void> reportState(ManagedInstance instance, Collection<ManagedProcess> procs) {
        return instance.spec() == null
                ? Future.succeededFuture()
                : reportMembers(instance, procs).compose(ok -> reportEndpoints(instance));
    }

    private Future<Void> reportMembers(ManagedInstance instance, Collection<ManagedProcess> procs) {
        var limits = launcher.limits(instance.requireSpec());
        var up = procs.stream().filter(process -> process.attempt().isHealthy()).toList();
        var failed = procs.stream().filter(ManagedProcess::hasFailed).toList();
        var states = new ArrayList<>(ManagedInstance.memberStates(up, State.READY, limits));
        states.addAll(ManagedInstance.memberStates(failed, State.FAILED, limits));
        return states.isEmpty() ? Future.succeededFuture() : reporter.reportMembers(instance.id(), states);
    }

    /** Reports the members of terminated processes as removed, except members that run in another process now. */
    Future<Void> reportRemoved(ManagedInstance instance, Collection<ManagedProcess> terminated) {
        var spec = instance.spec();
        var present = instance.processes().stream()
                .map(process -> String.valueOf(process.spec().memberId()))
                .toList();
        var removed = terminated.stream()
                .filter(process ->
                        !present.contains(String.valueOf(process.spec().memberId())))
                .toList();
        var states = spec == null
                ? List.<MemberState>of()
                : ManagedInstance.memberStates(removed, State.REMOVED, launcher.limits(spec));
        return states.isEmpty() ? Future.succeededFuture() : reporter.reportMembers(instance.id(), states);
    }

    /** Reports the instance's endpoints if they have changed. */
    Future<Void> reportIfEndpointsChanged(ManagedInstance instance) {
        return instance.endpoints().equals(instance.reportedEndpoints())
                ? Future.succeededFuture()
                : reportEndpoints(instance);
    }

    private Future<Void> reportEndpoints(ManagedInstance instance) {
        instance.reportedEndpoints(instance.endpoints());
        return reporter.reportOutcome(instance.id(), new Running(instance.endpoints()));
    }

    void checkProcesses() {
        var watched = new HashMap<ManagedProcess, Attempt>();
        var owners = new HashMap<ManagedProcess, ManagedInstance>();
        for (var instance : instances.get()) {
            for (var process : instance.processes()) {
                if (process.attempt().isHealthy()) {
                    watched.put(process, process.attempt());
                    owners.put(process, instance);
                }
            }
        }
        if (watched.isEmpty()) {
            return;
        }
        launcher.runBlocking(() -> {
                    var dead = new ArrayList<ManagedProcess>();
                    for (var process : watched.keySet()) {
                        process.directory().rotateLog();
                        if (!process.directory().isAlive()) {
                            dead.add(process);
                        }
                    }
                    return dead;
                })
                .onSuccess(dead -> dead.stream()
                        .filter(process -> process.attempt() == watched.get(process))
                        .forEach(process -> scheduleRelaunch(
                                requireNonNull(owners.get(process)),
                                process,
                                process.nextAttempt(),
                                "the process exited")))
                .onFailure(e -> LOG.atWarn().setCause(e).log("checking processes failed; continuing"));
    }

    private void scheduleRelaunch(ManagedInstance instance, ManagedProcess process, Attempt attempt, String reason) {
        if (attempt.isEnded()) {
            return;
        }
        if (process.relaunches() == MAX_RELAUNCHES) {
            recordFailure(instance, process, attempt, reason + ", also after " + MAX_RELAUNCHES + " relaunches");
            return;
        }
        process.setRelaunches(process.relaunches() + 1);
        LOG.atWarn()
                .addKeyValue("app_instance_id", instance.id())
                .addKeyValue("process", process.spec().key())
                .addKeyValue("attempt", process.relaunches())
                .log("relaunching a process: {}", reason);
        launcher.vertx().setTimer(RELAUNCH_DELAY_MS << (process.relaunches() - 1), timer -> ensureRunning(
                        instance, process, attempt)
                .compose(up -> up ? reportState(instance, List.of(process)) : Future.succeededFuture())
                .onFailure(e -> LOG.atError()
                        .addKeyValue("app_instance_id", instance.id())
                        .setCause(e)
                        .log("reporting a relaunched process failed")));
    }

    /** Returns whether the process is healthy. If it is not, a relaunch is scheduled. */
    private Future<Boolean> ensureRunning(ManagedInstance instance, ManagedProcess process, Attempt attempt) {
        var spec = instance.spec();
        if (attempt.isEnded() || spec == null) {
            return Future.succeededFuture(false);
        }
        var refusal = launcher.validate(spec);
        var started = refusal == null
                ? launcher.start(process, attempt, spec)
                : Future.succeededFuture(ProbeResult.failed(refusal.reason()));
        return started.compose(probeResult -> {
                    var failure = probeResult.failure();
                    return failure == null
                            ? Future.succeededFuture(true)
                            : terminateLeftovers(instance, process, attempt)
                                    .onSuccess(ok -> scheduleRelaunch(instance, process, attempt, failure))
                                    .map(false);
                })
                .otherwise(e -> {
                    if (!attempt.isEnded()) {
                        LOG.atError()
                                .addKeyValue("app_instance_id", instance.id())
                                .setCause(e)
                                .log("launching a process failed");
                        scheduleRelaunch(instance, process, attempt, "the process could not be started");
                    }
                    return false;
                });
    }

    private Future<Void> terminateLeftovers(ManagedInstance instance, ManagedProcess process, Attempt attempt) {
        return instance.runExclusively(
                () -> attempt.isEnded() ? Future.succeededFuture() : launcher.terminateProcess(instance, process));
    }

    /**
     * The instance fails when its last process fails. It is reported before it is stopped, so that a crash in between leads to another
     * attempt.
     */
    private void recordFailure(ManagedInstance instance, ManagedProcess process, Attempt attempt, String reason) {
        process.markFailed(reason);
        var others = instance.processes().stream().anyMatch(other -> other != process && !other.hasFailed());
        var done = others
                ? terminateLeftovers(instance, process, attempt).compose(ok -> reportState(instance, List.of(process)))
                : reportMembers(instance, List.of(process))
                        .compose(ok -> reporter.reportOutcome(instance.id(), new Failed(reason)))
                        .compose(ok -> stopInstance(instance, attempt));
        done.onFailure(e -> LOG.atError()
                .addKeyValue("app_instance_id", instance.id())
                .setCause(e)
                .log("removing a failed process failed"));
    }

    private Future<Void> stopInstance(ManagedInstance instance, Attempt attempt) {
        return attempt.isEnded() ? Future.succeededFuture() : stopInstance(instance);
    }

    /** Stops the instance and removes its spec. Logs are kept until it is deleted. */
    Future<Void> stopInstance(ManagedInstance instance) {
        return instance.runExclusively(() -> launcher.terminateAll(List.of(instance))
                .compose(ok -> usage.close(instance))
                .compose(ok -> launcher.runBlocking(() -> {
                    instance.directory().removeSpec();
                    return (Void) null;
                }))
                .onSuccess(ok -> {
                    instance.clearSpec();
                    launcher.releaseSlots(instance, instance.slots());
                }));
    }
}

package dev.slipway.processadapter;

import dev.slipway.adapter.Blocker;
import dev.slipway.adapter.Outcome;
import dev.slipway.adapter.Outcome.Canceled;
import dev.slipway.adapter.Outcome.Done;
import dev.slipway.adapter.Outcome.Failed;
import dev.slipway.adapter.Progress;
import dev.slipway.adapter.Slots;
import dev.slipway.processadapter.ManagedProcess.Attempt;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Launches and terminates processes within the machine's capacity. */
final class ProcessLauncher {
    private static final Logger LOG = LoggerFactory.getLogger(ProcessLauncher.class);
    private static final long STABLE_AFTER_MS = TimeUnit.MINUTES.toMillis(10);
    /** Starting programs need much CPU, so only a few start at a time. A slow start releases its launch slot after a timeout. */
    private static final int MAX_CONCURRENT_LAUNCHES = 4;

    private static final long LAUNCH_SLOT_TIMEOUT_MS = 10_000;

    private final Vertx vertx;
    private final Path instancesDir;
    private final Map<String, LaunchProfile> profiles;
    private final AppAccount account;
    private final Slots slots;
    private final Slots launchSlots = new Slots(MAX_CONCURRENT_LAUNCHES);
    private final HealthProbe healthProbe;
    private final ProcessTerminator terminator;

    ProcessLauncher(Vertx vertx, Path home, int maxProcesses, Map<String, LaunchProfile> profiles, AppAccount account) {
        this.vertx = vertx;
        this.instancesDir = home.resolve("instances");
        this.profiles = Map.copyOf(profiles);
        this.account = account;
        this.slots = new Slots(maxProcesses);
        this.healthProbe = new HealthProbe(vertx);
        this.terminator = new ProcessTerminator(vertx);
    }

    Vertx vertx() {
        return vertx;
    }

    /** Logs if apps would run as root, or cannot be started. */
    void checkAccount() {
        if (account.obstacle() != null) {
            LOG.atWarn().addKeyValue("directory", instancesDir).log("launches are refused: {}", account.obstacle());
        } else if (account.isRoot()) {
            LOG.atWarn().log("apps run as root, because {} is 0", AppAccount.SETTING);
        }
    }

    Path instancesDir() {
        return instancesDir;
    }

    Slots slots() {
        return slots;
    }

    /** Returns why this spec cannot run here; null if it can. */
    @Nullable
    Failed validate(InstanceSpec spec) {
        if (account.obstacle() != null) {
            return new Failed("apps cannot be started on this machine: " + account.obstacle());
        }
        if (!profiles.containsKey(spec.profile())) {
            return new Failed("unknown profile \"" + spec.profile()
                    + "\"; set the manifest's runtime.profile to one of "
                    + String.join(", ", new TreeSet<>(profiles.keySet())));
        }
        return spec.processes().size() <= slots.limit()
                ? null
                : new Failed("the instance needs " + spec.processes().size()
                        + " processes, but this machine has slots for " + slots.limit());
    }

    LaunchProfile profile(InstanceSpec spec) {
        return Objects.requireNonNull(profiles.get(spec.profile()));
    }

    /** Also works for a profile that has been removed from the configuration. */
    ProcessLimits limits(InstanceSpec spec) {
        var profile = profiles.get(spec.profile());
        return profile == null ? ProcessLimits.NONE : profile.limits();
    }

    /** Acquires more slots. Returns false if the command is canceled while it waits. */
    Future<Boolean> acquireSlots(ManagedInstance instance, int more, Progress progress) {
        if (more <= 0) {
            return Future.succeededFuture(true);
        }
        if (slots.tryAcquire(more)) {
            instance.slots(instance.slots() + more);
            return Future.succeededFuture(true);
        }
        var message = "waiting for a free slot: " + slots.inUse() + " of " + slots.limit() + " in use";
        return progress.reportBlocker(Blocker.ofAdapter("no_free_slot", message))
                .compose(ok -> slots.acquire(more, progress.cancellation()))
                .onSuccess(acquired -> instance.slots(instance.slots() + (acquired ? more : 0)));
    }

    void releaseSlots(ManagedInstance instance, int fewer) {
        instance.slots(instance.slots() - fewer);
        slots.release(fewer);
    }

    /**
     * Launches the processes that do not run and waits until all are healthy. Returns {@link ObservedChange}, {@link Failed} when the state of all is
     * known, or {@link Canceled}, after which some processes may still run.
     */
    Future<Outcome> startAll(Collection<ManagedProcess> procs, InstanceSpec spec, Future<Void> cancelled) {
        var results = new ArrayList<Future<ProbeResult>>();
        for (var process : procs) {
            var attempt = process.nextAttempt();
            cancelled.onSuccess(ok -> {
                if (!attempt.isHealthy()) {
                    process.endAttempt(attempt);
                }
            });
            results.add(start(process, attempt, spec).onSuccess(probeResult -> {
                if (probeResult.failure() != null) {
                    process.markFailed(probeResult.failure());
                }
            }));
        }
        return Future.join(results).transform(done -> {
            if (cancelled.isComplete()) {
                return Future.succeededFuture(new Canceled("canceled"));
            }
            return done.failed() ? Future.failedFuture(done.cause()) : Future.succeededFuture(combine(procs, results));
        });
    }

    private static Outcome combine(Collection<ManagedProcess> procs, List<Future<ProbeResult>> results) {
        var failures = results.stream()
                .map(health -> health.result().failure())
                .filter(Objects::nonNull)
                .toList();
        if (failures.isEmpty()) {
            return new Done();
        }
        return new Failed(
                procs.size() == 1
                        ? failures.get(0)
                        : failures.size() + " of " + procs.size() + " processes: " + failures.get(0));
    }

    /** Launches the process unless it runs, and waits until it is healthy. Fails if the attempt ends first. */
    Future<ProbeResult> start(ManagedProcess process, Attempt attempt, InstanceSpec spec) {
        return launchSlots.acquire(attempt.ended()).compose(acquired -> {
            if (!acquired) {
                return Future.failedFuture("the attempt was canceled");
            }
            var hold = vertx.setTimer(LAUNCH_SLOT_TIMEOUT_MS, timer -> launchSlots.release());
            return launch(process, attempt, spec)
                    .compose(ok -> healthProbe.awaitHealthy(process.directory(), attempt, spec.deploySeconds()))
                    .onSuccess(probeResult -> {
                        if (probeResult.failure() == null) {
                            attempt.markHealthy(probeResult);
                            vertx.setTimer(STABLE_AFTER_MS, timer -> resetRelaunches(process, attempt));
                        }
                    })
                    .onComplete(done -> {
                        if (vertx.cancelTimer(hold)) {
                            launchSlots.release();
                        }
                    });
        });
    }

    private Future<Boolean> launch(ManagedProcess process, Attempt attempt, InstanceSpec spec) {
        return attempt.isEnded()
                ? Future.failedFuture("the attempt was canceled")
                : runBlocking(() -> process.directory().launch(profile(spec), spec, account));
    }

    /** Earlier exits do not count once a process has been stable for some time. */
    private static void resetRelaunches(ManagedProcess process, Attempt attempt) {
        if (attempt.isHealthy()) {
            process.setRelaunches(0);
        }
    }

    /** Terminates these processes of an instance and their children. */
    Future<Void> terminate(ManagedInstance instance, Collection<ManagedProcess> procs) {
        procs.forEach(process -> process.endAttempt(process.attempt()));
        var keys = procs.stream().map(process -> process.spec().key()).collect(Collectors.toSet());
        return terminator.terminate(ProcessTable.byProcesses(instance.id(), keys), procs);
    }

    /** Terminates the remains of a process that is about to be relaunched. Its attempt continues. */
    Future<Void> terminateProcess(ManagedInstance instance, ManagedProcess process) {
        return terminator.terminate(
                ProcessTable.byProcesses(instance.id(), Set.of(process.spec().key())), List.of(process));
    }

    /** Terminates these processes and deletes their directories. */
    Future<Void> terminateAndRemove(ManagedInstance instance, Collection<ManagedProcess> procs) {
        return terminate(instance, procs)
                .compose(ok -> runBlocking(() -> {
                    for (var process : procs) {
                        process.directory().remove();
                    }
                    return null;
                }));
    }

    /** Terminates all processes of these instances, also unknown ones. */
    Future<Void> terminateAll(Collection<ManagedInstance> instances) {
        var procs = instances.stream()
                .flatMap(instance -> instance.processes().stream())
                .toList();
        procs.forEach(process -> process.endAttempt(process.attempt()));
        var ids = instances.stream().map(ManagedInstance::id).collect(Collectors.toSet());
        return ids.isEmpty() ? Future.succeededFuture() : terminator.terminate(ProcessTable.byInstances(ids), procs);
    }

    /** Terminates processes of the instance that are not in its spec, left over from an interrupted command. */
    Future<Void> terminateStrays(ManagedInstance instance, Set<String> wantedKeys) {
        var all = ProcessTable.byInstances(Set.of(instance.id()));
        var wantedProcesses = ProcessTable.byProcesses(instance.id(), wantedKeys);
        return terminator.terminate(all.and(wantedProcesses.negate()), List.of());
    }

    Future<Void> close() {
        return healthProbe.close();
    }

    /** Runs blocking work in order, so that a launch completes before a later termination searches for processes. */
    <T> Future<T> runBlocking(Callable<T> work) {
        return vertx.executeBlocking(work, true);
    }
}

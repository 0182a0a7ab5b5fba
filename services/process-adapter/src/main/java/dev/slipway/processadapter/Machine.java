package dev.slipway.processadapter;

import dev.slipway.adapter.Blocker;
import dev.slipway.adapter.Outcome;
import dev.slipway.adapter.Outcome.Canceled;
import dev.slipway.adapter.Outcome.Done;
import dev.slipway.adapter.Outcome.Failed;
import dev.slipway.adapter.Progress;
import dev.slipway.adapter.Slots;
import dev.slipway.processadapter.Proc.Turn;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;

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

/** What processes are made with: room for so many, launches a few at a time, and their end. */
final class Machine {
    private static final long STABLE_AFTER_MS = TimeUnit.MINUTES.toMillis(10);
    /** Programs that start are hungry: more at once would all be late. A slow one does not hold up the others for ever. */
    private static final int LAUNCHES = 4;

    private static final long LAUNCH_HOLD_MS = 10_000;

    private final Vertx vertx;
    private final Path instances;
    private final Map<String, Profile> profiles;
    private final Slots places;
    private final Slots launches = new Slots(LAUNCHES);
    private final Probe probe;
    private final Ending ending;

    Machine(Vertx vertx, Path home, int maxProcesses, Map<String, Profile> profiles) {
        this.vertx = vertx;
        this.instances = home.resolve("instances");
        this.profiles = Map.copyOf(profiles);
        this.places = new Slots(maxProcesses);
        this.probe = new Probe(vertx);
        this.ending = new Ending(vertx);
    }

    Vertx vertx() {
        return vertx;
    }

    Path instances() {
        return instances;
    }

    Slots places() {
        return places;
    }

    /** Why this cannot run here; null if it can. */
    @Nullable
    Failed refusal(Spec spec) {
        if (!profiles.containsKey(spec.profile())) {
            return new Failed("there is no profile \"" + spec.profile()
                    + "\" here; the manifest's runtime.profile can be "
                    + String.join(", ", new TreeSet<>(profiles.keySet())));
        }
        return spec.parts().size() <= places.limit()
                ? null
                : new Failed("it takes " + spec.parts().size() + " processes, and this machine has places for "
                        + places.limit());
    }

    Profile profile(Spec spec) {
        return Objects.requireNonNull(profiles.get(spec.profile()));
    }

    /** Also of something that could be launched once and cannot now. */
    Limits limits(Spec spec) {
        var profile = profiles.get(spec.profile());
        return profile == null ? Limits.NONE : profile.limits();
    }

    /** Takes so many more places, or answers false when the command is not wanted any more before there is room. */
    Future<Boolean> room(Instance instance, int more, Progress progress) {
        if (more <= 0) {
            return Future.succeededFuture(true);
        }
        if (places.tryAcquire(more)) {
            instance.places(instance.places() + more);
            return Future.succeededFuture(true);
        }
        var message = "waiting for a free slot: " + places.inUse() + " of " + places.limit() + " in use";
        return progress.waitsFor(Blocker.ofAdapter("no_free_slot", message))
                .compose(ok -> places.acquire(more, progress.cancelled()))
                .onSuccess(got -> instance.places(instance.places() + (got ? more : 0)));
    }

    void leave(Instance instance, int fewer) {
        instance.places(instance.places() - fewer);
        places.release(fewer);
    }

    /**
     * Launches those that do not run, and waits until all are healthy: {@link Done}; or {@link Failed} as soon as that is certain of all;
     * or {@link Canceled}, in which case some may run.
     */
    Future<Outcome> raise(Collection<Proc> procs, Spec spec, Future<Void> cancelled) {
        var found = new ArrayList<Future<Health>>();
        for (var proc : procs) {
            var turn = proc.nextTurn();
            cancelled.onSuccess(ok -> {
                if (!turn.isUp()) {
                    proc.end(turn);
                }
            });
            found.add(bring(proc, turn, spec).onSuccess(health -> {
                if (health.failure() != null) {
                    proc.fail(health.failure());
                }
            }));
        }
        return Future.join(found).transform(done -> {
            if (cancelled.isComplete()) {
                return Future.succeededFuture(new Canceled("not wanted any more"));
            }
            return done.failed() ? Future.failedFuture(done.cause()) : Future.succeededFuture(worst(procs, found));
        });
    }

    private static Outcome worst(Collection<Proc> procs, List<Future<Health>> found) {
        var failures = found.stream()
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

    /** Launches the process unless it runs, and waits until it is healthy. Fails when the turn is over before. */
    Future<Health> bring(Proc proc, Turn turn, Spec spec) {
        return launches.acquire(turn.over()).compose(got -> {
            if (!got) {
                return Future.failedFuture("no longer wanted");
            }
            var hold = vertx.setTimer(LAUNCH_HOLD_MS, timer -> launches.release());
            return launch(proc, turn, spec)
                    .compose(ok -> probe.untilHealthy(proc.directory(), turn, spec.deploySeconds()))
                    .onSuccess(health -> {
                        if (health.failure() == null) {
                            turn.up(health);
                            vertx.setTimer(STABLE_AFTER_MS, timer -> calm(proc, turn));
                        }
                    })
                    .onComplete(done -> {
                        if (vertx.cancelTimer(hold)) {
                            launches.release();
                        }
                    });
        });
    }

    private Future<Boolean> launch(Proc proc, Turn turn, Spec spec) {
        return turn.isOver()
                ? Future.failedFuture("no longer wanted")
                : blocking(() -> proc.directory().launch(profile(spec), spec));
    }

    /** Accidents long ago do not count. */
    private static void calm(Proc proc, Turn turn) {
        if (turn.isUp()) {
            proc.countRelaunches(0);
        }
    }

    /** Ends these processes of an instance and what they started. */
    Future<Void> end(Instance instance, Collection<Proc> procs) {
        procs.forEach(proc -> proc.end(proc.turn()));
        var keys = procs.stream().map(proc -> proc.part().key()).collect(Collectors.toSet());
        return ending.of(Processes.ofParts(instance.id(), keys), procs);
    }

    /** Ends what is left of a process that is launched again: its turn goes on. */
    Future<Void> endProcess(Instance instance, Proc proc) {
        return ending.of(Processes.ofParts(instance.id(), Set.of(proc.part().key())), List.of(proc));
    }

    /** Ends these processes, and leaves nothing of them. */
    Future<Void> clear(Instance instance, Collection<Proc> procs) {
        return end(instance, procs)
                .compose(ok -> blocking(() -> {
                    for (var proc : procs) {
                        proc.directory().remove();
                    }
                    return null;
                }));
    }

    /** Ends all that there is of these instances, known or not. */
    Future<Void> endAll(Collection<Instance> ended) {
        var procs =
                ended.stream().flatMap(instance -> instance.procs().stream()).toList();
        procs.forEach(proc -> proc.end(proc.turn()));
        var ids = ended.stream().map(Instance::id).collect(Collectors.toSet());
        return ids.isEmpty() ? Future.succeededFuture() : ending.of(Processes.ofInstances(ids), procs);
    }

    /** Ends what is left of something that was cut off in the middle: processes of the instance that are not to run. */
    Future<Void> endStrays(Instance instance, Set<String> wanted) {
        var all = Processes.ofInstances(Set.of(instance.id()));
        var ours = Processes.ofParts(instance.id(), wanted);
        return ending.of(all.and(ours.negate()), List.of());
    }

    Future<Void> close() {
        return probe.close();
    }

    /** In order: a launch that was asked for first is over before an end looks for what to end. */
    <T> Future<T> blocking(Callable<T> work) {
        return vertx.executeBlocking(work, true);
    }
}

package dev.slipway.processadapter;

import dev.slipway.adapter.DeleteCommand;
import dev.slipway.adapter.DeployCommand;
import dev.slipway.adapter.Outcome;
import dev.slipway.adapter.Outcome.Deleted;
import dev.slipway.adapter.Outcome.Failed;
import dev.slipway.adapter.Outcome.Running;
import dev.slipway.adapter.Progress;
import dev.slipway.adapter.Reports;
import dev.slipway.adapter.RuntimeAdapter;
import dev.slipway.adapter.Slots;
import dev.slipway.processadapter.Child.Turn;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

import static java.util.Objects.requireNonNull;

/**
 * One process per instance, launched from a profile, watched, and launched again when it ends by itself.
 *
 * <p>State lives on one event loop; files and processes are touched by a worker, one call after another.
 */
final class ProcessAdapter implements RuntimeAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(ProcessAdapter.class);
    private static final int RELAUNCHES = 3;
    private static final long RELAUNCH_AFTER_MS = 500;
    private static final long STABLE_AFTER_MS = TimeUnit.MINUTES.toMillis(10);
    private static final long WATCH_EVERY_MS = 500;
    /** Programs that start are hungry: more at once would all be late. A slow one does not hold up the others for ever. */
    private static final int LAUNCHES = 4;

    private static final long LAUNCH_HOLD_MS = 10_000;

    private final Vertx vertx;
    private final Path instances;
    private final Map<String, List<String>> profiles;
    private final Slots places;
    private final Slots launches = new Slots(LAUNCHES);
    private final Probe probe;
    private final Ending ending;
    private final Map<UUID, Child> children = new HashMap<>();
    private @Nullable Reports reports;
    private long watch = -1;

    ProcessAdapter(Vertx vertx, Path home, int maxChildren, Map<String, List<String>> profiles) {
        this.vertx = vertx;
        this.instances = home.resolve("instances");
        this.profiles = profiles;
        this.places = new Slots(maxChildren);
        this.probe = new Probe(vertx);
        this.ending = new Ending(vertx);
    }

    @Override
    public String backend() {
        return "bare_metal";
    }

    /** Takes its processes up again, and launches those that should run and do not. */
    @Override
    public Future<Void> start(Reports reports) {
        this.reports = reports;
        return blocking(this::directories).map(found -> {
            for (var directory : found) {
                var child = new Child(directory);
                children.put(child.instance(), child);
                child.holdPlace(true);
                places.occupy();
                restore(child, child.nextTurn());
            }
            watch = vertx.setPeriodic(WATCH_EVERY_MS, timer -> watch());
            return null;
        });
    }

    private List<InstanceDir> directories() throws Exception {
        Files.createDirectories(instances);
        var found = new ArrayList<InstanceDir>();
        try (var entries = Files.newDirectoryStream(instances)) {
            for (var entry : entries) {
                var directory = new InstanceDir(
                        instances, UUID.fromString(entry.getFileName().toString()));
                if (directory.spec() != null) {
                    found.add(directory);
                }
            }
        }
        return found;
    }

    @Override
    public Future<Outcome> deploy(DeployCommand command, Progress progress) {
        var spec = Spec.of(command);
        var profile = profiles.get(spec.profile());
        if (profile == null) {
            return Future.succeededFuture(unknown(spec));
        }
        var child = child(command.task().appInstanceId());
        var turn = child.nextTurn();
        child.countRelaunches(0);
        progress.cancelled().onSuccess(ok -> endTurn(child, turn));
        return child.exclusively(() -> prepare(child, spec, progress))
                .compose(ready -> ready
                        ? bring(child, turn, spec, profile)
                        : Future.succeededFuture(new Failed("deleted before it was launched")))
                .compose(outcome -> outcome instanceof Failed failed
                        ? giveUp(child, turn).map(failed)
                        : Future.succeededFuture(outcome));
    }

    @Override
    public Future<Outcome> delete(DeleteCommand command, Progress progress) {
        var child = child(command.task().appInstanceId());
        var ignored = child.nextTurn();
        return child.exclusively(() -> ending.of(List.of(child))
                        .compose(ok -> blocking(() -> {
                            child.directory().remove();
                            return null;
                        })))
                .map(ok -> {
                    releasePlace(child);
                    children.remove(child.instance());
                    return new Deleted();
                });
    }

    /** Ends all processes; what should run is still on record, and is launched at the next start. */
    @Override
    public Future<Void> stop() {
        vertx.cancelTimer(watch);
        children.values().forEach(child -> endTurn(child, child.turn()));
        return ending.of(children.values()).eventually(probe::close);
    }

    private Child child(UUID instance) {
        return children.computeIfAbsent(instance, id -> new Child(new InstanceDir(instances, id)));
    }

    private static void endTurn(Child child, Turn turn) {
        if (child.turn() == turn) {
            var ignored = child.nextTurn();
        }
    }

    /** Answers false when the instance is to be deleted before it got a place. */
    private Future<Boolean> prepare(Child child, Spec spec, Progress progress) {
        return place(child, progress)
                .compose(got -> got ? replace(child, spec).map(true) : Future.succeededFuture(false));
    }

    private Future<Boolean> place(Child child, Progress progress) {
        if (child.holdsPlace() || places.tryAcquire()) {
            child.holdPlace(true);
            return Future.succeededFuture(true);
        }
        return progress.say("waiting for a free slot: " + places.inUse() + " of " + places.limit() + " in use")
                .compose(ok -> places.acquire(progress.cancelled()))
                .onSuccess(child::holdPlace);
    }

    private void releasePlace(Child child) {
        if (child.holdsPlace()) {
            child.holdPlace(false);
            places.release();
        }
    }

    /** A process of another generation makes room first. */
    private Future<Void> replace(Child child, Spec spec) {
        return blocking(() -> {
                    var current = child.directory().spec();
                    return current == null || current.equals(spec);
                })
                .compose(same -> same ? Future.<Void>succeededFuture() : ending.of(List.of(child)))
                .compose(ok -> blocking(() -> {
                    child.directory().write(spec);
                    return null;
                }));
    }

    /** Launches the process unless it runs, and waits until it is healthy. Fails when the turn is over before. */
    private Future<Outcome> bring(Child child, Turn turn, Spec spec, List<String> profile) {
        return launches.acquire(turn.over()).compose(got -> {
            if (!got) {
                return Future.failedFuture("no longer wanted");
            }
            var hold = vertx.setTimer(LAUNCH_HOLD_MS, timer -> launches.release());
            return launch(child, turn, spec, profile)
                    .compose(ok -> probe.untilHealthy(child.directory(), turn, spec.deploySeconds()))
                    .onSuccess(outcome -> {
                        if (outcome instanceof Running) {
                            turn.up();
                            vertx.setTimer(STABLE_AFTER_MS, timer -> calm(child, turn));
                        }
                    })
                    .onComplete(done -> {
                        if (vertx.cancelTimer(hold)) {
                            launches.release();
                        }
                    });
        });
    }

    private Future<Void> launch(Child child, Turn turn, Spec spec, List<String> profile) {
        return turn.isOver()
                ? Future.failedFuture("no longer wanted")
                : blocking(() -> {
                    child.directory().launch(profile, spec);
                    return null;
                });
    }

    /** Accidents long ago do not count. */
    private static void calm(Child child, Turn turn) {
        if (turn.isUp()) {
            child.countRelaunches(0);
        }
    }

    private void watch() {
        var watched = new HashMap<Child, Turn>();
        children.values().stream()
                .filter(child -> child.turn().isUp())
                .forEach(child -> watched.put(child, child.turn()));
        blocking(() -> {
                    var dead = new ArrayList<Child>();
                    for (var child : watched.keySet()) {
                        child.directory().boundLog();
                        if (!child.directory().isAlive()) {
                            dead.add(child);
                        }
                    }
                    return dead;
                })
                .onSuccess(dead -> dead.stream()
                        .filter(child -> child.turn() == watched.get(child))
                        .forEach(child -> relaunch(child, child.nextTurn(), "the process ended by itself")))
                .onFailure(e -> LOG.atWarn().setCause(e).log("cannot look after the processes; goes on"));
    }

    private void relaunch(Child child, Turn turn, String why) {
        if (turn.isOver()) {
            return;
        }
        if (child.relaunches() == RELAUNCHES) {
            fail(child, turn, new Failed(why + ", also after " + RELAUNCHES + " more launches"));
            return;
        }
        child.countRelaunches(child.relaunches() + 1);
        LOG.atWarn()
                .addKeyValue("app_instance_id", child.instance())
                .addKeyValue("attempt", child.relaunches())
                .log("will launch again: {}", why);
        vertx.setTimer(RELAUNCH_AFTER_MS << (child.relaunches() - 1), timer -> restore(child, turn));
    }

    /** Makes what is on record run, and reports where: a new process has a new port. */
    private void restore(Child child, Turn turn) {
        if (turn.isOver()) {
            return;
        }
        blocking(child.directory()::requireSpec)
                .compose(spec -> {
                    var profile = profiles.get(spec.profile());
                    return profile == null ? Future.succeededFuture(unknown(spec)) : bring(child, turn, spec, profile);
                })
                .compose(outcome -> outcome instanceof Failed failed
                        ? clear(child, turn).onSuccess(ok -> relaunch(child, turn, failed.reason()))
                        : requireNonNull(reports).report(child.instance(), outcome))
                .onFailure(e -> {
                    if (!turn.isOver()) {
                        LOG.atError()
                                .addKeyValue("app_instance_id", child.instance())
                                .setCause(e)
                                .log("a process cannot be launched");
                        relaunch(child, turn, "the process could not be launched");
                    }
                });
    }

    /** First the report, then the end of the record: a crash in between leaves an instance that is tried once more. */
    private void fail(Child child, Turn turn, Failed failed) {
        requireNonNull(reports)
                .report(child.instance(), failed)
                .compose(ok -> giveUp(child, turn))
                .onFailure(e -> LOG.atError()
                        .addKeyValue("app_instance_id", child.instance())
                        .setCause(e)
                        .log("a failed process could not be cleared away"));
    }

    /** The instance should not run any more; its log stays until it is deleted. */
    private Future<Void> giveUp(Child child, Turn turn) {
        return child.exclusively(() -> turn.isOver()
                ? Future.succeededFuture()
                : ending.of(List.of(child)).compose(ok -> withdraw(child)));
    }

    private Future<Void> clear(Child child, Turn turn) {
        return child.exclusively(() -> turn.isOver() ? Future.succeededFuture() : ending.of(List.of(child)));
    }

    private Future<Void> withdraw(Child child) {
        return blocking(() -> {
                    child.directory().removeSpec();
                    return (Void) null;
                })
                .onSuccess(ok -> releasePlace(child));
    }

    private Failed unknown(Spec spec) {
        return new Failed("there is no profile \"" + spec.profile() + "\" here; the manifest's runtime.profile can be "
                + String.join(", ", new TreeSet<>(profiles.keySet())));
    }

    /** In order: a launch that was asked for first is over before an end looks for what to end. */
    private <T> Future<T> blocking(Callable<T> work) {
        return vertx.executeBlocking(work, true);
    }
}

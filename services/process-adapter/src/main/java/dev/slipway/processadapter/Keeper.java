package dev.slipway.processadapter;

import dev.slipway.adapter.MemberState;
import dev.slipway.adapter.MemberState.State;
import dev.slipway.adapter.Outcome.Failed;
import dev.slipway.adapter.Outcome.Running;
import dev.slipway.adapter.Reports;
import dev.slipway.processadapter.Proc.Turn;
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

/** Looks after what runs: launches again what ends by itself, and says what became of it. */
final class Keeper {
    private static final Logger LOG = LoggerFactory.getLogger(Keeper.class);
    private static final int RELAUNCHES = 3;
    private static final long RELAUNCH_AFTER_MS = 500;

    private final Machine machine;
    private final Reports reports;
    private final UsageMeter usage;
    private final Supplier<Collection<Instance>> instances;

    Keeper(Machine machine, Reports reports, UsageMeter usage, Supplier<Collection<Instance>> instances) {
        this.machine = machine;
        this.reports = reports;
        this.usage = usage;
        this.instances = instances;
    }

    /** Makes what is on record run, and reports where: a new process has a new port. */
    void restore(Instance instance) {
        var spec = instance.requireSpec();
        var wanted = spec.parts().stream().map(Part::key).collect(Collectors.toSet());
        var procs = instance.procs();
        var turns = new HashMap<Proc, Turn>();
        procs.forEach(proc -> turns.put(proc, proc.nextTurn()));
        instance.exclusively(() -> machine.endStrays(instance, wanted))
                .compose(ok -> machine.blocking(() -> {
                    var running = 0;
                    for (var proc : procs) {
                        running += proc.directory().isAlive() ? 1 : 0;
                    }
                    return running > 0;
                }))
                .compose(ranMeanwhile -> Future.join(procs.stream()
                                .map(proc -> revive(instance, proc, requireNonNull(turns.get(proc))))
                                .toList())
                        .transform(done -> usage.resume(instance, ranMeanwhile)))
                .compose(ok -> instance.endpoints().isEmpty() ? Future.succeededFuture() : tell(instance, procs))
                .onFailure(e -> LOG.atError()
                        .addKeyValue("app_instance_id", instance.id())
                        .setCause(e)
                        .log("an instance could not be taken up again"));
    }

    /** Reports where the instance is now, and how these members are. */
    Future<Void> tell(Instance instance, Collection<Proc> procs) {
        return instance.spec() == null
                ? Future.succeededFuture()
                : tellMembers(instance, procs).compose(ok -> report(instance));
    }

    private Future<Void> tellMembers(Instance instance, Collection<Proc> procs) {
        var limits = machine.limits(instance.requireSpec());
        var up = procs.stream().filter(proc -> proc.turn().isUp()).toList();
        var failed = procs.stream().filter(Proc::hasFailed).toList();
        var states = new ArrayList<>(Instance.states(up, State.READY, limits));
        states.addAll(Instance.states(failed, State.FAILED, limits));
        return states.isEmpty() ? Future.succeededFuture() : reports.members(instance.id(), states);
    }

    /** Reports of processes that have ended that their members are gone, but for those that another process is now. */
    Future<Void> tellRemoved(Instance instance, Collection<Proc> ended) {
        var spec = instance.spec();
        var present = instance.procs().stream()
                .map(proc -> String.valueOf(proc.part().memberId()))
                .toList();
        var gone = ended.stream()
                .filter(proc -> !present.contains(String.valueOf(proc.part().memberId())))
                .toList();
        var states = spec == null ? List.<MemberState>of() : Instance.states(gone, State.REMOVED, machine.limits(spec));
        return states.isEmpty() ? Future.succeededFuture() : reports.members(instance.id(), states);
    }

    /** Reports where the instance is, if that is news. */
    Future<Void> tellIfMoved(Instance instance) {
        return instance.endpoints().equals(instance.told()) ? Future.succeededFuture() : report(instance);
    }

    private Future<Void> report(Instance instance) {
        instance.told(instance.endpoints());
        return reports.report(instance.id(), new Running(instance.endpoints()));
    }

    void watch() {
        var watched = new HashMap<Proc, Turn>();
        var owners = new HashMap<Proc, Instance>();
        for (var instance : instances.get()) {
            for (var proc : instance.procs()) {
                if (proc.turn().isUp()) {
                    watched.put(proc, proc.turn());
                    owners.put(proc, instance);
                }
            }
        }
        machine.blocking(() -> {
                    var dead = new ArrayList<Proc>();
                    for (var proc : watched.keySet()) {
                        proc.directory().boundLog();
                        if (!proc.directory().isAlive()) {
                            dead.add(proc);
                        }
                    }
                    return dead;
                })
                .onSuccess(dead -> dead.stream()
                        .filter(proc -> proc.turn() == watched.get(proc))
                        .forEach(proc -> relaunch(
                                requireNonNull(owners.get(proc)),
                                proc,
                                proc.nextTurn(),
                                "the process ended by itself")))
                .onFailure(e -> LOG.atWarn().setCause(e).log("cannot look after the processes; goes on"));
    }

    private void relaunch(Instance instance, Proc proc, Turn turn, String why) {
        if (turn.isOver()) {
            return;
        }
        if (proc.relaunches() == RELAUNCHES) {
            fail(instance, proc, turn, why + ", also after " + RELAUNCHES + " more launches");
            return;
        }
        proc.countRelaunches(proc.relaunches() + 1);
        LOG.atWarn()
                .addKeyValue("app_instance_id", instance.id())
                .addKeyValue("process", proc.part().key())
                .addKeyValue("attempt", proc.relaunches())
                .log("will launch again: {}", why);
        machine.vertx().setTimer(RELAUNCH_AFTER_MS << (proc.relaunches() - 1), timer -> revive(instance, proc, turn)
                .compose(up -> up ? tell(instance, List.of(proc)) : Future.succeededFuture())
                .onFailure(e -> LOG.atError()
                        .addKeyValue("app_instance_id", instance.id())
                        .setCause(e)
                        .log("it could not be reported that a process runs again")));
    }

    /** Answers whether it is up. If it is not, it is tried again later. */
    private Future<Boolean> revive(Instance instance, Proc proc, Turn turn) {
        var spec = instance.spec();
        if (turn.isOver() || spec == null) {
            return Future.succeededFuture(false);
        }
        var refusal = machine.refusal(spec);
        var brought = refusal == null
                ? machine.bring(proc, turn, spec)
                : Future.succeededFuture(Health.failed(refusal.reason()));
        return brought.compose(health -> {
                    var failure = health.failure();
                    return failure == null
                            ? Future.succeededFuture(true)
                            : clear(instance, proc, turn)
                                    .onSuccess(ok -> relaunch(instance, proc, turn, failure))
                                    .map(false);
                })
                .otherwise(e -> {
                    if (!turn.isOver()) {
                        LOG.atError()
                                .addKeyValue("app_instance_id", instance.id())
                                .setCause(e)
                                .log("a process cannot be launched");
                        relaunch(instance, proc, turn, "the process could not be launched");
                    }
                    return false;
                });
    }

    private Future<Void> clear(Instance instance, Proc proc, Turn turn) {
        return instance.exclusively(
                () -> turn.isOver() ? Future.succeededFuture() : machine.endProcess(instance, proc));
    }

    /** The instance has failed when its last process has. First the report, then the end: a crash in between leaves one that is tried again. */
    private void fail(Instance instance, Proc proc, Turn turn, String reason) {
        proc.fail(reason);
        var others = instance.procs().stream().anyMatch(other -> other != proc && !other.hasFailed());
        var done = others
                ? clear(instance, proc, turn).compose(ok -> tell(instance, List.of(proc)))
                : tellMembers(instance, List.of(proc))
                        .compose(ok -> reports.report(instance.id(), new Failed(reason)))
                        .compose(ok -> giveUp(instance, turn));
        done.onFailure(e -> LOG.atError()
                .addKeyValue("app_instance_id", instance.id())
                .setCause(e)
                .log("a failed process could not be cleared away"));
    }

    private Future<Void> giveUp(Instance instance, Turn turn) {
        return turn.isOver() ? Future.succeededFuture() : giveUp(instance);
    }

    /** The instance should not run any more; its logs stay until it is deleted. */
    Future<Void> giveUp(Instance instance) {
        return instance.exclusively(() -> machine.endAll(List.of(instance))
                .compose(ok -> usage.close(instance))
                .compose(ok -> machine.blocking(() -> {
                    instance.directory().removeSpec();
                    return (Void) null;
                }))
                .onSuccess(ok -> {
                    instance.noSpec();
                    machine.leave(instance, instance.places());
                }));
    }
}

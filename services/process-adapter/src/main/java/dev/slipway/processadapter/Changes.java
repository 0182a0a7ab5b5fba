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

/** Has an instance run a version: at first, or instead of another. */
final class Changes {
    private static final Logger LOG = LoggerFactory.getLogger(Changes.class);
    /** Whoever has the old address may still use it until the new one has been told. */
    private static final long OLD_ENDS_AFTER_MS = 2_000;

    private static final Canceled UNWANTED = new Canceled("not wanted any more before there was room");

    private final Machine machine;
    private final Keeper keeper;
    private final UsageMeter usage;

    Changes(Machine machine, Keeper keeper, UsageMeter usage) {
        this.machine = machine;
        this.keeper = keeper;
        this.usage = usage;
    }

    Future<Outcome> deploy(Instance instance, Spec spec, Progress progress) {
        instance.procs().forEach(proc -> proc.countRelaunches(0));
        return instance.exclusively(() -> prepare(instance, spec, progress))
                .compose(ready -> ready
                        ? joining(instance, progress)
                                .compose(ok -> machine.raise(instance.procs(), spec, progress.cancelled()))
                        : Future.succeededFuture(UNWANTED))
                .compose(outcome -> {
                    if (outcome instanceof Done) {
                        return running(instance, progress);
                    }
                    return failed(instance, progress)
                            .compose(ok -> keeper.giveUp(instance))
                            .map(outcome);
                });
    }

    /** Answers false when the instance is not wanted any more before it got its places. */
    private Future<Boolean> prepare(Instance instance, Spec asked, Progress progress) {
        var current = instance.spec();
        var spec = current == null ? asked : asked.keeping(current);
        return replace(instance, spec)
                .compose(ok -> machine.room(instance, spec.parts().size() - instance.places(), progress))
                .compose(got -> got
                        ? machine.blocking(() -> {
                                    instance.directory().write(spec);
                                    return true;
                                })
                                .onSuccess(written -> instance.spec(spec))
                        : Future.succeededFuture(false));
    }

    /** Processes that are not wanted any more, or are of another generation, make room first. */
    private Future<Void> replace(Instance instance, Spec spec) {
        var keys = spec.parts().stream().map(Part::key).toList();
        var old = Stream.concat(instance.procs().stream(), instance.outgoing().stream())
                .filter(proc -> !keys.contains(proc.part().key()))
                .toList();
        instance.outgoing().clear();
        return old.isEmpty()
                ? Future.succeededFuture()
                : machine.clear(instance, old).onSuccess(ok -> machine.leave(instance, old.size()));
    }

    /** The new beside the old; when all of it is healthy it takes over, and the old ends. If it is not, the old has not noticed. */
    Future<Outcome> upgrade(Instance instance, Spec next, Progress progress) {
        var current = instance.spec();
        if (current == null || current.generation() >= next.generation()) {
            return deploy(instance, next, progress); // it has taken over already, or there is nothing to keep running
        }
        var procs = next.parts().stream()
                .map(part -> new Proc(instance.directory(), part))
                .toList();
        // Behind whatever clears away what an adapter before this has left: it must not hit what is launched now.
        Future<Boolean> room = instance.exclusively(() -> Future.<Void>succeededFuture())
                .compose(ok -> machine.room(instance, procs.size(), progress));
        return room.compose(got -> {
            if (!got) {
                return Future.succeededFuture(UNWANTED);
            }
            return progress.say(10, "launching " + next.version() + " beside " + current.version())
                    .compose(ok -> machine.raise(procs, next, progress.cancelled()))
                    .compose(outcome -> outcome instanceof Done
                            ? takeOver(instance, next, procs, progress)
                            : withdraw(instance, procs).map(outcome));
        });
    }

    private Future<Outcome> takeOver(Instance instance, Spec next, List<Proc> procs, Progress progress) {
        var old = instance.procs();
        return instance.exclusively(() -> machine.blocking(() -> {
                            instance.directory().write(next);
                            return null;
                        })
                        .onSuccess(ok -> instance.spec(next, procs)))
                .compose(ok -> {
                    instance.outgoing().addAll(old);
                    machine.vertx().setTimer(OLD_ENDS_AFTER_MS, timer -> retire(instance, old));
                    return running(instance, progress);
                });
    }

    /** If this adapter ends before, its next start ends them; if the instance does, they are gone with it. */
    private void retire(Instance instance, List<Proc> old) {
        if (!instance.outgoing().containsAll(old)) {
            return;
        }
        instance.outgoing().removeAll(old);
        withdraw(instance, old).compose(ok -> keeper.tellRemoved(instance, old)).onFailure(e -> LOG.atError()
                .addKeyValue("app_instance_id", instance.id())
                .setCause(e)
                .log("processes of the version before do not end"));
    }

    private Future<Void> withdraw(Instance instance, List<Proc> procs) {
        return instance.exclusively(() -> machine.clear(instance, procs))
                .onSuccess(ok -> machine.leave(instance, procs.size()));
    }

    private Future<Void> joining(Instance instance, Progress progress) {
        var limits = machine.limits(instance.requireSpec());
        return progress.members(Instance.states(instance.procs(), State.JOINING, limits));
    }

    private Future<Outcome> running(Instance instance, Progress progress) {
        var limits = machine.limits(instance.requireSpec());
        return usage.begin(instance)
                .compose(ok -> progress.members(Instance.states(instance.procs(), State.READY, limits)))
                .map(ok -> {
                    instance.told(instance.endpoints());
                    return new Running(instance.endpoints());
                });
    }

    private Future<Void> failed(Instance instance, Progress progress) {
        var spec = instance.spec();
        var failed = instance.procs().stream().filter(Proc::hasFailed).toList();
        return spec == null
                ? Future.succeededFuture()
                : progress.members(Instance.states(failed, State.FAILED, machine.limits(spec)));
    }
}

package dev.slipway.processadapter;

import dev.slipway.adapter.Member;
import dev.slipway.adapter.MemberState.State;
import dev.slipway.adapter.Outcome;
import dev.slipway.adapter.Outcome.Canceled;
import dev.slipway.adapter.Outcome.Done;
import dev.slipway.adapter.Outcome.Failed;
import dev.slipway.adapter.Progress;
import io.vertx.core.Future;

import java.util.List;

import static java.util.Objects.requireNonNull;

/** Adds members to a running instance and takes them away. The others do not notice. */
final class MemberWork {
    private final Machine machine;
    private final Keeper keeper;
    private final Instance instance;
    private final Progress progress;

    MemberWork(Machine machine, Keeper keeper, Instance instance, Progress progress) {
        this.machine = machine;
        this.keeper = keeper;
        this.instance = instance;
        this.progress = progress;
    }

    Future<Outcome> add(Member member) {
        var known = instance.proc(member);
        return known == null
                ? launch(member)
                : change(instance.requireSpec().change(known.part(), part -> part.as(member)))
                        .compose(ok -> raise(known));
    }

    private Future<Outcome> launch(Member member) {
        var part = Part.of(member, instance.requireSpec().generation());
        return machine.room(instance, 1, progress)
                .compose(got -> got
                        ? change(instance.requireSpec().with(part))
                                .compose(ok -> raise(requireNonNull(instance.proc(member))))
                        : Future.succeededFuture(new Canceled("not wanted any more before there was room")));
    }

    private Future<Outcome> raise(Proc proc) {
        return say(proc, State.JOINING)
                .compose(ok -> machine.raise(List.of(proc), instance.requireSpec(), progress.cancelled()))
                .compose(outcome -> outcome instanceof Done
                        ? say(proc, State.READY)
                                .compose(ok -> keeper.tellIfMoved(instance))
                                .map(outcome)
                        : say(proc, outcome instanceof Canceled ? State.REMOVED : State.FAILED)
                                .compose(ok -> takeAway(proc))
                                .map(outcome));
    }

    /** It goes on running, but no endpoint leads to it any more. */
    Future<Outcome> drain(Member member) {
        var proc = instance.proc(member);
        if (proc == null) {
            return Future.succeededFuture(new Failed("there is no member " + member.memberId() + " here"));
        }
        return change(instance.requireSpec()
                        .change(proc.part(), part -> part.as(member).asDrained()))
                .compose(ok -> say(proc, State.DRAINING))
                .compose(ok -> keeper.tellIfMoved(instance))
                .map(new Done());
    }

    /** Of one that is not there, nothing is left either. */
    Future<Outcome> remove(Member member) {
        var known = instance.proc(member);
        var proc = known == null
                ? new Proc(
                        instance.directory(),
                        Part.of(member, instance.requireSpec().generation()))
                : known;
        proc.part(proc.part().as(member));
        var done = known == null
                ? Future.<Void>succeededFuture()
                : takeAway(proc).compose(ok -> keeper.tellIfMoved(instance));
        return done.compose(ok -> say(proc, State.REMOVED)).map(new Done());
    }

    /** First the new one, so that there are never fewer. */
    Future<Outcome> replace(Member member, Member replacement) {
        return add(replacement)
                .compose(outcome -> outcome instanceof Done ? remove(member) : Future.succeededFuture(outcome));
    }

    private Future<Void> takeAway(Proc proc) {
        return change(instance.requireSpec().without(proc.part()))
                .compose(ok -> instance.exclusively(() -> machine.clear(instance, List.of(proc))))
                .onSuccess(ok -> machine.leave(instance, 1));
    }

    private Future<Void> change(Spec spec) {
        return instance.exclusively(() -> machine.blocking(() -> {
                    instance.directory().write(spec);
                    return (Void) null;
                })
                .onSuccess(ok -> instance.spec(spec)));
    }

    private Future<Void> say(Proc proc, State state) {
        var limits = machine.limits(instance.requireSpec());
        return progress.members(Instance.states(List.of(proc), state, limits));
    }
}

package dev.slipway.processadapter;

import dev.slipway.adapter.MemberRef;
import dev.slipway.adapter.MemberState.State;
import dev.slipway.adapter.Outcome;
import dev.slipway.adapter.Outcome.Canceled;
import dev.slipway.adapter.Outcome.Done;
import dev.slipway.adapter.Outcome.Failed;
import dev.slipway.adapter.Progress;
import io.vertx.core.Future;

import java.util.List;

import static java.util.Objects.requireNonNull;

/** Adds, drains, removes and replaces members of a running instance without affecting the others. */
final class MemberCommandHandler {
    private final ProcessLauncher launcher;
    private final ProcessSupervisor supervisor;
    private final ManagedInstance instance;
    private final Progress progress;

    MemberCommandHandler(
            ProcessLauncher processLauncher,
            ProcessSupervisor processSupervisor,
            ManagedInstance instance,
            Progress progress) {
        this.launcher = processLauncher;
        this.supervisor = processSupervisor;
        this.instance = instance;
        this.progress = progress;
    }

    Future<Outcome> add(MemberRef memberRef) {
        var existing = instance.findProcess(memberRef);
        return existing == null
                ? addNew(memberRef)
                : updateSpec(instance.requireSpec()
                                .updateProcess(existing.spec(), processSpec -> processSpec.withGenerationOf(memberRef)))
                        .compose(ok -> startAndReport(existing));
    }

    private Future<Outcome> addNew(MemberRef memberRef) {
        var processSpec =
                ProcessSpec.forMember(memberRef, instance.requireSpec().generation());
        return launcher.acquireSlots(instance, 1, progress)
                .compose(acquired -> acquired
                        ? updateSpec(instance.requireSpec().withProcess(processSpec))
                                .compose(ok -> startAndReport(requireNonNull(instance.findProcess(memberRef))))
                        : Future.succeededFuture(new Canceled("canceled while waiting for a free slot")));
    }

    private Future<Outcome> startAndReport(ManagedProcess process) {
        return reportState(process, State.JOINING)
                .compose(ok -> launcher.startAll(List.of(process), instance.requireSpec(), progress.cancellation()))
                .compose(outcome -> outcome instanceof Done
                        ? reportState(process, State.READY)
                                .compose(ok -> supervisor.reportIfEndpointsChanged(instance))
                                .map(outcome)
                        : reportState(process, outcome instanceof Canceled ? State.REMOVED : State.FAILED)
                                .compose(ok -> removeProcess(process))
                                .map(outcome));
    }

    /** Keeps the member running, but no endpoint refers to it any more. */
    Future<Outcome> drain(MemberRef memberRef) {
        var process = instance.findProcess(memberRef);
        if (process == null) {
            return Future.succeededFuture(new Failed("unknown member " + memberRef.memberId()));
        }
        return updateSpec(instance.requireSpec().updateProcess(process.spec(), processSpec -> processSpec
                        .withGenerationOf(memberRef)
                        .withDrained()))
                .compose(ok -> launcher.runBlocking(() -> {
                    process.directory().markDrained();
                    return null;
                }))
                .compose(ok -> reportState(process, State.DRAINING))
                .compose(ok -> supervisor.reportIfEndpointsChanged(instance))
                .map(new Done());
    }

    /** Also succeeds for a member that does not exist. */
    Future<Outcome> remove(MemberRef memberRef) {
        var existing = instance.findProcess(memberRef);
        var process = existing == null
                ? new ManagedProcess(
                        instance.directory(),
                        ProcessSpec.forMember(memberRef, instance.requireSpec().generation()))
                : existing;
        process.spec(process.spec().withGenerationOf(memberRef));
        var done = existing == null
                ? Future.<Void>succeededFuture()
                : removeProcess(process).compose(ok -> supervisor.reportIfEndpointsChanged(instance));
        return done.compose(ok -> reportState(process, State.REMOVED)).map(new Done());
    }

    /** Adds the new member first, so that the number of members never drops. */
    Future<Outcome> replace(MemberRef memberRef, MemberRef replacement) {
        return add(replacement)
                .compose(outcome -> outcome instanceof Done ? remove(memberRef) : Future.succeededFuture(outcome));
    }

    private Future<Void> removeProcess(ManagedProcess process) {
        return updateSpec(instance.requireSpec().withoutProcess(process.spec()))
                .compose(ok -> instance.runExclusively(() -> launcher.terminateAndRemove(instance, List.of(process))))
                .onSuccess(ok -> launcher.releaseSlots(instance, 1));
    }

    private Future<Void> updateSpec(InstanceSpec spec) {
        return instance.runExclusively(() -> launcher.runBlocking(() -> {
                    instance.directory().write(spec);
                    return (Void) null;
                })
                .onSuccess(ok -> instance.spec(spec)));
    }

    private Future<Void> reportState(ManagedProcess process, State state) {
        var limits = launcher.limits(instance.requireSpec());
        return progress.reportMembers(ManagedInstance.memberStates(List.of(process), state, limits));
    }
}

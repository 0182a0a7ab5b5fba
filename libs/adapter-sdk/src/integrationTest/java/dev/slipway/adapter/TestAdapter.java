package dev.slipway.adapter;

import dev.slipway.adapter.MemberState.State;
import dev.slipway.adapter.Outcome.Canceled;
import dev.slipway.adapter.Outcome.Deleted;
import dev.slipway.adapter.Outcome.Done;
import dev.slipway.adapter.Outcome.Endpoint;
import dev.slipway.adapter.Outcome.Running;
import dev.slipway.contract.Json;
import io.vertx.core.Future;
import io.vertx.core.Promise;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** A scriptable adapter: commands for an instance with a gate wait until the gate completes. */
final class TestAdapter implements RuntimeAdapter {
    static final Running RUNNING = new Running(List.of(new Endpoint("http", "http://127.0.0.1:1")));

    final List<UUID> deployed = new CopyOnWriteArrayList<>();
    final List<UUID> deleted = new CopyOnWriteArrayList<>();
    /** Other executed commands, as type and instance id. */
    final List<String> operations = new CopyOnWriteArrayList<>();

    final Map<UUID, Promise<Outcome>> gates = new ConcurrentHashMap<>();
    final Set<UUID> runtime = ConcurrentHashMap.newKeySet();
    volatile boolean failsOnce;

    @Override
    public String backend() {
        return "bare_metal";
    }

    @Override
    public Future<Set<UUID>> listInstances(Set<UUID> journaled) {
        return Future.succeededFuture(Set.copyOf(runtime));
    }

    @Override
    public Future<Outcome> deploy(DeployCommand command, Progress progress) {
        var instance = command.task().subjectId();
        deployed.add(instance);
        if (failsOnce) {
            failsOnce = false;
            throw new IllegalStateException("adapter bug");
        }
        runtime.add(instance);
        return wait(instance, progress, RUNNING);
    }

    @Override
    public Future<Outcome> upgrade(UpgradeCommand command, Progress progress) {
        operations.add("upgrade " + command.task().subjectId());
        return progress.report(40, "starting the new version")
                .compose(ok -> progress.reportBlocker(Blocker.ofAdapter("no_room", "the machine is full")))
                .compose(ok -> wait(command.task().subjectId(), progress, RUNNING));
    }

    @Override
    public Future<Outcome> changeMember(MemberCommand command, Progress progress) {
        operations.add(command.operation().text() + " " + command.task().subjectId());
        var state = MemberState.of(command.member(), State.READY, "node-7");
        return progress.reportMembers(List.of(state)).map(new Done());
    }

    @Override
    public Future<Outcome> operate(OperateCommand command, Progress progress) {
        var instance = command.task().subjectId();
        operations.add(command.operation() + " " + instance);
        return wait(instance, progress, new Done(Json.object().put("answer", 42)));
    }

    @Override
    public Future<Outcome> delete(DeleteCommand command, Progress progress) {
        var instance = command.task().subjectId();
        deleted.add(instance);
        runtime.remove(instance);
        return Future.succeededFuture(new Deleted());
    }

    private Future<Outcome> wait(UUID instance, Progress progress, Outcome outcome) {
        var gate = gates.get(instance);
        if (gate == null) {
            return Future.succeededFuture(outcome);
        }
        progress.cancellation().onSuccess(ok -> gate.tryComplete(new Canceled("canceled")));
        return gate.future();
    }
}

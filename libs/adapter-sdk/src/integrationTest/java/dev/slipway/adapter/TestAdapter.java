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

/** Does what it is asked when it is let: an instance with a gate waits for it. */
final class TestAdapter implements RuntimeAdapter {
    static final Running RUNNING = new Running(List.of(new Endpoint("http", "http://127.0.0.1:1")));

    final List<UUID> deployed = new CopyOnWriteArrayList<>();
    final List<UUID> deleted = new CopyOnWriteArrayList<>();
    /** What else was done: the command's word and its instance. */
    final List<String> done = new CopyOnWriteArrayList<>();

    final Map<UUID, Promise<Outcome>> gates = new ConcurrentHashMap<>();
    final Set<UUID> world = ConcurrentHashMap.newKeySet();
    volatile boolean breaks;

    @Override
    public String backend() {
        return "bare_metal";
    }

    @Override
    public Future<Set<UUID>> owned(Set<UUID> onRecord) {
        return Future.succeededFuture(Set.copyOf(world));
    }

    @Override
    public Future<Outcome> deploy(DeployCommand command, Progress progress) {
        var instance = command.task().appInstanceId();
        deployed.add(instance);
        if (breaks) {
            breaks = false;
            throw new IllegalStateException("a bug of the adapter");
        }
        world.add(instance);
        return wait(instance, progress, RUNNING);
    }

    @Override
    public Future<Outcome> upgrade(UpgradeCommand command, Progress progress) {
        done.add("upgrade " + command.task().appInstanceId());
        return progress.say(40, "the new one starts")
                .compose(ok -> progress.waitsFor(Blocker.ofAdapter("no_room", "the machine is full")))
                .compose(ok -> wait(command.task().appInstanceId(), progress, RUNNING));
    }

    @Override
    public Future<Outcome> member(MemberCommand command, Progress progress) {
        done.add(command.operation().text() + " " + command.task().appInstanceId());
        var state = MemberState.of(command.member(), State.READY, "node-7");
        return progress.members(List.of(state)).map(new Done());
    }

    @Override
    public Future<Outcome> operate(OperateCommand command, Progress progress) {
        var instance = command.task().appInstanceId();
        done.add(command.operation() + " " + instance);
        return wait(instance, progress, new Done(Json.object().put("answer", 42)));
    }

    @Override
    public Future<Outcome> delete(DeleteCommand command, Progress progress) {
        var instance = command.task().appInstanceId();
        deleted.add(instance);
        world.remove(instance);
        return Future.succeededFuture(new Deleted());
    }

    private Future<Outcome> wait(UUID instance, Progress progress, Outcome outcome) {
        var gate = gates.get(instance);
        if (gate == null) {
            return Future.succeededFuture(outcome);
        }
        progress.cancelled().onSuccess(ok -> gate.tryComplete(new Canceled("not wanted any more")));
        return gate.future();
    }
}

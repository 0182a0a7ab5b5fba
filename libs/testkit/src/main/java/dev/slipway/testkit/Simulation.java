package dev.slipway.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.adapter.Blocker;
import dev.slipway.adapter.DeleteCommand;
import dev.slipway.adapter.DeployCommand;
import dev.slipway.adapter.Member;
import dev.slipway.adapter.MemberCommand;
import dev.slipway.adapter.MemberState;
import dev.slipway.adapter.MemberState.State;
import dev.slipway.adapter.OperateCommand;
import dev.slipway.adapter.Outcome;
import dev.slipway.adapter.Progress;
import dev.slipway.adapter.RuntimeAdapter;
import dev.slipway.adapter.Task;
import dev.slipway.adapter.UpgradeCommand;
import dev.slipway.contract.Json;
import dev.slipway.testkit.SimulatedAdapter.World;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.BiFunction;

/** What the simulated adapter does: it writes down what it was asked, and says that it is done. */
final class Simulation implements RuntimeAdapter {
    static final String DEPLOYED = "deployed";
    private static final String DELETED = "deleted";

    private final Vertx vertx;
    private final World world;
    private final String backend;
    final Gate gate = new Gate();
    final Gate deleteGate = new Gate();
    volatile boolean failing;
    volatile boolean failingDeletes;
    volatile Duration slowness = Duration.ZERO;
    volatile BiFunction<String, JsonNode, ObjectNode> answers = (operation, input) -> ((ObjectNode) input).deepCopy();

    /** Closed or open; whoever comes while it is closed waits until it opens. */
    static final class Gate {
        private volatile Promise<Void> open = Promise.promise();

        Gate() {
            open.complete();
        }

        void hold() {
            open = Promise.promise();
        }

        void release() {
            open.tryComplete();
        }

        Future<Void> passed() {
            return open.future();
        }
    }

    Simulation(Vertx vertx, World world, String backend) {
        this.vertx = vertx;
        this.world = world;
        this.backend = backend;
    }

    @Override
    public String backend() {
        return backend;
    }

    @Override
    public String software() {
        return "simulated adapter";
    }

    @Override
    public Future<Outcome> deploy(DeployCommand command, Progress progress) {
        var task = command.task();
        return progress.members(states(command.members(), State.JOINING))
                .compose(ok -> act(task, DEPLOYED, progress))
                .compose(ended -> end(ended, progress, command.members(), task));
    }

    @Override
    public Future<Outcome> upgrade(UpgradeCommand command, Progress progress) {
        var task = command.task();
        return act(task, "upgraded " + task.appVersion(), progress)
                .compose(ended -> end(ended, progress, command.members(), task));
    }

    @Override
    public Future<Outcome> rollback(UpgradeCommand command, Progress progress) {
        var task = command.task();
        return act(task, "rolled back " + task.appVersion(), progress)
                .compose(ended -> end(ended, progress, command.members(), task));
    }

    @Override
    public Future<Outcome> member(MemberCommand command, Progress progress) {
        var line =
                "member " + command.operation().text() + " " + command.member().memberId();
        return act(command.task(), line, progress)
                .compose(ended -> ended instanceof Outcome.Done
                        ? progress.members(after(command)).map(ended)
                        : Future.succeededFuture(ended));
    }

    @Override
    public Future<Outcome> operate(OperateCommand command, Progress progress) {
        return act(command.task(), "operated " + command.operation(), progress)
                .map(ended -> ended instanceof Outcome.Done
                        ? new Outcome.Done(answers.apply(command.operation(), command.input()))
                        : ended);
    }

    @Override
    public Future<Outcome> delete(DeleteCommand command, Progress progress) {
        var instance = command.task().appInstanceId();
        return sayIfHeld(deleteGate, progress)
                .compose(ok -> deleteGate.passed())
                .compose(ok -> write(instance, DELETED))
                .map(ok -> failingDeletes ? new Outcome.Failed("told to fail") : new Outcome.Deleted());
    }

    static MemberState state(Member member, State state) {
        return MemberState.of(member, state, "simulated-" + member.memberId())
                .with(Json.object().put("simulated", true));
    }

    private static List<MemberState> states(List<Member> members, State state) {
        return members.stream().map(member -> state(member, state)).toList();
    }

    private static List<MemberState> after(MemberCommand command) {
        var member = command.member();
        return switch (command.operation()) {
            case ADD, CORDON, UNCORDON, LABEL -> List.of(state(member, State.READY));
            case DRAIN -> List.of(state(member, State.DRAINING));
            case REMOVE -> List.of(state(member, State.REMOVED));
            case REPLACE ->
                List.of(
                        state(member, State.REMOVED),
                        state(Objects.requireNonNull(command.replacement()), State.READY));
        };
    }

    /** What all have in common: waits while it is held, takes its time, leaves its line, and fails or not. */
    private Future<Outcome> act(Task task, String line, Progress progress) {
        return sayIfHeld(gate, progress)
                .compose(ok -> Future.any(gate.passed(), progress.cancelled()))
                .compose(ok -> pause(progress))
                .compose(ok -> {
                    if (progress.cancelled().isComplete()) {
                        return Future.succeededFuture(new Outcome.Canceled("canceled while it was held"));
                    }
                    return write(task.appInstanceId(), line)
                            .map(done -> failing ? new Outcome.Failed("told to fail") : new Outcome.Done());
                });
    }

    private Future<Void> pause(Progress progress) {
        var half = slowness.toMillis() / 2;
        return half == 0 || progress.cancelled().isComplete()
                ? Future.succeededFuture()
                : vertx.timer(half)
                        .compose(later -> progress.say(50, "half done"))
                        .compose(said -> vertx.timer(half))
                        .mapEmpty();
    }

    private static Future<Outcome> end(Outcome ended, Progress progress, List<Member> members, Task task) {
        var endpoint = new Outcome.Endpoint("http", "http://simulated.invalid/" + task.appInstanceId());
        return ended instanceof Outcome.Done
                ? progress.members(states(members, State.READY)).map(ok -> new Outcome.Running(List.of(endpoint)))
                : Future.succeededFuture(ended);
    }

    private static Future<Void> sayIfHeld(Gate gate, Progress progress) {
        return gate.passed().isComplete()
                ? Future.succeededFuture()
                : progress.waitsFor(Blocker.ofAdapter("held", "the simulated adapter was told to hold"));
    }

    private Future<Void> write(UUID instance, String line) {
        return vertx.executeBlocking(() -> {
            world.add(instance, line);
            return null;
        });
    }
}

package dev.slipway.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.adapter.Blocker;
import dev.slipway.adapter.DeleteCommand;
import dev.slipway.adapter.DeployCommand;
import dev.slipway.adapter.MemberCommand;
import dev.slipway.adapter.MemberRef;
import dev.slipway.adapter.MemberState;
import dev.slipway.adapter.MemberState.State;
import dev.slipway.adapter.OperateCommand;
import dev.slipway.adapter.Outcome;
import dev.slipway.adapter.Progress;
import dev.slipway.adapter.RuntimeAdapter;
import dev.slipway.adapter.Task;
import dev.slipway.adapter.UpgradeCommand;
import dev.slipway.contract.Json;
import dev.slipway.testkit.SimulatedAdapter.InstanceFiles;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.BiFunction;

/** The runtime of the simulated adapter: records each command and reports success. */
final class SimulatedRuntime implements RuntimeAdapter {
    static final String DEPLOYED = "deployed";
    private static final String DELETED = "deleted";

    private final Vertx vertx;
    private final InstanceFiles instanceFiles;
    private final String backend;
    final PauseSwitch commandPause = new PauseSwitch();
    final PauseSwitch deletePause = new PauseSwitch();
    volatile boolean failing;
    volatile boolean failingDeletes;
    volatile Duration delay = Duration.ZERO;
    volatile BiFunction<String, JsonNode, ObjectNode> replies = (operation, input) -> ((ObjectNode) input).deepCopy();

    /** Blocks callers while it is closed. */
    static final class PauseSwitch {
        private volatile Promise<Void> opened = Promise.promise();

        PauseSwitch() {
            opened.complete();
        }

        void hold() {
            opened = Promise.promise();
        }

        void release() {
            opened.tryComplete();
        }

        Future<Void> whenOpen() {
            return opened.future();
        }
    }

    SimulatedRuntime(Vertx vertx, InstanceFiles instanceFiles, String backend) {
        this.vertx = vertx;
        this.instanceFiles = instanceFiles;
        this.backend = backend;
    }

    @Override
    public String version() {
        return SimulatedAdapter.VERSION;
    }

    @Override
    public String sourceCommit() {
        return SimulatedAdapter.SOURCE_COMMIT;
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
        return progress.reportMembers(states(command.members(), State.JOINING))
                .compose(ok -> perform(task, DEPLOYED, progress))
                .compose(ended -> complete(ended, progress, command.members(), task));
    }

    @Override
    public Future<Outcome> upgrade(UpgradeCommand command, Progress progress) {
        var task = command.task();
        return perform(task, "upgraded " + task.appVersion(), progress)
                .compose(ended -> complete(ended, progress, command.members(), task));
    }

    @Override
    public Future<Outcome> rollback(UpgradeCommand command, Progress progress) {
        var task = command.task();
        return perform(task, "rolled back " + task.appVersion(), progress)
                .compose(ended -> complete(ended, progress, command.members(), task));
    }

    @Override
    public Future<Outcome> changeMember(MemberCommand command, Progress progress) {
        var line =
                "member " + command.operation().text() + " " + command.member().memberId();
        return perform(command.task(), line, progress)
                .compose(ended -> ended instanceof Outcome.Done
                        ? progress.reportMembers(statesAfter(command)).map(ended)
                        : Future.succeededFuture(ended));
    }

    @Override
    public Future<Outcome> operate(OperateCommand command, Progress progress) {
        return perform(command.task(), "operated " + command.operation(), progress)
                .map(ended -> ended instanceof Outcome.Done
                        ? new Outcome.Done(replies.apply(command.operation(), command.input()))
                        : ended);
    }

    @Override
    public Future<Outcome> delete(DeleteCommand command, Progress progress) {
        var instance = command.task().subjectId();
        return reportIfPaused(deletePause, progress)
                .compose(ok -> deletePause.whenOpen())
                .compose(ok -> write(instance, DELETED))
                .map(ok -> failingDeletes ? new Outcome.Failed("failure requested") : new Outcome.Deleted());
    }

    static MemberState state(MemberRef memberRef, State state) {
        return MemberState.of(memberRef, state, "simulated-" + memberRef.memberId())
                .withDetail(Json.object().put("simulated", true));
    }

    private static List<MemberState> states(List<MemberRef> members, State state) {
        return members.stream().map(memberRef -> state(memberRef, state)).toList();
    }

    private static List<MemberState> statesAfter(MemberCommand command) {
        var memberRef = command.member();
        return switch (command.operation()) {
            case ADD, CORDON, UNCORDON, LABEL -> List.of(state(memberRef, State.READY));
            case DRAIN -> List.of(state(memberRef, State.DRAINING));
            case REMOVE -> List.of(state(memberRef, State.REMOVED));
            case REPLACE ->
                List.of(
                        state(memberRef, State.REMOVED),
                        state(Objects.requireNonNull(command.replacement()), State.READY));
        };
    }

    /** Waits while held, applies the delay, records the command, and completes or fails. */
    private Future<Outcome> perform(Task task, String line, Progress progress) {
        return reportIfPaused(commandPause, progress)
                .compose(ok -> Future.any(commandPause.whenOpen(), progress.cancellation()))
                .compose(ok -> pause(progress))
                .compose(ok -> {
                    if (progress.cancellation().isComplete()) {
                        return Future.succeededFuture(new Outcome.Canceled("canceled while it was held"));
                    }
                    return write(task.subjectId(), line)
                            .map(done -> failing ? new Outcome.Failed("failure requested") : new Outcome.Done());
                });
    }

    private Future<Void> pause(Progress progress) {
        var half = delay.toMillis() / 2;
        return half == 0 || progress.cancellation().isComplete()
                ? Future.succeededFuture()
                : vertx.timer(half)
                        .compose(later -> progress.report(50, "half done"))
                        .compose(said -> vertx.timer(half))
                        .mapEmpty();
    }

    private static Future<Outcome> complete(Outcome ended, Progress progress, List<MemberRef> members, Task task) {
        var endpoint = new Outcome.Endpoint("http", "http://simulated.invalid/" + task.subjectId());
        return ended instanceof Outcome.Done
                ? progress.reportMembers(states(members, State.READY)).map(ok -> new Outcome.Running(List.of(endpoint)))
                : Future.succeededFuture(ended);
    }

    private static Future<Void> reportIfPaused(PauseSwitch pauseSwitch, Progress progress) {
        return pauseSwitch.whenOpen().isComplete()
                ? Future.succeededFuture()
                : progress.reportBlocker(Blocker.ofAdapter("held", "a test holds the command"));
    }

    private Future<Void> write(UUID instance, String line) {
        return vertx.executeBlocking(() -> {
            instanceFiles.append(instance, line);
            return null;
        });
    }
}

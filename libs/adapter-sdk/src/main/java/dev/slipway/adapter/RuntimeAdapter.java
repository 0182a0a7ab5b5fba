package dev.slipway.adapter;

import dev.slipway.adapter.Outcome.Failed;
import io.vertx.core.Future;

import java.util.Set;
import java.util.UUID;

/**
 * Makes app instances run on one kind of runtime.
 *
 * <p>All methods are called on one event loop and must not block it. Calls for one instance never overlap; those for different
 * instances do. A command may come again after a crash, though it was carried out: doing it twice must change nothing.
 *
 * <p>What is expected to go wrong is {@link Outcome.Failed}, with a reason for the person who asked. A failed Future means trouble on
 * the adapter's side: the command is tried a few times more before it is given up.
 */
public interface RuntimeAdapter {

    /** The runtime backend whose commands this adapter takes, such as {@code bare_metal}. */
    String backend();

    /** What this adapter is, and its version: shown to who runs the platform. */
    default String software() {
        return getClass().getName();
    }

    /** Called once, before any command; the adapter looks after what it left running. */
    default Future<Void> start(Reports reports) {
        return Future.succeededFuture();
    }

    /**
     * The instances of which there is something in the runtime, so that it can be compared with what the platform wants there: what is
     * missing is deployed, what is too much is deleted. {@code onRecord} are those that the host's journal knows as deployed: an adapter
     * that cannot look believes it.
     */
    default Future<Set<UUID>> owned(Set<UUID> onRecord) {
        return Future.succeededFuture(onRecord);
    }

    /** Makes the instance run: {@link Outcome.Running} or {@link Outcome.Failed}. */
    Future<Outcome> deploy(DeployCommand command, Progress progress);

    /** Has it run another version: {@link Outcome.Running}, or {@link Outcome.Failed} and it runs as before. */
    default Future<Outcome> upgrade(UpgradeCommand command, Progress progress) {
        return unsupported("upgrades");
    }

    /** Has it run the version that it came from: {@link Outcome.Running}, or {@link Outcome.Failed} and it runs as before. */
    default Future<Outcome> rollback(UpgradeCommand command, Progress progress) {
        return unsupported("rollbacks");
    }

    /** Does something with one member: {@link Outcome.Done} or {@link Outcome.Failed}. */
    default Future<Outcome> member(MemberCommand command, Progress progress) {
        return unsupported("the member operation " + command.operation().text());
    }

    /** Runs a declared operation: {@link Outcome.Done} with its output, or {@link Outcome.Failed}. */
    default Future<Outcome> operate(OperateCommand command, Progress progress) {
        return unsupported("the operation " + command.operation());
    }

    /**
     * Ends the instance and all that belongs to it: {@link Outcome.Deleted}, also when there was nothing, or {@link Outcome.Failed}. Of an
     * instance that the platform no longer knows, the task has the id and no more.
     */
    Future<Outcome> delete(DeleteCommand command, Progress progress);

    /** Called once, at the end. Commands that are not over are taken up again at the next start. */
    default Future<Void> stop() {
        return Future.succeededFuture();
    }

    private Future<Outcome> unsupported(String what) {
        return Future.succeededFuture(new Failed("the " + backend() + " adapter does not support " + what));
    }
}

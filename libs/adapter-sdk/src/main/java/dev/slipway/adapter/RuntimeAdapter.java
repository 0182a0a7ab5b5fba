package dev.slipway.adapter;

import dev.slipway.adapter.Outcome.Failed;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.Set;
import java.util.UUID;

/**
 * Runs app instances on one kind of runtime.
 *
 * <p>All methods are called on one event loop and must not block it. Calls for one instance never overlap; calls for different instances
 * do. After a crash a command can be passed in again although it was executed, so every method must be idempotent.
 *
 * <p>Return {@link Outcome.Failed} for an expected failure, with a reason for the user. A failed Future means an internal error of the
 * adapter: the host retries the command a few times and then reports it as failed.
 */
public interface RuntimeAdapter {

    /** Returns the runtime backend whose commands this adapter handles, such as {@code bare_metal}. */
    String backend();

    /** Returns the name and version of the adapter software, shown to platform operators. */
    default String software() {
        return getClass().getName();
    }

    /** Returns the version of the adapter software, which the platform shows with its components; null if it is not known. */
    default @Nullable String version() {
        return getClass().getPackage().getImplementationVersion();
    }

    /** Returns the commit that the adapter was built from, in hexadecimal; null if it is not known. */
    default @Nullable String sourceCommit() {
        return null;
    }

    /** Called once, before any command. The adapter adopts the instances that an earlier process left running. */
    default Future<Void> start(InstanceReporter reporter) {
        return Future.succeededFuture();
    }

    /**
     * Lists the instances that exist in the runtime. The host compares them with the desired state, deploys missing instances and deletes
     * orphans. {@code journaled} are the instances that the host's journal lists as deployed; an adapter that cannot inspect its runtime
     * returns them.
     */
    default Future<Set<UUID>> listInstances(Set<UUID> journaled) {
        return Future.succeededFuture(journaled);
    }

    /** Starts the instance. Returns {@link Outcome.RunningPlatform} or {@link Outcome.Failed}. */
    Future<Outcome> deploy(DeployCommand command, Progress progress);

    /**
     * Switches the instance to another version. Returns {@link Outcome.RunningPlatform}, or {@link Outcome.Failed} if the old version keeps
     * running.
     */
    default Future<Outcome> upgrade(UpgradeCommand command, Progress progress) {
        return unsupported("upgrades");
    }

    /**
     * Switches the instance back to its previous version. Returns {@link Outcome.RunningPlatform}, or {@link Outcome.Failed} if the current version
     * keeps running.
     */
    default Future<Outcome> rollback(UpgradeCommand command, Progress progress) {
        return unsupported("rollbacks");
    }

    /** Changes one member. Returns {@link Outcome.ObservedChange} or {@link Outcome.Failed}. */
    default Future<Outcome> changeMember(MemberCommand command, Progress progress) {
        return unsupported("the member operation " + command.operation().text());
    }

    /** Runs an operation that the manifest declares. Returns {@link Outcome.ObservedChange} with its output, or {@link Outcome.Failed}. */
    default Future<Outcome> operate(OperateCommand command, Progress progress) {
        return unsupported("the operation " + command.operation());
    }

    /**
     * Removes the instance completely. Returns {@link Outcome.Deleted}, also if it did not exist, or {@link Outcome.Failed}. For an orphan,
     * which the platform does not know, the task contains only the instance id.
     */
    Future<Outcome> delete(DeleteCommand command, Progress progress);

    /** Called once, on shutdown. Unfinished commands are resumed on the next start. */
    default Future<Void> stop() {
        return Future.succeededFuture();
    }

    private Future<Outcome> unsupported(String feature) {
        return Future.succeededFuture(new Failed("the " + backend() + " adapter does not support " + feature));
    }
}

package dev.slipway.adapter;

import io.vertx.core.Future;

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

    /** Called once, before any command; the adapter looks after what it left running. */
    default Future<Void> start(Reports reports) {
        return Future.succeededFuture();
    }

    /** Makes the instance run: {@link Outcome.Running} or {@link Outcome.Failed}. */
    Future<Outcome> deploy(DeployCommand command, Progress progress);

    /** Ends the instance and all that belongs to it: {@link Outcome.Deleted}, also when there was nothing, or {@link Outcome.Failed}. */
    Future<Outcome> delete(DeleteCommand command, Progress progress);

    /** Called once, at the end. Commands that are not over are taken up again at the next start. */
    default Future<Void> stop() {
        return Future.succeededFuture();
    }
}

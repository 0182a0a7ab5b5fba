package dev.slipway.standalone;

import dev.slipway.messaging.ServerRejectedException;
import dev.slipway.standalone.StandaloneMain.StartException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

import java.time.Duration;
import java.util.function.Supplier;

/**
 * Waits for a server that the platform depends on, because processes and servers can be started in any order. Errors that waiting cannot fix,
 * such as a wrong password, end the start at once.
 */
final class DependencyWaiter {
    private static final long RETRY_INTERVAL_MS = 1_000;
    private static final long NOTICE_DELAY_MS = 3_000;

    private final Vertx vertx;
    private final String server;
    private final String setting;
    private final long deadlineNanos;

    /** {@code server} and the name of the setting with its address appear in messages. */
    DependencyWaiter(Vertx vertx, String server, String setting, Duration timeout) {
        this.vertx = vertx;
        this.server = server;
        this.setting = setting;
        this.deadlineNanos = System.nanoTime() + timeout.toNanos();
    }

    /** Repeats the attempt until it succeeds. Fails with a {@link StartException} at the deadline, or if the server rejects us. */
    Future<Void> waitFor(Supplier<Future<Void>> attempt) {
        var notice = vertx.setTimer(NOTICE_DELAY_MS, timer -> ConsoleOutput.print("Waiting for " + server + " …"));
        return retryUntilDeadline(attempt).onComplete(done -> vertx.cancelTimer(notice));
    }

    private Future<Void> retryUntilDeadline(Supplier<Future<Void>> attempt) {
        return attempt.get().recover(e -> {
            if (e instanceof ServerRejectedException) {
                return Future.failedFuture(new StartException(
                        server + " rejected the connection: " + e.getMessage() + "; check " + setting));
            }
            if (System.nanoTime() >= deadlineNanos) {
                return Future.failedFuture(
                        new StartException(server + " is unreachable: " + rootCause(e) + "; check " + setting));
            }
            return vertx.timer(RETRY_INTERVAL_MS).compose(ok -> retryUntilDeadline(attempt));
        });
    }

    private static String rootCause(Throwable e) {
        var cause = e;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }
}

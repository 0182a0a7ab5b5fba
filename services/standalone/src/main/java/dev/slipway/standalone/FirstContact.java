package dev.slipway.standalone;

import dev.slipway.messaging.NotLetInException;
import dev.slipway.standalone.StandaloneMain.StartException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

import java.time.Duration;
import java.util.function.Supplier;

/**
 * The first contact with a server that the platform stands on. All that belongs to a platform may be started in any order, so it is waited
 * for, and said that it is; what no waiting mends, such as a wrong password, ends the start at once.
 */
final class FirstContact {
    private static final long AGAIN_MS = 1_000;
    private static final long SILENT_MS = 3_000;

    private final Vertx vertx;
    private final String server;
    private final String setting;
    private final long endNanos;

    /** {@code server} is told to people, and so is the setting that says where it is. */
    FirstContact(Vertx vertx, String server, String setting, Duration patience) {
        this.vertx = vertx;
        this.server = server;
        this.setting = setting;
        this.endNanos = System.nanoTime() + patience.toNanos();
    }

    Future<Void> with(Supplier<Future<Void>> attempt) {
        var notice = vertx.setTimer(SILENT_MS, timer -> Console.say("Waiting for " + server + " …"));
        return until(attempt).onComplete(done -> vertx.cancelTimer(notice));
    }

    private Future<Void> until(Supplier<Future<Void>> attempt) {
        return attempt.get().recover(e -> {
            if (e instanceof NotLetInException) {
                return Future.failedFuture(
                        new StartException(server + " refuses us: " + e.getMessage() + "; see " + setting));
            }
            if (System.nanoTime() >= endNanos) {
                return Future.failedFuture(
                        new StartException(server + " cannot be reached: " + reason(e) + "; see " + setting));
            }
            return vertx.timer(AGAIN_MS).compose(again -> until(attempt));
        });
    }

    /** The innermost: the outer ones tell which library it came through. */
    private static String reason(Throwable e) {
        var cause = e;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }
}

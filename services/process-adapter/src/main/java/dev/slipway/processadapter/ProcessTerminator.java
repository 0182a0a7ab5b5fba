package dev.slipway.processadapter;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;

import java.io.IOException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** Terminates processes: with SIGTERM first, and with SIGKILL after a grace period. */
final class ProcessTerminator {
    private static final long INTERVAL_MS = 50;
    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(4);
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Vertx vertx;

    ProcessTerminator(Vertx vertx) {
        this.vertx = vertx;
    }

    /** Completes when no matching process is left and no process owns one of these directories. */
    Future<Void> terminate(Predicate<List<String>> marked, Collection<ManagedProcess> procs) {
        var directories = procs.stream().map(ManagedProcess::directory).toList();
        var ended = Promise.<Void>promise();
        signalAndRecheck(marked, directories, new HashSet<>(), System.nanoTime(), ended);
        return ended.future();
    }

    private void signalAndRecheck(
            Predicate<List<String>> marked,
            List<ProcessDir> directories,
            Set<Long> signaled,
            long begunNanos,
            Promise<Void> ended) {
        var elapsed = System.nanoTime() - begunNanos;
        vertx.executeBlocking(() -> signal(marked, directories, signaled, elapsed > GRACE_NANOS), true)
                .onFailure(ended::fail)
                .onSuccess(remaining -> {
                    if (!remaining) {
                        ended.complete();
                    } else if (elapsed > LIMIT_NANOS) {
                        ended.fail("processes are still alive after SIGKILL");
                    } else {
                        vertx.setTimer(
                                INTERVAL_MS,
                                timer -> signalAndRecheck(marked, directories, signaled, begunNanos, ended));
                    }
                });
    }

    /**
     * Sends SIGTERM once per process, because some programs treat a second signal as a forced exit. Returns whether any process is left.
     */
    private static boolean signal(
            Predicate<List<String>> marked, List<ProcessDir> directories, Set<Long> signaled, boolean force)
            throws IOException {
        var remaining = ProcessTable.find(marked);
        for (var process : remaining) {
            if (force) {
                process.destroyForcibly();
            } else if (signaled.add(process.pid())) {
                process.destroy();
            }
        }
        // A process in the middle of exec has no readable environment and is not found, but it is alive.
        for (var directory : remaining.isEmpty() ? directories : List.<ProcessDir>of()) {
            if (directory.isAlive()) {
                return true;
            }
        }
        return !remaining.isEmpty();
    }
}

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

/** Ends processes: politely first, then not. */
final class Ending {
    private static final long EVERY_MS = 50;
    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(4);
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Vertx vertx;

    Ending(Vertx vertx) {
        this.vertx = vertx;
    }

    /** Done when none is left: of those with the mark, and in these directories. */
    Future<Void> of(Predicate<List<String>> marked, Collection<Proc> procs) {
        var directories = procs.stream().map(Proc::directory).toList();
        var ended = Promise.<Void>promise();
        round(marked, directories, new HashSet<>(), System.nanoTime(), ended);
        return ended.future();
    }

    private void round(
            Predicate<List<String>> marked,
            List<ProcessDir> directories,
            Set<Long> told,
            long begunNanos,
            Promise<Void> ended) {
        var elapsed = System.nanoTime() - begunNanos;
        vertx.executeBlocking(() -> signal(marked, directories, told, elapsed > GRACE_NANOS), true)
                .onFailure(ended::fail)
                .onSuccess(left -> {
                    if (!left) {
                        ended.complete();
                    } else if (elapsed > LIMIT_NANOS) {
                        ended.fail("processes do not end, even when killed");
                    } else {
                        vertx.setTimer(EVERY_MS, timer -> round(marked, directories, told, begunNanos, ended));
                    }
                });
    }

    /** Each is asked once, as some take a second request for an order. Answers whether any is left. */
    private static boolean signal(
            Predicate<List<String>> marked, List<ProcessDir> directories, Set<Long> told, boolean force)
            throws IOException {
        var left = Processes.all(marked);
        for (var process : left) {
            if (force) {
                process.destroyForcibly();
            } else if (told.add(process.pid())) {
                process.destroy();
            }
        }
        // One that is just becoming another program is not among those found, but it is alive.
        for (var directory : left.isEmpty() ? directories : List.<ProcessDir>of()) {
            if (directory.isAlive()) {
                return true;
            }
        }
        return !left.isEmpty();
    }
}

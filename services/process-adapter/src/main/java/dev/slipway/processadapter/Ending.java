package dev.slipway.processadapter;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;

import java.io.IOException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Ends all processes of some instances: politely first, then not. */
final class Ending {
    private static final long EVERY_MS = 50;
    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(4);
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Vertx vertx;

    Ending(Vertx vertx) {
        this.vertx = vertx;
    }

    /** Done when none is left. */
    Future<Void> of(Collection<Child> children) {
        var directories = children.stream().map(Child::directory).toList();
        var ended = Promise.<Void>promise();
        round(directories, new HashSet<>(), System.nanoTime(), ended);
        return ended.future();
    }

    private void round(List<InstanceDir> directories, Set<Long> told, long begunNanos, Promise<Void> ended) {
        var elapsed = System.nanoTime() - begunNanos;
        vertx.executeBlocking(() -> signal(directories, told, elapsed > GRACE_NANOS), true)
                .onFailure(ended::fail)
                .onSuccess(left -> {
                    if (!left) {
                        ended.complete();
                    } else if (elapsed > LIMIT_NANOS) {
                        ended.fail("processes do not end, even when killed");
                    } else {
                        vertx.setTimer(EVERY_MS, timer -> round(directories, told, begunNanos, ended));
                    }
                });
    }

    /** Each is asked once, as some take a second request for an order. Answers whether any is left. */
    private static boolean signal(List<InstanceDir> directories, Set<Long> told, boolean force) throws IOException {
        Set<UUID> instances = directories.stream().map(InstanceDir::instance).collect(Collectors.toSet());
        var left = instances.isEmpty() ? List.<ProcessHandle>of() : Processes.of(instances);
        for (var process : left) {
            if (force) {
                process.destroyForcibly();
            } else if (told.add(process.pid())) {
                process.destroy();
            }
        }
        // One that is just becoming another program is not among those found, but it is alive.
        for (var directory : left.isEmpty() ? directories : List.<InstanceDir>of()) {
            if (directory.isAlive()) {
                return true;
            }
        }
        return !left.isEmpty();
    }
}

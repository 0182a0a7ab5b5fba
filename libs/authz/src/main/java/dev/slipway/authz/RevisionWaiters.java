package dev.slipway.authz;

import org.jspecify.annotations.Nullable;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/** The tasks that wait for the model to reach a revision. */
final class RevisionWaiters {
    private static final int MAX_WAITERS = 10_000;

    private final Set<Waiter> waiting = ConcurrentHashMap.newKeySet();

    /** Compared by identity, because two tasks may wait for the same revision. */
    private static final class Waiter {
        private final long revision;
        private final Runnable task;

        Waiter(long revision, Runnable task) {
            this.revision = revision;
            this.task = task;
        }
    }

    @Nullable
    Runnable add(long revision, Runnable task, LongSupplier current) {
        if (waiting.size() >= MAX_WAITERS) {
            return null;
        }
        var waiter = new Waiter(revision, task);
        waiting.add(waiter);
        if (current.getAsLong() >= revision) { // it may have arrived before the waiter was added
            run(waiter);
        }
        return () -> waiting.remove(waiter);
    }

    void runUpTo(long revision) {
        for (var waiter : waiting) {
            if (waiter.revision <= revision) {
                run(waiter);
            }
        }
    }

    private void run(Waiter waiter) {
        if (waiting.remove(waiter)) {
            waiter.task.run();
        }
    }
}

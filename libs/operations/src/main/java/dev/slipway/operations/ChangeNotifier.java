package dev.slipway.operations;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.MessageConsumerOptions;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Wakes requests that wait for a change of a subject. Every process of the service publishes the ids of the subjects it has changed on the
 * event bus; if a message is lost, the request waits until its timeout. Confined to its verticle's event loop.
 */
public final class ChangeNotifier {
    private static final String ADDRESS = "slipway.instances.changed";
    private static final int MAX_WAITERS = 20_000;

    private final Vertx vertx;
    private final DeliveryOptions delivery;
    private final Map<UUID, Set<ChangeWaiter>> waiters = new HashMap<>();
    private int count;

    /** A request that waits for a change. */
    static final class ChangeWaiter {
        private final UUID subjectId;
        private final Promise<Boolean> changed = Promise.promise();

        private ChangeWaiter(UUID subjectId) {
            this.subjectId = subjectId;
        }

        /** Completes with true on a change, and with false at the timeout. */
        Future<Boolean> changed() {
            return changed.future();
        }
    }

    public ChangeNotifier(Vertx vertx, boolean clustered) {
        this.vertx = vertx;
        this.delivery = new DeliveryOptions().setLocalOnly(!clustered);
        var options = new MessageConsumerOptions().setAddress(ADDRESS).setLocalOnly(!clustered);
        vertx.eventBus().<String>consumer(options, message -> wake(UUID.fromString(message.body())));
    }

    /** Wakes the waiters of a subject in all processes; its events are committed. */
    public void notifyChanged(String subjectId) {
        vertx.eventBus().publish(ADDRESS, subjectId, delivery);
    }

    /** Wakes all waiters. */
    public void close() {
        Set.copyOf(waiters.keySet()).forEach(this::wake);
    }

    ChangeWaiter register(UUID subjectId, long waitMs) {
        var waiter = new ChangeWaiter(subjectId);
        if (waitMs <= 0 || count >= MAX_WAITERS) {
            waiter.changed.complete(false);
            return waiter;
        }
        count++;
        waiters.computeIfAbsent(subjectId, id -> new HashSet<>()).add(waiter);
        vertx.setTimer(waitMs, timer -> waiter.changed.tryComplete(false));
        return waiter;
    }

    void unregister(ChangeWaiter waiter) {
        var others = waiters.get(waiter.subjectId);
        if (others != null && others.remove(waiter)) {
            count--;
            if (others.isEmpty()) {
                waiters.remove(waiter.subjectId);
            }
        }
    }

    private void wake(UUID subjectId) {
        var woken = waiters.remove(subjectId);
        if (woken != null) {
            count -= woken.size();
            woken.forEach(waiter -> waiter.changed.tryComplete(true));
        }
    }
}

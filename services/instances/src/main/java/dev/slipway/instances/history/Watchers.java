package dev.slipway.instances.history;

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
 * Those who wait for something to happen to an instance. Every process of the service tells all of them which instance it has changed; a
 * word that is lost makes somebody wait until they ask again, and loses them nothing. Lives on its verticle's event loop.
 */
public final class Watchers {
    private static final String CHANGED = "slipway.instances.changed";
    private static final int MOST = 20_000;

    private final Vertx vertx;
    private final DeliveryOptions delivery;
    private final Map<UUID, Set<Watcher>> waiting = new HashMap<>();
    private int count;

    /** Somebody who waits. */
    static final class Watcher {
        private final UUID instanceId;
        private final Promise<Boolean> changed = Promise.promise();

        private Watcher(UUID instanceId) {
            this.instanceId = instanceId;
        }

        /** Whether something happened before their time was up. */
        Future<Boolean> changed() {
            return changed.future();
        }
    }

    public Watchers(Vertx vertx, boolean clustered) {
        this.vertx = vertx;
        this.delivery = new DeliveryOptions().setLocalOnly(!clustered);
        var options = new MessageConsumerOptions().setAddress(CHANGED).setLocalOnly(!clustered);
        vertx.eventBus().<String>consumer(options, message -> wake(UUID.fromString(message.body())));
    }

    /** An instance has changed: what was announced of it is committed. */
    public void tell(String instanceId) {
        vertx.eventBus().publish(CHANGED, instanceId, delivery);
    }

    /** Lets everybody go. */
    public void close() {
        Set.copyOf(waiting.keySet()).forEach(this::wake);
    }

    Watcher register(UUID instanceId, long waitMs) {
        var watcher = new Watcher(instanceId);
        if (waitMs <= 0 || count >= MOST) {
            watcher.changed.complete(false);
            return watcher;
        }
        count++;
        waiting.computeIfAbsent(instanceId, id -> new HashSet<>()).add(watcher);
        vertx.setTimer(waitMs, late -> watcher.changed.tryComplete(false));
        return watcher;
    }

    void forget(Watcher watcher) {
        var others = waiting.get(watcher.instanceId);
        if (others != null && others.remove(watcher)) {
            count--;
            if (others.isEmpty()) {
                waiting.remove(watcher.instanceId);
            }
        }
    }

    private void wake(UUID instanceId) {
        var all = waiting.remove(instanceId);
        if (all != null) {
            count -= all.size();
            all.forEach(watcher -> watcher.changed.tryComplete(true));
        }
    }
}

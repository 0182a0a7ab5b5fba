package dev.slipway.adapter;

import io.vertx.core.Future;
import io.vertx.core.Promise;

import java.util.ArrayDeque;

/** A counting semaphore with a FIFO queue. Must be used from one event loop. */
public final class Slots {
    private final int limit;
    private final ArrayDeque<Waiter> waiting = new ArrayDeque<>();
    private int inUse;

    private record Waiter(int places, Promise<Boolean> granted) {}

    public Slots(int limit) {
        this.limit = limit;
    }

    public int limit() {
        return limit;
    }

    public int inUse() {
        return inUse;
    }

    /** Returns the number of waiting requests. */
    public int waiting() {
        return waiting.size();
    }

    /** Acquires a slot if one is free and nobody waits for it. */
    public boolean tryAcquire() {
        return tryAcquire(1);
    }

    /** Acquires all of these slots or none. */
    public boolean tryAcquire(int places) {
        if (!waiting.isEmpty() || inUse + places > limit) {
            return false;
        }
        inUse += places;
        return true;
    }

    /** Waits for a slot. Returns false, without acquiring one, if {@code givenUp} completes first. */
    public Future<Boolean> acquire(Future<?> givenUp) {
        return acquire(1, givenUp);
    }

    /** Waits for all slots at once. Two callers that acquired them one by one could block each other forever. */
    public Future<Boolean> acquire(int places, Future<?> givenUp) {
        if (tryAcquire(places)) {
            return Future.succeededFuture(true);
        }
        var next = new Waiter(places, Promise.promise());
        waiting.add(next);
        givenUp.onComplete(done -> {
            if (waiting.remove(next)) {
                next.granted.complete(false);
                grantWaiting();
            }
        });
        return next.granted.future();
    }

    /** Acquires a slot even beyond the limit, for a resource that is in use already, such as a process that survived a restart. */
    public void forceAcquire() {
        inUse++;
    }

    public void release() {
        release(1);
    }

    public void release(int places) {
        inUse -= places;
        grantWaiting();
    }

    /** Strictly FIFO, so that small requests cannot starve a large one. */
    private void grantWaiting() {
        while (!waiting.isEmpty() && inUse + waiting.element().places <= limit) {
            var next = waiting.remove();
            inUse += next.places;
            next.granted.complete(true);
        }
    }
}

package dev.slipway.adapter;

import io.vertx.core.Future;
import io.vertx.core.Promise;

import java.util.ArrayDeque;

/** So many places and no more; who finds too few waits in line. To be used from one event loop. */
public final class Slots {
    private final int limit;
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private int inUse;

    private record Waiting(int places, Promise<Boolean> got) {}

    public Slots(int limit) {
        this.limit = limit;
    }

    public int limit() {
        return limit;
    }

    public int inUse() {
        return inUse;
    }

    /** How many wait in line. */
    public int waiting() {
        return waiting.size();
    }

    /** Takes a place if one is free and nobody waits for it. */
    public boolean tryAcquire() {
        return tryAcquire(1);
    }

    /** Takes all of these places or none. */
    public boolean tryAcquire(int places) {
        if (!waiting.isEmpty() || inUse + places > limit) {
            return false;
        }
        inUse += places;
        return true;
    }

    /** Waits for a place. Answers false, with no place taken, when {@code givenUp} comes first. */
    public Future<Boolean> acquire(Future<?> givenUp) {
        return acquire(1, givenUp);
    }

    /** Waits for so many places at once: who took them one by one could wait for ever for another who does the same. */
    public Future<Boolean> acquire(int places, Future<?> givenUp) {
        if (tryAcquire(places)) {
            return Future.succeededFuture(true);
        }
        var next = new Waiting(places, Promise.promise());
        waiting.add(next);
        givenUp.onComplete(done -> {
            if (waiting.remove(next)) {
                next.got.complete(false);
                letIn();
            }
        });
        return next.got.future();
    }

    /** Takes a place even beyond the limit: for what holds one already, such as a process that outlived a restart. */
    public void occupy() {
        inUse++;
    }

    public void release() {
        release(1);
    }

    public void release(int places) {
        inUse -= places;
        letIn();
    }

    /** In line: many places for one do not go to others one by one. */
    private void letIn() {
        while (!waiting.isEmpty() && inUse + waiting.element().places <= limit) {
            var next = waiting.remove();
            inUse += next.places;
            next.got.complete(true);
        }
    }
}

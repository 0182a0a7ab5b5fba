package dev.slipway.adapter;

import io.vertx.core.Future;
import io.vertx.core.Promise;

import java.util.ArrayDeque;

/** So many places and no more; who finds none waits in line. To be used from one event loop. */
public final class Slots {
    private final int limit;
    private final ArrayDeque<Promise<Boolean>> waiting = new ArrayDeque<>();
    private int inUse;

    public Slots(int limit) {
        this.limit = limit;
    }

    public int limit() {
        return limit;
    }

    public int inUse() {
        return inUse;
    }

    public int waiting() {
        return waiting.size();
    }

    /** Takes a place if one is free and nobody waits for it. */
    public boolean tryAcquire() {
        if (inUse >= limit) {
            return false;
        }
        inUse++;
        return true;
    }

    /** Waits for a place. Answers false, with no place taken, when {@code givenUp} comes first. */
    public Future<Boolean> acquire(Future<?> givenUp) {
        if (tryAcquire()) {
            return Future.succeededFuture(true);
        }
        var place = Promise.<Boolean>promise();
        waiting.add(place);
        givenUp.onComplete(done -> {
            if (waiting.remove(place)) {
                place.complete(false);
            }
        });
        return place.future();
    }

    /** Takes a place even beyond the limit: for what holds one already, such as a process that outlived a restart. */
    public void occupy() {
        inUse++;
    }

    public void release() {
        inUse--;
        while (inUse < limit && !waiting.isEmpty()) {
            inUse++;
            waiting.remove().complete(true);
        }
    }
}

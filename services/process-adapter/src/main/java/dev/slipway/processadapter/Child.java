package dev.slipway.processadapter;

import io.vertx.core.Future;
import io.vertx.core.Promise;

import java.util.UUID;
import java.util.function.Supplier;

/** One instance as the event loop sees it. */
final class Child {
    private final InstanceDir directory;
    private Turn turn = new Turn();
    private boolean holdsPlace;
    private int relaunches;
    private Future<?> busy = Future.succeededFuture();

    /** Something being done with the child. A delete or a new deployment ends the turn of whatever was going on. */
    static final class Turn {
        private final Promise<Void> over = Promise.promise();
        private boolean up;

        Future<Void> over() {
            return over.future();
        }

        boolean isOver() {
            return over.future().isComplete();
        }

        /** Healthy: from here on its end would be an accident. */
        void up() {
            up = true;
        }

        boolean isUp() {
            return up && !isOver();
        }
    }

    Child(InstanceDir directory) {
        this.directory = directory;
    }

    UUID instance() {
        return directory.instance();
    }

    InstanceDir directory() {
        return directory;
    }

    Turn turn() {
        return turn;
    }

    Turn nextTurn() {
        turn.over.complete();
        turn = new Turn();
        return turn;
    }

    /** What changes the record or ends the process happens one after another: an end must not hit what a deployment has just begun. */
    <T> Future<T> exclusively(Supplier<Future<T>> work) {
        Future<T> result = busy.transform(before -> work.get());
        busy = result;
        return result;
    }

    boolean holdsPlace() {
        return holdsPlace;
    }

    void holdPlace(boolean holds) {
        holdsPlace = holds;
    }

    int relaunches() {
        return relaunches;
    }

    void countRelaunches(int count) {
        relaunches = count;
    }
}

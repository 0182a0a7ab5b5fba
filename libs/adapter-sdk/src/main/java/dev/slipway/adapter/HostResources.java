package dev.slipway.adapter;

import dev.slipway.telemetry.Traces;
import io.vertx.core.Vertx;

/**
 * Resources shared by all instance queues of a host. Launches, operations and deletes have separate slots, so they do not wait for each
 * other.
 */
record HostResources(
        Vertx vertx,
        Traces traces,
        RuntimeAdapter adapter,
        Slots launches,
        Slots operations,
        Slots deletes,
        ShutdownFlag shutdown) {

    HostResources(Vertx vertx, Traces traces, RuntimeAdapter adapter, int places, ShutdownFlag stopping) {
        this(vertx, traces, adapter, new Slots(places), new Slots(places), new Slots(places), stopping);
    }

    Slots slotsFor(CommandType commandType) {
        return switch (commandType) {
            case DEPLOY, UPGRADE, ROLLBACK -> launches;
            case MEMBER, OPERATE, CANCEL -> operations;
            case DELETE -> deletes;
        };
    }

    int inUse() {
        return launches.inUse() + operations.inUse() + deletes.inUse();
    }

    int waiting() {
        return launches.waiting() + operations.waiting() + deletes.waiting();
    }
}

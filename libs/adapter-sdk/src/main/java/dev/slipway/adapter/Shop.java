package dev.slipway.adapter;

import dev.slipway.telemetry.Traces;
import io.vertx.core.Vertx;

/** What the lanes of one host share. Deletes never wait behind launches, nor do operations. */
record Shop(
        Vertx vertx,
        Traces traces,
        RuntimeAdapter adapter,
        Slots launches,
        Slots operations,
        Slots deletes,
        Stopping stopping) {

    Shop(Vertx vertx, Traces traces, RuntimeAdapter adapter, int places, Stopping stopping) {
        this(vertx, traces, adapter, new Slots(places), new Slots(places), new Slots(places), stopping);
    }

    Slots slots(Kind kind) {
        return switch (kind) {
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

package dev.slipway.catalog.releasegate;

import dev.slipway.catalog.releasegate.ReleaseGateStore.Snapshot;
import dev.slipway.contract.Json;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;

import java.time.Instant;
import java.util.List;

/** Replicates the verdicts of {@code evidence.state}. */
public final class ReleaseGateConsumer {
    private final ReleaseGateStore store;

    private record Heartbeat(Instant committedAt) {}

    public ReleaseGateConsumer(ReleaseGateStore store) {
        this.store = store;
    }

    public Future<Void> apply(UnitOfWork unit, List<ReceivedEvent> events) {
        for (var event : events) {
            var payload = event.envelope().payload();
            switch (event.envelope().eventType()) {
                case "evidence.release.snapshot" -> store.upsert(unit, Json.toRecord(payload, Snapshot.class));
                case "evidence.heartbeat" ->
                    store.updateFreshness(
                            unit, Json.toRecord(payload, Heartbeat.class).committedAt());
                default -> {}
            }
        }
        return Future.succeededFuture();
    }
}

package dev.slipway.metering.runtimehours;

import dev.slipway.authz.AuthzModel;
import dev.slipway.authz.TokenVerifier;
import dev.slipway.contract.Json;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.HeartbeatVerifier;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;

/** Records the heartbeats of adapters, which confirm running time. Ignores those that the adapter's own token does not prove. */
public final class HeartbeatConsumer {
    private final RuntimeHoursStore store;
    private final HeartbeatVerifier verifier;

    public HeartbeatConsumer(RuntimeHoursStore store, AuthzModel model, TokenVerifier tokens) {
        this.store = store;
        this.verifier = new HeartbeatVerifier(model, tokens);
    }

    private record HeartbeatPayload(UUID adapterId, String runtimeBackend, String startedAt) {}

    public Future<Void> apply(UnitOfWork unit, List<ReceivedEvent> events) {
        var chain = Future.<Void>succeededFuture();
        for (var event : events) {
            if (event.envelope().eventType().equals(HeartbeatVerifier.EVENT_TYPE)) {
                chain = chain.compose(ok -> record(unit, event));
            }
        }
        return chain;
    }

    private Future<Void> record(UnitOfWork unit, ReceivedEvent event) {
        var payload = Json.toRecord(event.envelope().payload(), HeartbeatPayload.class);
        var receivedAt = event.record().appendedAt();
        var startedAt = startedAt(payload);
        return startedAt != null && verifier.isSentBy(payload.adapterId, event.record())
                ? store.recordHeartbeat(unit, payload.runtimeBackend, receivedAt, startedAt)
                : Future.succeededFuture();
    }

    /** Returns null for an invalid time: the instances service rejects the heartbeat and tells the adapter. */
    private static @Nullable Instant startedAt(HeartbeatPayload payload) {
        try {
            return OffsetDateTime.parse(payload.startedAt).toInstant().truncatedTo(ChronoUnit.MICROS);
        } catch (DateTimeException e) {
            return null;
        }
    }
}

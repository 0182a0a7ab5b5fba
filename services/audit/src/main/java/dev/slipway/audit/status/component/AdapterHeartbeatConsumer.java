package dev.slipway.audit.status.component;

import dev.slipway.audit.status.component.domain.AdapterComponent;
import dev.slipway.contract.Json;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.HeartbeatVerifier;
import dev.slipway.service.ProcessReport;
import dev.slipway.service.ProcessReport.ComponentHealth;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Shows adapters as components, from their heartbeats: an adapter outside the platform has no other connection to it. Ignores heartbeats that
 * the adapter's own token does not prove.
 */
public final class AdapterHeartbeatConsumer {
    private static final String UNKNOWN = "unknown";

    private final ComponentStore store;
    private final HeartbeatVerifier verifier;
    private final String environment;

    private record HeartbeatPayload(
            UUID adapterId,
            String runtimeBackend,
            String startedAt,
            @Nullable String software,
            @Nullable String version,
            @Nullable String sourceCommit,
            @Nullable Integer instances,
            @Nullable Integer waiting) {}

    /** The state of an adapter's process, and the time when the broker received it. */
    private record Arrival(ProcessReport report, Instant observedAt) {}

    /**
     * Creates the consumer.
     *
     * @param environment the environment of the platform, which is that of its adapters
     */
    public AdapterHeartbeatConsumer(ComponentStore store, HeartbeatVerifier verifier, String environment) {
        this.store = store;
        this.verifier = verifier;
        this.environment = environment;
    }

    /** Stores the last heartbeat of each process, in the order of their ids, so that two consumers cannot wait for each other. */
    public Future<Void> apply(UnitOfWork unit, List<ReceivedEvent> events) {
        var last = new TreeMap<UUID, Arrival>();
        for (var event : events) {
            var arrival = event.envelope().eventType().equals(HeartbeatVerifier.EVENT_TYPE) ? read(event) : null;
            if (arrival != null) {
                last.put(arrival.report.processId(), arrival);
            }
        }
        var chain = Future.<Void>succeededFuture();
        for (var arrival : last.values()) {
            chain = chain.compose(ok -> store(unit, arrival));
        }
        return chain;
    }

    private Future<Void> store(UnitOfWork unit, Arrival arrival) {
        return store.lockReport(unit, arrival.report.processId()).map(stored -> {
            if (stored == null || arrival.observedAt.isAfter(stored.observedAt())) {
                store.upsertReport(unit, arrival.report, arrival.observedAt);
            }
            return null;
        });
    }

    /** Returns null for a heartbeat that is not the adapter's, or whose time is invalid: the instances service rejects it. */
    private @Nullable Arrival read(ReceivedEvent event) {
        var heartbeat = Json.toRecord(event.envelope().payload(), HeartbeatPayload.class);
        var startedAt = parse(heartbeat.startedAt);
        return startedAt != null && verifier.isSentBy(heartbeat.adapterId, event.record())
                ? new Arrival(report(heartbeat, startedAt), event.record().appendedAt())
                : null;
    }

    private ProcessReport report(HeartbeatPayload heartbeat, Instant startedAt) {
        var health = "running " + Objects.requireNonNullElse(heartbeat.instances, 0) + " instances, "
                + Objects.requireNonNullElse(heartbeat.waiting, 0) + " commands queued";
        return new ProcessReport(
                processId(heartbeat.adapterId, startedAt),
                environment,
                UNKNOWN,
                heartbeat.version != null ? heartbeat.version : Objects.requireNonNullElse(heartbeat.software, UNKNOWN),
                heartbeat.sourceCommit,
                null,
                "adapter",
                startedAt,
                false,
                List.of(new ComponentHealth(AdapterComponent.id(heartbeat.runtimeBackend), "ready", health)),
                List.of(),
                List.of(),
                List.of());
    }

    /** A process that is started again under the same adapter id is another process. */
    private static UUID processId(UUID adapterId, Instant startedAt) {
        return UUID.nameUUIDFromBytes((adapterId + "/" + startedAt).getBytes(StandardCharsets.UTF_8));
    }

    private static @Nullable Instant parse(String time) {
        try {
            return OffsetDateTime.parse(time).toInstant().truncatedTo(ChronoUnit.MICROS);
        } catch (DateTimeException e) {
            return null;
        }
    }
}

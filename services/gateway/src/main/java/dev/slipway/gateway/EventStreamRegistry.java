package dev.slipway.gateway;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.service.Call;
import dev.slipway.service.Reply;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** Tracks the open event streams of this gateway and limits their number, per principal and in total. */
final class EventStreamRegistry {
    private final Vertx vertx;
    private final GatewayConfig.StreamLimits limits;
    private final EventStream.StreamTimeouts timeouts;
    private final Counter dropped;
    private final Map<EventStream, UUID> open = new ConcurrentHashMap<>();
    private final Map<UUID, Integer> openByPrincipal = new ConcurrentHashMap<>();

    EventStreamRegistry(
            Vertx vertx, GatewayConfig.StreamLimits limits, EventStream.StreamTimeouts timeouts, MeterRegistry meters) {
        this.vertx = vertx;
        this.limits = limits;
        this.timeouts = timeouts;
        this.dropped = Counter.builder("slipway.streams.dropped")
                .description("Event streams closed because the client read too slowly")
                .register(meters);
        Gauge.builder("slipway.streams.open", open, Map::size)
                .description("Open event streams")
                .register(meters);
    }

    void start(RequestContext context, Call call, Function<Call, Future<Reply>> service) {
        var principal = context.principal().id();
        if (open.size() >= limits.total()) {
            throw Problem.of(
                            ErrorCode.SERVICE_UNAVAILABLE,
                            "This gateway has reached its limit of open event streams. Retry shortly, or read the timeline.")
                    .asException();
        }
        if (openByPrincipal.merge(principal, 1, Integer::sum) > limits.perPrincipal()) {
            release(principal);
            throw Problem.of(
                            ErrorCode.RATE_LIMITED,
                            "You have " + limits.perPrincipal() + " open event streams, the maximum. Close one first.")
                    .asException();
        }
        var stream = new EventStream(vertx, context, call, timeouts, service, this);
        open.put(stream, principal);
        stream.start();
    }

    void remove(EventStream stream) {
        var principal = open.remove(stream);
        if (principal != null) {
            release(principal);
        }
    }

    void countDropped() {
        dropped.increment();
    }

    /** Ends all streams; clients reconnect to another gateway with Last-Event-ID. */
    void closeAll() {
        var stopping = Problem.of(
                ErrorCode.SERVICE_UNAVAILABLE, "This gateway is shutting down. Reconnect with Last-Event-ID.");
        open.keySet().forEach(stream -> stream.end(stopping));
    }

    private void release(UUID principal) {
        openByPrincipal.computeIfPresent(principal, (id, count) -> count == 1 ? null : count - 1);
    }
}

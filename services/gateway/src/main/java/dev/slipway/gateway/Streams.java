package dev.slipway.gateway;

import dev.slipway.authz.Principal;
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

/** The streams that this gateway holds open: so many at most for each principal, and in all. */
final class Streams {
    private final Vertx vertx;
    private final GatewayConfig.StreamLimits limits;
    private final EventStream.Waits waits;
    private final Counter dropped;
    private final Map<EventStream, UUID> open = new ConcurrentHashMap<>();
    private final Map<UUID, Integer> held = new ConcurrentHashMap<>();

    Streams(Vertx vertx, GatewayConfig.StreamLimits limits, EventStream.Waits waits, MeterRegistry meters) {
        this.vertx = vertx;
        this.limits = limits;
        this.waits = waits;
        this.dropped = Counter.builder("slipway.streams.dropped")
                .description("Streams whose reader did not keep up")
                .register(meters);
        Gauge.builder("slipway.streams.open", open, Map::size)
                .description("Streams of events that are open")
                .register(meters);
    }

    void start(Exchange exchange, Principal principal, Call call, Function<Call, Future<Reply>> service) {
        if (open.size() >= limits.inAll()) {
            throw Problem.of(
                            ErrorCode.SERVICE_UNAVAILABLE,
                            "This gateway has as many streams open as it holds. Try again shortly, or read the timeline.")
                    .asException();
        }
        if (held.merge(principal.id(), 1, Integer::sum) > limits.perPrincipal()) {
            release(principal.id());
            throw Problem.of(
                            ErrorCode.RATE_LIMITED,
                            "You have " + limits.perPrincipal() + " streams open here. Close one first.")
                    .asException();
        }
        var stream = new EventStream(vertx, exchange, call, waits, service, this);
        open.put(stream, principal.id());
        stream.start();
    }

    void left(EventStream stream) {
        var principal = open.remove(stream);
        if (principal != null) {
            release(principal);
        }
    }

    void dropped() {
        dropped.increment();
    }

    /** Its readers come back to another gateway, with the last id they saw. */
    void endAll() {
        var stopping =
                Problem.of(ErrorCode.SERVICE_UNAVAILABLE, "This gateway is stopping. Come back with Last-Event-ID.");
        open.keySet().forEach(stream -> stream.end(stopping));
    }

    private void release(UUID principal) {
        held.computeIfPresent(principal, (id, count) -> count == 1 ? null : count - 1);
    }
}

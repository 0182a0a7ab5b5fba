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
import org.jspecify.annotations.Nullable;

import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** Tracks the open event streams of this gateway and limits their number, per principal, per organization and in total. */
final class EventStreamRegistry {
    private final Vertx vertx;
    private final GatewayConfig.StreamLimits limits;
    private final EventStream.StreamTimeouts timeouts;
    private final Counter dropped;
    private final Function<UUID, @Nullable UUID> orgOfProject;
    private final Map<EventStream, UUID> open = new ConcurrentHashMap<>();
    private final Map<UUID, Integer> openByPrincipal = new ConcurrentHashMap<>();
    private final Map<EventStream, UUID> organizations = new ConcurrentHashMap<>();
    private final Map<UUID, Integer> openByOrganization = new ConcurrentHashMap<>();

    EventStreamRegistry(
            Vertx vertx,
            GatewayConfig.StreamLimits limits,
            EventStream.StreamTimeouts timeouts,
            Function<UUID, @Nullable UUID> orgOfProject,
            MeterRegistry meters) {
        this.vertx = vertx;
        this.limits = limits;
        this.timeouts = timeouts;
        this.orgOfProject = orgOfProject;
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
            release(openByPrincipal, principal);
            throw Problem.of(
                            ErrorCode.RATE_LIMITED,
                            "You have " + limits.perPrincipal() + " open event streams, the maximum. Close one first.")
                    .asException();
        }
        var stream = new EventStream(vertx, context, call, timeouts, service, this);
        open.put(stream, principal);
        stream.start();
    }

    /**
     * Counts a stream for the organization in its path. Call it after the service has authorized the stream: a stranger must not use up the
     * streams of an organization. Returns the problem if the organization has too many; null otherwise.
     */
    @Nullable
    Problem countInOrganization(EventStream stream, Map<String, String> path) {
        var projectId = path.get("project_id");
        var orgId = projectId == null ? null : orgOfProject.apply(UUID.fromString(projectId));
        if (orgId == null) {
            return null;
        }
        if (openByOrganization.merge(orgId, 1, Integer::sum) > limits.perOrganization()) {
            release(openByOrganization, orgId);
            return Problem.of(
                    ErrorCode.RATE_LIMITED,
                    "Your organization has " + limits.perOrganization()
                            + " open event streams, the maximum. Close one first, or read the timeline.");
        }
        organizations.put(stream, orgId);
        return null;
    }

    void remove(EventStream stream) {
        var principal = open.remove(stream);
        if (principal != null) {
            release(openByPrincipal, principal);
        }
        var organization = organizations.remove(stream);
        if (organization != null) {
            release(openByOrganization, organization);
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

    private static void release(Map<UUID, Integer> counts, UUID owner) {
        counts.computeIfPresent(owner, (id, count) -> count == 1 ? null : count - 1);
    }
}

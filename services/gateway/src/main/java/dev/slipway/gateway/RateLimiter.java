package dev.slipway.gateway;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.slipway.authz.Principal;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.gateway.GatewayConfig.RequestRates;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Map;
import java.util.UUID;

/**
 * Limits the requests of each principal and each client address. As a handler it checks the address, and runs before routing, so that
 * unknown paths and methods count too. Gateways of a cluster exchange their usage a few times a second over the
 * event bus; if such messages are lost, the limits become more permissive.
 */
final class RateLimiter implements Handler<RoutingContext> {
    private static final String ADDRESS = "slipway.gateway.rates";
    private static final long SHARE_INTERVAL_MS = 200;
    /** A failed authentication, or a wait for a revision, costs as much as this many requests. */
    private static final int FAILURE_COST = 20;

    private static final Duration AUDIT_INTERVAL = Duration.ofMinutes(1);
    private static final int MAX_AUDIT_KEYS = 10_000;

    private final TokenBuckets principals;
    private final TokenBuckets addresses;
    private final TokenBuckets tokenRequests;
    private final Counter limited;
    private final RateLimitAudit audit;
    private final String self = UUID.randomUUID().toString();
    /** Callers whose rejection was audited within the interval. */
    private final Cache<String, Boolean> audited = Caffeine.newBuilder()
            .maximumSize(MAX_AUDIT_KEYS)
            .expireAfterWrite(AUDIT_INTERVAL)
            .build();

    RateLimiter(RequestRates rates, boolean shared, RateLimitAudit audit, MeterRegistry meters) {
        this.principals = new TokenBuckets(rates.perPrincipal(), shared);
        this.addresses = new TokenBuckets(rates.perAddress(), shared);
        this.tokenRequests = new TokenBuckets(rates.tokenRequestsPerAddress(), shared);
        this.audit = audit;
        this.limited = Counter.builder("slipway.requests.limited")
                .description("Requests rejected by a rate limit")
                .register(meters);
    }

    /** Publishes this gateway's usage to the others, and applies theirs. */
    void startSharing(Vertx vertx) {
        vertx.eventBus().<JsonObject>consumer(ADDRESS, message -> {
            if (!self.equals(message.body().getString("from"))) {
                applyRemoteUsage(message.body());
            }
        });
        vertx.setPeriodic(SHARE_INTERVAL_MS, timer -> {
            var byPrincipal = principals.drainConsumed();
            var byAddress = addresses.drainConsumed();
            var exchanges = tokenRequests.drainConsumed();
            if (byPrincipal.isEmpty() && byAddress.isEmpty() && exchanges.isEmpty()) {
                return;
            }
            var usage = new JsonObject()
                    .put("from", self)
                    .put("principals", new JsonObject(Map.copyOf(byPrincipal)))
                    .put("addresses", new JsonObject(Map.copyOf(byAddress)))
                    .put("exchanges", new JsonObject(Map.copyOf(exchanges)));
            vertx.eventBus().publish(ADDRESS, usage);
        });
    }

    @Override
    public void handle(RoutingContext routing) {
        checkAddress(routing.request());
        routing.next();
    }

    /** Rejects the request if its client address exceeds its rate. */
    void checkAddress(HttpServerRequest request) {
        checkAddress(addresses, request);
    }

    /** Rejects the token request if its client address exceeds the rate of those. */
    void checkTokenRequest(HttpServerRequest request) {
        checkAddress(tokenRequests, request);
    }

    private void checkAddress(TokenBuckets buckets, HttpServerRequest request) {
        var address = address(request);
        var waitMs = buckets.tryConsume(address, 1, System.nanoTime());
        if (waitMs > 0) {
            reject(request, waitMs, "address " + address, null);
        }
    }

    /** Counts a request that was rejected before the router could check its address. */
    void countInvalid(HttpServerRequest request) {
        addresses.consume(address(request), 1, System.nanoTime());
    }

    /** Rejects the request if its principal exceeds its rate. */
    void checkPrincipal(HttpServerRequest request, Principal principal) {
        var id = principal.id().toString();
        var waitMs = principals.tryConsume(id, 1, System.nanoTime());
        if (waitMs > 0) {
            reject(request, waitMs, id, principal);
        }
    }

    /** Slows down addresses that guess tokens or secrets. An expired token is not a guess and costs nothing. */
    void penalizeFailure(HttpServerRequest request, @Nullable Problem problem) {
        if (problem == null) {
            return;
        }
        var now = System.nanoTime();
        if (problem.code() == ErrorCode.CREDENTIAL_INVALID) {
            tokenRequests.consume(address(request), FAILURE_COST, now);
        }
        if (problem.code() == ErrorCode.CREDENTIAL_INVALID || problem.code() == ErrorCode.TOKEN_INVALID) {
            addresses.consume(address(request), FAILURE_COST, now);
        }
    }

    /** Charges a principal for a request that waited in vain for a revision. */
    void penalizeWait(Principal principal) {
        principals.consume(principal.id().toString(), FAILURE_COST, System.nanoTime());
    }

    private void reject(HttpServerRequest request, long waitMs, String caller, @Nullable Principal principal) {
        limited.increment();
        if (audited.asMap().putIfAbsent(caller, true) == null) {
            audit.recordRejection(caller, principal);
        }
        var seconds = (waitMs + 999) / 1_000;
        request.response().putHeader(HttpHeaders.RETRY_AFTER, String.valueOf(seconds));
        throw Problem.of(ErrorCode.RATE_LIMITED, "Too many requests. Retry in " + seconds + " s.")
                .asException();
    }

    private void applyRemoteUsage(JsonObject usage) {
        var now = System.nanoTime();
        consumeAll(principals, usage.getJsonObject("principals"), now);
        consumeAll(addresses, usage.getJsonObject("addresses"), now);
        consumeAll(tokenRequests, usage.getJsonObject("exchanges"), now);
    }

    private static void consumeAll(TokenBuckets buckets, @Nullable JsonObject usage, long now) {
        if (usage == null) {
            return;
        }
        usage.forEach(entry -> {
            if (entry.getValue() instanceof Integer cost) {
                buckets.consume(entry.getKey(), cost, now);
            }
        });
    }

    /** Returns the address of the connection; headers such as X-Forwarded-For can be forged. */
    static String address(HttpServerRequest request) {
        var remote = request.remoteAddress();
        return remote == null ? "unknown" : String.valueOf(remote.hostAddress());
    }
}

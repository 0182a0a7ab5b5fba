package dev.slipway.gateway;

import dev.slipway.authz.Principal;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Operation;
import dev.slipway.contract.Problem;
import dev.slipway.gateway.GatewayConfig.Rates;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/**
 * How much one principal and one address may ask for. Counted in this process; several gateways tell each other a few times a second what
 * they let through, and nobody waits for that: a message that is lost forgets some requests, and holds none back.
 */
final class RateLimits {
    private static final String ADDRESS = "slipway.gateway.rates";
    private static final long TELL_EVERY_MS = 200;
    /** A failed authentication counts like this many requests of its address. */
    private static final int FAILURE_COST = 20;

    private static final long AUDIT_EVERY_NS = 60_000_000_000L;
    private static final int MAX_AUDITED = 10_000;

    private final Buckets principals;
    private final Buckets addresses;
    private final Buckets exchanges;
    private final Counter limited;
    private final RateLimitAudit audit;
    private final String self = UUID.randomUUID().toString();
    private final Map<String, Long> auditedNs = Collections.synchronizedMap(new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
            return size() > MAX_AUDITED;
        }
    });

    RateLimits(Rates rates, boolean shared, RateLimitAudit audit, MeterRegistry meters) {
        this.principals = new Buckets(rates.perPrincipal(), shared);
        this.addresses = new Buckets(rates.perAddress(), shared);
        this.exchanges = new Buckets(rates.exchangesPerAddress(), shared);
        this.audit = audit;
        this.limited = Counter.builder("slipway.requests.limited")
                .description("Requests that were refused for coming too fast")
                .register(meters);
    }

    /** Tells the other gateways what this one lets through, and hears it from them. */
    void share(Vertx vertx) {
        vertx.eventBus().<JsonObject>consumer(ADDRESS, message -> {
            if (!self.equals(message.body().getString("from"))) {
                hear(message.body());
            }
        });
        vertx.setPeriodic(TELL_EVERY_MS, timer -> {
            var spent = new JsonObject()
                    .put("from", self)
                    .put("principals", new JsonObject(Map.copyOf(principals.drainSpent())))
                    .put("addresses", new JsonObject(Map.copyOf(addresses.drainSpent())))
                    .put("exchanges", new JsonObject(Map.copyOf(exchanges.drainSpent())));
            vertx.eventBus().publish(ADDRESS, spent);
        });
    }

    /** Refuses a request whose address asks too much. */
    void requireAddress(HttpServerRequest request, Operation operation) {
        var address = address(request);
        var now = System.nanoTime();
        var waitMs = addresses.take(address, 1, now);
        if (waitMs == 0 && operation.scope() == Operation.Scope.PUBLIC && operation.changesSomething()) {
            waitMs = exchanges.take(address, 1, now);
        }
        if (waitMs > 0) {
            refuse(request, waitMs, "address " + address, null, now);
        }
    }

    /** Refuses a request whose principal asks too much. */
    void requirePrincipal(HttpServerRequest request, Principal principal) {
        var now = System.nanoTime();
        var waitMs = principals.take(principal.id().toString(), 1, now);
        if (waitMs > 0) {
            refuse(request, waitMs, principal.id().toString(), principal, now);
        }
    }

    /** Guessing gets slower with every wrong guess. A token that has expired is no guess. */
    void answered(HttpServerRequest request, @Nullable Problem problem) {
        if (problem == null) {
            return;
        }
        var now = System.nanoTime();
        if (problem.code() == ErrorCode.CREDENTIAL_INVALID) {
            exchanges.spend(address(request), FAILURE_COST, now);
        }
        if (problem.code() == ErrorCode.CREDENTIAL_INVALID || problem.code() == ErrorCode.TOKEN_INVALID) {
            addresses.spend(address(request), FAILURE_COST, now);
        }
    }

    private void refuse(HttpServerRequest request, long waitMs, String who, @Nullable Principal principal, long nowNs) {
        limited.increment();
        var last = auditedNs.get(who);
        if (last == null || nowNs - last > AUDIT_EVERY_NS) {
            auditedNs.put(who, nowNs);
            audit.limited(who, principal);
        }
        var seconds = (waitMs + 999) / 1_000;
        request.response().putHeader("Retry-After", String.valueOf(seconds));
        throw Problem.of(ErrorCode.RATE_LIMITED, "Too many requests. Come back in " + seconds + " s.")
                .asException();
    }

    private void hear(JsonObject spent) {
        var now = System.nanoTime();
        spendAll(principals, spent.getJsonObject("principals"), now);
        spendAll(addresses, spent.getJsonObject("addresses"), now);
        spendAll(exchanges, spent.getJsonObject("exchanges"), now);
    }

    private static void spendAll(Buckets buckets, @Nullable JsonObject spent, long now) {
        if (spent == null) {
            return;
        }
        spent.forEach(entry -> {
            if (entry.getValue() instanceof Integer cost) {
                buckets.spend(entry.getKey(), cost, now);
            }
        });
    }

    /** The address of the connection: what a header says of it could be anyone's invention. */
    private static String address(HttpServerRequest request) {
        var remote = request.remoteAddress();
        return remote == null ? "unknown" : String.valueOf(remote.hostAddress());
    }
}

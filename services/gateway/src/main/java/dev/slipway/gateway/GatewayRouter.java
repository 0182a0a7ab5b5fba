package dev.slipway.gateway;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.gateway.GatewayConfig.Cors;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.CorsHandler;

import java.util.List;
import java.util.Set;

/**
 * Builds the router: the handlers that requests pass, in order.
 *
 * <p>Contract operations are resolved by the {@link OperationResolver} behind one route, because a Router tests its routes one after the
 * other. Bodies are read after authentication, so that the gateway buffers nothing for unauthenticated clients.
 */
final class GatewayRouter {
    private static final CharSequence CONTENT_TYPE_OPTIONS = HttpHeaders.createOptimized("X-Content-Type-Options");
    private static final CharSequence NOSNIFF = HttpHeaders.createOptimized("nosniff");
    private static final CharSequence TRANSPORT_SECURITY = HttpHeaders.createOptimized("Strict-Transport-Security");
    private static final CharSequence TLS_FOR_HALF_A_YEAR = HttpHeaders.createOptimized("max-age=15768000");
    /** A regular expression without groups: a route with a wildcard decodes what the wildcard matches, and fails if it cannot. */
    private static final String CONTRACT_PATHS = "/api/v1/.*|/\\.well-known/.*";

    /** The request headers of the contract, which browser clients of other origins may send. */
    private static final Set<String> REQUEST_HEADERS = Set.of(
            "Authorization",
            "Content-Type",
            "Idempotency-Key",
            "If-Match",
            "If-None-Match",
            "Last-Event-ID",
            "X-Break-Glass-Reason",
            "X-Correlation-ID",
            "X-Project-ID",
            "X-Request-Id",
            "X-Revision",
            "traceparent");
    /** The response headers that browser clients of other origins may read. */
    private static final Set<String> RESPONSE_HEADERS = Set.of(
            "ETag",
            "Location",
            "Retry-After",
            "WWW-Authenticate",
            "X-As-Of",
            "X-Correlation-ID",
            "X-Focus-Version",
            "X-Lag-Seconds",
            "X-Next-Cursor",
            "X-Revision");

    private GatewayRouter() {}

    /**
     * Creates the router of a gateway.
     *
     * @param operationHandlers the handlers of contract operations, in order
     */
    static Router create(
            Vertx vertx,
            GatewayConfig config,
            CorrelationHandler correlation,
            RateLimiter limiter,
            List<Handler<RoutingContext>> operationHandlers,
            ApiDocuments documents) {
        var router = Router.router(vertx);
        var secure = config.tls() != null;
        router.route()
                .handler(correlation)
                .handler(routing -> {
                    addSecurityHeaders(routing.response(), secure);
                    routing.next();
                })
                .failureHandler(new FailureHandler(correlation));
        // Before anything is rejected: a browser shows its page only responses with CORS headers.
        if (!config.cors().origins().isEmpty()) {
            router.route().handler(cors(config.cors(), limiter));
        }
        router.route()
                .handler(limiter)
                .handler(GatewayRouter::rejectControlCharacters)
                .handler(GatewayRouter::rejectHugeBody);
        var operations = router.routeWithRegex(CONTRACT_PATHS).useNormalizedPath(false);
        operationHandlers.forEach(operations::handler);
        documents.mount(router);
        router.route().handler(GatewayRouter::rejectUnknownPath);
        return router;
    }

    static void addSecurityHeaders(HttpServerResponse response, boolean secure) {
        response.putHeader(CONTENT_TYPE_OPTIONS, NOSNIFF);
        if (secure) {
            response.putHeader(TRANSPORT_SECURITY, TLS_FOR_HALF_A_YEAR);
        }
    }

    /** The HTTP decoder accepts control characters in a path and a query; no service can store them. */
    private static void rejectControlCharacters(RoutingContext routing) {
        if (routing.request().uri().chars().anyMatch(Character::isISOControl)) {
            throw Problem.validationOf(ErrorCode.INVALID_REQUEST, "path", "has a control character")
                    .asException();
        }
        routing.next();
    }

    /** Answers before the body arrives; the connection is closed with the response. */
    private static void rejectHugeBody(RoutingContext routing) {
        if (CorrelationHandler.isHuge(routing.request())) {
            throw Problem.validationOf(
                            ErrorCode.BODY_TOO_LARGE,
                            "body",
                            "is larger than " + (CorrelationHandler.MAX_DISCARDED_BYTES >> 20) + " MiB")
                    .asException();
        }
        routing.next();
    }

    /**
     * A request of another origin gets no CORS headers, and the browser blocks its response; other clients send no Origin. Preflights end
     * here, so their address is checked here.
     */
    private static Handler<RoutingContext> cors(Cors cors, RateLimiter limiter) {
        var allowed = CorsHandler.create()
                .allowedMethods(Set.of(
                        HttpMethod.GET,
                        HttpMethod.HEAD,
                        HttpMethod.POST,
                        HttpMethod.PUT,
                        HttpMethod.PATCH,
                        HttpMethod.DELETE))
                .allowedHeaders(REQUEST_HEADERS)
                .exposedHeaders(RESPONSE_HEADERS)
                .maxAgeSeconds((int) cors.maxAge().toSeconds());
        if (!cors.allowsAnyOrigin()) {
            allowed.addOrigins(cors.origins());
        }
        return routing -> {
            var origin = routing.request().getHeader(HttpHeaders.ORIGIN);
            if (origin != null && !cors.allows(origin)) {
                routing.response().headers().add(HttpHeaders.VARY, HttpHeaders.ORIGIN);
                routing.next();
                return;
            }
            if (origin != null && isPreflight(routing.request())) {
                limiter.checkAddress(routing.request());
            }
            allowed.handle(routing);
        };
    }

    private static boolean isPreflight(HttpServerRequest request) {
        return request.method().equals(HttpMethod.OPTIONS)
                && request.headers().contains(HttpHeaders.ACCESS_CONTROL_REQUEST_METHOD);
    }

    private static void rejectUnknownPath(RoutingContext routing) {
        routing.fail(Problem.of(ErrorCode.NOT_FOUND, "No such path.").asException());
    }
}

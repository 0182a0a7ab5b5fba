package dev.slipway.gateway;

import dev.slipway.authz.Principal;
import dev.slipway.contract.ApiOperation;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.ErrorEnvelope;
import dev.slipway.contract.Problem;
import dev.slipway.service.Reply;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.opentelemetry.api.trace.SpanContext;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.ext.web.RoutingContext;
import org.jspecify.annotations.Nullable;

import java.util.Map;
import java.util.Objects;

/** Holds the state of one request from its arrival to its access-log entry, and writes its response. */
final class RequestContext {
    static final CharSequence CORRELATION_ID = HttpHeaders.createOptimized("X-Correlation-ID");
    static final CharSequence NO_STORE = HttpHeaders.createOptimized("no-store");

    private static final String KEY = RequestContext.class.getName();
    private static final CharSequence REVISION = HttpHeaders.createOptimized("X-Revision");
    private static final CharSequence JSON = HttpHeaders.createOptimized("application/json");
    private static final CharSequence DEFAULT_RETRY_AFTER_SECONDS = HttpHeaders.createOptimized("1");

    private final RoutingContext routing;
    private final String correlationId;
    private final SpanContext span;
    private final long startedNs = System.nanoTime();
    private @Nullable ApiOperation operation;
    private @Nullable Principal principal;
    private @Nullable String token;
    private Map<String, String> path = Map.of();
    private @Nullable String errorCode;
    private boolean started;

    private RequestContext(RoutingContext routing, String correlationId, SpanContext span) {
        this.routing = routing;
        this.correlationId = correlationId;
        this.span = span;
    }

    /** Attaches a new context to the routing context; {@link #of} returns it from then on. */
    static RequestContext create(RoutingContext routing, String correlationId, SpanContext span) {
        var created = new RequestContext(routing, correlationId, span);
        routing.put(KEY, created);
        routing.response().putHeader(CORRELATION_ID, correlationId);
        return created;
    }

    /** Returns the context of a request; null if the router rejected the request before its first handler. */
    static @Nullable RequestContext find(RoutingContext routing) {
        return routing.get(KEY);
    }

    static RequestContext of(RoutingContext routing) {
        return Objects.requireNonNull(find(routing), "the correlation handler has not run");
    }

    RoutingContext routing() {
        return routing;
    }

    HttpServerRequest request() {
        return routing.request();
    }

    HttpServerResponse response() {
        return routing.response();
    }

    String correlationId() {
        return correlationId;
    }

    SpanContext span() {
        return span;
    }

    long startedNs() {
        return startedNs;
    }

    @Nullable
    ApiOperation matchedOperation() {
        return operation;
    }

    /** Returns the matched operation. Call it only behind the {@link OperationResolver}. */
    ApiOperation operation() {
        return Objects.requireNonNull(operation, "no operation was matched");
    }

    /** Returns the decoded path parameters. */
    Map<String, String> path() {
        return path;
    }

    void setOperation(ApiOperation matched, Map<String, String> parameters) {
        operation = matched;
        path = parameters;
    }

    @Nullable
    Principal authenticatedPrincipal() {
        return principal;
    }

    /** Returns the caller. Call it only for operations that require a token. */
    Principal principal() {
        return Objects.requireNonNull(principal, "a public operation has no principal");
    }

    @Nullable
    String token() {
        return token;
    }

    void setAuthenticated(Principal caller, String verifiedToken) {
        principal = caller;
        token = verifiedToken;
    }

    /** Sets the bearer token of a public operation, whose service compares it with a secret. */
    void setUnverifiedToken(@Nullable String given) {
        token = given;
    }

    @Nullable
    String errorCode() {
        return errorCode;
    }

    void setErrorCode(@Nullable String code) {
        errorCode = code;
    }

    boolean isStarted() {
        return started;
    }

    private boolean canRespond() {
        return !started && !response().closed();
    }

    void sendReply(Reply reply) {
        var problem = reply.problem();
        if (problem != null) {
            sendError(problem);
            return;
        }
        if (!canRespond()) {
            return;
        }
        started = true;
        var response = response();
        var location = reply.location();
        if (location != null) {
            response.putHeader(
                    HttpHeaders.LOCATION, operation().isAdminVariant() ? toAdminLocation(location) : location);
        }
        var revision = reply.revision();
        if (revision != null) {
            response.putHeader(REVISION, revision.toString());
        }
        reply.headers().forEach(response::putHeader);
        if (operation().isStream()) {
            var ignored = startStream().end(); // HEAD: the events of a GET are written by EventStream
            return;
        }
        response.putHeader(HttpHeaders.CACHE_CONTROL, operation().cacheControl());
        var etag = reply.etag();
        if (etag != null) {
            response.putHeader(HttpHeaders.ETAG, etag);
            if (isRead() && routing.isFresh()) {
                ResponseWriter.endEmpty(routing, HttpResponseStatus.NOT_MODIFIED);
                return;
            }
        }
        var body = Buffer.buffer(reply.body());
        // A strong ETag names exact bytes, so a representation that has one is never re-encoded.
        if (etag == null) {
            ResponseWriter.endCompressible(
                    routing, operation().successStatus(), operation().contentType(), body);
        } else {
            ResponseWriter.end(routing, operation().successStatus(), operation().contentType(), body);
        }
    }

    /** Clients that used an admin variant of an operation can follow the location only through the admin API. */
    private static String toAdminLocation(String location) {
        return location.replaceFirst("^/api/v1/", "/api/v1/admin/");
    }

    private boolean isRead() {
        var method = request().method();
        return method.equals(HttpMethod.GET) || method.equals(HttpMethod.HEAD);
    }

    /** Starts a response of unknown length. Its access-log entry is written when it ends. */
    HttpServerResponse startStream() {
        started = true;
        return response()
                .setStatusCode(operation().successStatus())
                .setChunked(true)
                .putHeader(HttpHeaders.CONTENT_TYPE, "text/event-stream")
                .putHeader(HttpHeaders.CACHE_CONTROL, NO_STORE);
    }

    /** Aborts the response: resets the stream (HTTP/2) or closes the connection (HTTP/1.1). */
    void abort() {
        if (request().version() == HttpVersion.HTTP_2) {
            var ignored = response().reset();
        } else {
            var ignored = request().connection().close();
        }
    }

    void sendError(Problem problem) {
        if (!canRespond()) {
            return;
        }
        started = true;
        errorCode = problem.code().code();
        var headers = response().headers();
        var currentEtag = problem.details().path("etag");
        if (currentEtag.isTextual()) {
            headers.set(HttpHeaders.ETAG, currentEtag.textValue());
        }
        headers.set(HttpHeaders.CACHE_CONTROL, NO_STORE);
        switch (problem.code().kind()) {
            case UNAUTHENTICATED -> headers.set(HttpHeaderNames.WWW_AUTHENTICATE, challenge(problem.code()));
            case TOO_MANY_REQUESTS, UNAVAILABLE, UNAVAILABLE_DEPENDENCY -> {
                if (!headers.contains(HttpHeaders.RETRY_AFTER)) {
                    headers.set(HttpHeaders.RETRY_AFTER, DEFAULT_RETRY_AFTER_SECONDS);
                }
            }
            default -> {}
        }
        ResponseWriter.end(
                routing,
                ErrorEnvelope.status(problem),
                JSON,
                Buffer.buffer(ErrorEnvelope.of(problem, correlationId).toBytes()));
    }

    private static String challenge(ErrorCode code) {
        return switch (code) {
            case TOKEN_INVALID, TOKEN_EXPIRED, TOKEN_REVOKED -> "Bearer realm=\"slipway\", error=\"invalid_token\"";
            default -> "Bearer realm=\"slipway\"";
        };
    }
}

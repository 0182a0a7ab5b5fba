package dev.slipway.gateway;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Problem;
import dev.slipway.telemetry.Correlation;
import dev.slipway.telemetry.Traces;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Context;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.ext.web.RoutingContext;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs first: gives the request a correlation id and a trace, and writes its access-log entry when the response has ended. A request body
 * that was not read by then is discarded, so that the client can finish sending and read the response.
 */
final class CorrelationHandler implements Handler<RoutingContext> {
    /** Request headers that may carry the correlation id; the first valid one wins. */
    private static final List<String> HEADERS = List.of("X-Correlation-ID", "X-Request-Id");

    /** The size of an unread body that is discarded before the connection is closed. A larger body is rejected by its declared length. */
    static final int MAX_DISCARDED_BYTES = 16 << 20;

    private final AccessLog accessLog;
    private final long bodyTimeoutMs;

    CorrelationHandler(AccessLog accessLog, Duration bodyTimeout) {
        this.accessLog = accessLog;
        this.bodyTimeoutMs = bodyTimeout.toMillis();
    }

    @Override
    public void handle(RoutingContext routing) {
        attach(routing);
        routing.next();
    }

    /** Returns the request's context, and creates it if the router failed before its first handler. */
    @CanIgnoreReturnValue
    RequestContext attach(RoutingContext routing) {
        var existing = RequestContext.find(routing);
        if (existing != null) {
            return existing;
        }
        var correlationId = correlationId(routing.request());
        Traces.makeCurrent(Correlation.with(Context.current(), correlationId));
        var context =
                RequestContext.create(routing, correlationId, Span.current().getSpanContext());
        routing.addEndHandler(ended -> {
            if (ended.succeeded() || context.isStarted()) {
                accessLog.record(context);
            }
            discardUnreadBody(routing);
        });
        var connection = routing.request().connection();
        StrictRequestDecoder.setInvalidBodyHandler(connection, () -> rejectInvalidBody(context));
        return context;
    }

    private static void rejectInvalidBody(RequestContext context) {
        var request = context.request();
        if (context.isStarted()) {
            abort(request);
            return;
        }
        context.routing().addEndHandler(ended -> abort(request));
        context.routing()
                .fail(Problem.validationOf(ErrorCode.INVALID_REQUEST, "body", "is not framed as HTTP/1.1 requires")
                        .asException());
    }

    private void discardUnreadBody(RoutingContext routing) {
        var request = routing.request();
        if (request.isEnded()) {
            return;
        }
        if (isHuge(request)) {
            abort(request);
            return;
        }
        var vertx = routing.vertx();
        var timer = vertx.setTimer(bodyTimeoutMs, late -> abort(request));
        var discarded = new AtomicInteger();
        request.handler(chunk -> {
            if (discarded.addAndGet(chunk.length()) > MAX_DISCARDED_BYTES) {
                abort(request);
            }
        });
        request.endHandler(end -> vertx.cancelTimer(timer));
        request.exceptionHandler(failure -> vertx.cancelTimer(timer));
        request.resume();
    }

    /** Returns whether the declared length of the body is so large that the gateway does not even discard it. */
    static boolean isHuge(HttpServerRequest request) {
        var length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
        try {
            return length != null && Long.parseLong(length) > MAX_DISCARDED_BYTES;
        } catch (NumberFormatException e) {
            return true;
        }
    }

    private static void abort(HttpServerRequest request) {
        if (request.version() == HttpVersion.HTTP_2) {
            var ignored = request.response().reset();
        } else {
            var ignored = request.connection().close();
        }
    }

    private static String correlationId(HttpServerRequest request) {
        for (var name : HEADERS) {
            var requested = request.getHeader(name);
            if (requested != null && Correlation.isValid(requested)) {
                return requested;
            }
        }
        return Ids.next().toString();
    }
}

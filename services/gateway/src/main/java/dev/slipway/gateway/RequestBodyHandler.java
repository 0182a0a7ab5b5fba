package dev.slipway.gateway;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Reads the JSON body of operations that have one: up to the operation's limit, in memory, within a timeout. */
final class RequestBodyHandler implements Handler<RoutingContext> {
    private final Map<Integer, BodyHandler> delegates = new ConcurrentHashMap<>();
    private final Duration timeout;

    RequestBodyHandler(Duration timeout) {
        this.timeout = timeout;
    }

    @Override
    public void handle(RoutingContext routing) {
        var operation = RequestContext.of(routing).operation();
        if (!operation.hasBody()) {
            routing.next();
            return;
        }
        requireJson(routing.request());
        startTimeout(routing);
        delegates
                .computeIfAbsent(operation.maxBodyBytes(), RequestBodyHandler::bodyHandler)
                .handle(routing);
    }

    private static BodyHandler bodyHandler(int maxBytes) {
        return BodyHandler.create(false).setBodyLimit(maxBytes).setPreallocateBodyBuffer(true);
    }

    /** A client that sends slowly would otherwise occupy a connection and a buffer indefinitely. */
    private void startTimeout(RoutingContext routing) {
        if (routing.request().isEnded()) {
            return;
        }
        var vertx = routing.vertx();
        var timer = vertx.setTimer(timeout.toMillis(), late -> {
            if (!routing.request().isEnded() && !routing.failed()) {
                routing.fail(Problem.validationOf(
                                ErrorCode.INVALID_REQUEST,
                                "body",
                                "did not arrive within " + timeout.toSeconds() + " s")
                        .asException());
            }
        });
        routing.addEndHandler(ended -> vertx.cancelTimer(timer));
    }

    private static void requireJson(HttpServerRequest request) {
        var type = request.getHeader(HttpHeaders.CONTENT_TYPE);
        if (type == null
                || !type.toLowerCase(Locale.ROOT).split(";", 2)[0].strip().equals("application/json")) {
            throw Problem.validationOf(ErrorCode.UNSUPPORTED_MEDIA_TYPE, "Content-Type", "must be application/json")
                    .asException();
        }
        var encoding = request.getHeader(HttpHeaders.CONTENT_ENCODING);
        if (encoding != null && !encoding.equalsIgnoreCase("identity")) {
            throw Problem.validationOf(
                            ErrorCode.UNSUPPORTED_MEDIA_TYPE,
                            "Content-Encoding",
                            "must be absent: send the body as it is")
                    .asException();
        }
    }
}

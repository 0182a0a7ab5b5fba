package dev.slipway.gateway;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Operation;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import dev.slipway.service.Call;
import dev.slipway.service.Frame;
import dev.slipway.service.Reply;
import dev.slipway.service.Revisions;
import dev.slipway.telemetry.Correlation;
import dev.slipway.telemetry.Traces;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.internal.net.RFC3986;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** What happens to a request: correlation, route, token, body, contract, and then to the service over the bus. */
final class Edge {
    private static final Logger LOG = LoggerFactory.getLogger(Edge.class);
    /** The first that is valid counts. */
    private static final List<String> CORRELATION_HEADERS = List.of("X-Correlation-ID", "X-Request-Id");

    private final Vertx vertx;
    private final Frame frame;
    private final RouteTable routes;
    private final CallRecords records;
    private final Revisions revisions;
    private final RateLimits limits;
    private final Streams streams;
    private final Bodies bodies;
    private final DeliveryOptions delivery;

    Edge(
            Vertx vertx,
            Frame frame,
            CallRecords records,
            RateLimits limits,
            Streams streams,
            Bodies bodies,
            Duration replyTimeout) {
        this.vertx = vertx;
        this.frame = frame;
        this.routes = new RouteTable(frame.contract().operations());
        this.records = records;
        this.revisions = frame.revisions();
        this.limits = limits;
        this.streams = streams;
        this.bodies = bodies;
        this.delivery =
                new DeliveryOptions().setSendTimeout(replyTimeout.toMillis()).setLocalOnly(!frame.clustered());
    }

    void handle(HttpServerRequest request) {
        var exchange = new Exchange(request, correlationId(request), records);
        request.response().endHandler(ended -> bodies.letThrough(request));
        Traces.attach(Correlation.with(Context.current(), exchange.correlationId()));
        guarded(exchange, () -> route(exchange));
    }

    /** Whatever a step throws, its caller gets an answer. */
    private static void guarded(Exchange exchange, Runnable step) {
        try {
            step.run();
        } catch (ProblemException e) {
            exchange.refuse(e.problem());
        } catch (RuntimeException e) {
            LOG.atError().setCause(e).log("the gateway failed");
            exchange.refuse(Problem.of(ErrorCode.INTERNAL_ERROR, "Something went wrong on our side."));
        }
    }

    /** What is not even HTTP that we understand. */
    void handleInvalid(HttpServerRequest request) {
        new Exchange(request, Ids.next().toString(), records)
                .refuse(Problem.of(ErrorCode.INVALID_REQUEST, "This is not a request that HTTP allows."));
        request.connection().close();
    }

    private void route(Exchange exchange) {
        var request = exchange.request();
        var path = request.path();
        var match = path == null ? null : routes.find(request.method().name(), path);
        if (match == null) {
            throw Problem.of(ErrorCode.NOT_FOUND, "There is no such path.").asException();
        }
        var operation = match.operation();
        if (operation == null) {
            var allowed = String.join(", ", new java.util.TreeSet<>(match.methods()));
            request.response().putHeader("Allow", allowed);
            throw Problem.of(ErrorCode.METHOD_NOT_ALLOWED, "This path takes " + allowed + ".")
                    .asException();
        }
        exchange.matched(operation, decoded(match.parameters()));
        limits.requireAddress(request, operation);
        authenticated(exchange, operation);
    }

    /** Whoever sends X-Revision may be somebody that this process is about to hear of. */
    private void authenticated(Exchange exchange, Operation operation) {
        String token;
        try {
            token = authenticate(exchange, operation);
        } catch (ProblemException e) {
            var wanted = exchange.request().getHeader("X-Revision");
            if (e.problem().code() != ErrorCode.TOKEN_INVALID || revisions.isReached(wanted)) {
                limits.answered(exchange.request(), e.problem());
                throw e;
            }
            exchange.request().pause();
            revisions.await(vertx, wanted).onComplete(done -> {
                if (done.failed()) {
                    exchange.refuse(problem(done.cause()));
                } else {
                    guarded(exchange, () -> take(exchange, operation, authenticate(exchange, operation)));
                }
                exchange.request().resume(); // not before somebody is there to take the body
            });
            return;
        }
        take(exchange, operation, token);
    }

    private void take(Exchange exchange, Operation operation, @Nullable String token) {
        var request = exchange.request();
        if (operation.takesBody()) {
            requireJson(request);
            if ("100-continue".equalsIgnoreCase(request.getHeader("Expect"))) {
                request.response().writeContinue();
            }
            bodies.read(request).onComplete(done -> {
                if (done.failed()) {
                    exchange.refuse(problem(done.cause()));
                } else {
                    guarded(exchange, () -> dispatch(exchange, operation, token, done.result()));
                }
            });
        } else {
            dispatch(exchange, operation, token, null);
        }
    }

    private void dispatch(Exchange exchange, Operation operation, @Nullable String token, @Nullable Buffer body) {
        var call = rehearsed(exchange, operation, validated(exchange, operation, token, body));
        if (operation.streams()) {
            streams.start(exchange, exchange.principal(), call, this::ask);
            return;
        }
        ask(call).onComplete(done -> {
            limits.answered(exchange.request(), done.result().problem());
            exchange.answer(done.result());
        });
    }

    /** Where a dry run is asked for, the call of the operation that is one; it is on record as that. */
    private Call rehearsed(Exchange exchange, Operation operation, Call call) {
        var dryRun = operation.dryRun();
        if (dryRun == null || !"true".equals(call.query().get("dry_run"))) {
            return call;
        }
        var instead = frame.contract().operation(dryRun);
        exchange.matched(instead, call.path());
        return call.to(instead.servedBy());
    }

    /** What the service answers; what keeps it from answering is a problem, too. */
    private Future<Reply> ask(Call call) {
        return vertx.eventBus()
                .<Reply>request(call.operationId(), call, delivery)
                .map(Message::body)
                .otherwise(failure -> Reply.of(problem(failure)));
    }

    private @Nullable String authenticate(Exchange exchange, Operation operation) {
        if (operation.scope() == Operation.Scope.PUBLIC) {
            return null;
        }
        var header = exchange.request().getHeader("Authorization");
        if (header == null || !header.regionMatches(true, 0, "Bearer ", 0, 7)) {
            throw Problem.of(ErrorCode.TOKEN_MISSING, "Send Authorization: Bearer <token>.")
                    .asException();
        }
        var token = header.substring(7).strip();
        var principal = frame.tokens().verify(token, frame.clock().instant());
        exchange.authenticated(principal);
        limits.requirePrincipal(exchange.request(), principal);
        return token;
    }

    private static Call validated(
            Exchange exchange, Operation operation, @Nullable String token, @Nullable Buffer body) {
        var request = exchange.request();
        var json = operation.takesBody() ? parsed(body) : null;
        var query = query(request);
        var problems = operation.check(exchange.path(), query, request::getHeader, json);
        if (!problems.isEmpty()) {
            throw Problem.validation(problems).asException();
        }
        var headers = new HashMap<String, String>();
        for (var parameter : operation.headerParameters()) {
            var value = request.getHeader(parameter.name());
            if (value != null) {
                headers.put(parameter.name().toLowerCase(Locale.ROOT), value);
            }
        }
        var project = request.getHeader("X-Project-ID");
        if (project != null && exchange.path().containsKey("project_id")) {
            headers.put("x-project-id", project); // the service compares the two
        }
        var flat = new HashMap<String, String>();
        query.forEach((name, values) -> flat.put(name, values.get(0)));
        return new Call(operation.servedBy(), exchange.correlationId(), token, exchange.path(), flat, headers, json);
    }

    private static @Nullable JsonNode parsed(@Nullable Buffer body) {
        if (body == null || body.length() == 0) {
            return null;
        }
        try {
            return Json.parse(body.getBytes());
        } catch (IOException e) {
            throw Problem.validationOf(ErrorCode.MALFORMED_JSON, "body", "cannot be read: " + firstLine(e))
                    .asException();
        }
    }

    private static String firstLine(IOException e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    }

    private static void requireJson(HttpServerRequest request) {
        var type = request.getHeader("Content-Type");
        if (type == null
                || !type.toLowerCase(Locale.ROOT).split(";", 2)[0].strip().equals("application/json")) {
            throw Problem.validationOf(ErrorCode.UNSUPPORTED_MEDIA_TYPE, "Content-Type", "must be application/json")
                    .asException();
        }
    }

    private static Map<String, List<String>> query(HttpServerRequest request) {
        if (request.query() == null) {
            return Map.of();
        }
        try {
            var query = new TreeMap<String, List<String>>();
            for (var name : request.params().names()) {
                query.put(name, request.params().getAll(name));
            }
            return query;
        } catch (IllegalArgumentException e) {
            throw Problem.validationOf(ErrorCode.VALIDATION_ERROR, "query", "is not percent-encoded correctly")
                    .asException();
        }
    }

    private static Map<String, String> decoded(Map<String, String> parameters) {
        var decoded = new HashMap<String, String>();
        parameters.forEach((name, value) -> {
            try {
                decoded.put(name, value.indexOf('%') < 0 ? value : RFC3986.decodeURIComponent(value, false));
            } catch (IllegalArgumentException e) {
                throw Problem.validationOf(ErrorCode.VALIDATION_ERROR, name, "is not percent-encoded correctly")
                        .asException();
            }
        });
        return decoded;
    }

    private static String correlationId(HttpServerRequest request) {
        for (var name : CORRELATION_HEADERS) {
            var asked = request.getHeader(name);
            if (asked != null && Correlation.isValid(asked)) {
                return asked;
            }
        }
        return Ids.next().toString();
    }

    private static Problem problem(Throwable failure) {
        if (failure instanceof ProblemException expected) {
            return expected.problem();
        }
        if (failure instanceof ReplyException reply) {
            return switch (reply.failureType()) {
                case NO_HANDLERS ->
                    Problem.of(
                            ErrorCode.SERVICE_UNAVAILABLE,
                            "The service behind this operation is not running. Try again shortly.");
                case TIMEOUT ->
                    Problem.of(
                            ErrorCode.TIMEOUT,
                            "The service did not answer in time; it may still do what was asked. Retry with the same Idempotency-Key.");
                case ERROR ->
                    Problem.of(
                            ErrorCode.SERVICE_UNAVAILABLE,
                            "The process behind this operation went away; it may have done what was asked. Retry with the same Idempotency-Key.");
                default -> Problem.of(ErrorCode.INTERNAL_ERROR, "Something went wrong on our side.");
            };
        }
        LOG.atWarn().setCause(failure).log("a request broke off");
        return Problem.of(ErrorCode.INVALID_REQUEST, "The request broke off.");
    }
}

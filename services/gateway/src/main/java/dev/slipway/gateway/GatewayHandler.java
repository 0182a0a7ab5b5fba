package dev.slipway.gateway;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.ApiOperation;
import dev.slipway.contract.Contract;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.service.Call;
import dev.slipway.service.Reply;
import dev.slipway.service.ServiceContext;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
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

/** Validates a request against its contract operation and sends it to the service over the event bus. */
final class GatewayHandler implements Handler<RoutingContext> {
    private static final Logger LOG = LoggerFactory.getLogger(GatewayHandler.class);
    private static final int MAX_USER_AGENT_LENGTH = 256;

    private final Vertx vertx;
    private final Contract contract;
    private final RateLimiter limiter;
    private final EventStreamRegistry streams;
    private final DeliveryOptions delivery;
    private final LastKnownReplies lastKnown = new LastKnownReplies();

    GatewayHandler(
            Vertx vertx,
            ServiceContext service,
            RateLimiter limiter,
            EventStreamRegistry streams,
            Duration replyTimeout) {
        this.vertx = vertx;
        this.contract = service.contract();
        this.limiter = limiter;
        this.streams = streams;
        this.delivery =
                new DeliveryOptions().setSendTimeout(replyTimeout.toMillis()).setLocalOnly(!service.clustered());
    }

    @Override
    public void handle(RoutingContext routing) {
        var context = RequestContext.of(routing);
        var call = resolveDryRun(context, validate(context, routing.body().buffer()));
        if (context.operation().isStream() && !routing.request().method().equals(HttpMethod.HEAD)) {
            streams.start(context, call, this::sendToService);
            return;
        }
        sendToService(call)
                .map(reply -> lastKnown.replaceFailure(context.operation(), reply))
                .onComplete(done -> {
                    penalize(context, done.result().problem());
                    context.sendReply(done.result());
                });
    }

    private void penalize(RequestContext context, @Nullable Problem problem) {
        limiter.penalizeFailure(context.request(), problem);
        var principal = context.authenticatedPrincipal();
        if (principal != null && problem != null && problem.code() == ErrorCode.AUTHZ_BEHIND) {
            limiter.penalizeWait(principal);
        }
    }

    /** With {@code dry_run=true}, replaces the operation by its dry-run operation; the access log shows the latter. */
    private Call resolveDryRun(RequestContext context, Call call) {
        var dryRun = context.operation().dryRunOperationId();
        if (dryRun == null || !"true".equals(call.query().get("dry_run"))) {
            return call;
        }
        var operation = contract.operation(dryRun);
        context.setOperation(operation, call.path());
        return call.withOperation(operation.handlerId());
    }

    /** Never fails: if the service cannot answer, the reply is the problem. */
    private Future<Reply> sendToService(Call call) {
        return vertx.eventBus()
                .<Reply>request(call.operationId(), call, delivery)
                .map(Message::body)
                .otherwise(failure -> Reply.of(toProblem(failure)));
    }

    private static Call validate(RequestContext context, @Nullable Buffer body) {
        var request = context.request();
        var operation = context.operation();
        var json = operation.hasBody() ? parseBody(operation, body) : null;
        var query = query(request);
        var problems = operation.validate(context.path(), query, request::getHeader, json);
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
        if (project != null && context.path().containsKey("project_id")) {
            headers.put("x-project-id", project); // the service rejects the call if the two differ
        }
        headers.put(Call.SOURCE_ADDRESS, RateLimiter.address(request));
        var userAgent = request.getHeader(HttpHeaders.USER_AGENT);
        if (userAgent != null) {
            headers.put(Call.USER_AGENT, userAgent.substring(0, Math.min(userAgent.length(), MAX_USER_AGENT_LENGTH)));
        }
        var singleValues = new HashMap<String, String>();
        query.forEach((name, values) -> singleValues.put(name, values.get(0)));
        return new Call(
                operation.handlerId(),
                context.correlationId(),
                context.token(),
                context.path(),
                singleValues,
                headers,
                json);
    }

    private static @Nullable JsonNode parseBody(ApiOperation operation, @Nullable Buffer body) {
        if (body == null || body.length() == 0) {
            return null;
        }
        try {
            return operation.parseBody(body.getBytes());
        } catch (IOException e) {
            throw Problem.validationOf(Json.codeOfFault(e), Json.fieldOfFault(e), Json.describeFault(e))
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

    private static Problem toProblem(Throwable failure) {
        if (failure instanceof ReplyException reply) {
            switch (reply.failureType()) {
                case NO_HANDLERS -> {
                    return Problem.of(
                            ErrorCode.SERVICE_UNAVAILABLE,
                            "The service behind this operation is not running. Retry shortly.");
                }
                case TIMEOUT -> {
                    return Problem.of(
                            ErrorCode.TIMEOUT,
                            "The service did not reply in time and may still complete the request. Retry with the same"
                                    + " Idempotency-Key.");
                }
                case ERROR -> {
                    return Problem.of(
                            ErrorCode.SERVICE_UNAVAILABLE,
                            "The process behind this operation stopped and may have completed the request. Retry with the"
                                    + " same Idempotency-Key.");
                }
                default -> {}
            }
        }
        LOG.atError().setCause(failure).log("call to a service failed");
        return Problem.of(ErrorCode.INTERNAL_ERROR, FailureHandler.INTERNAL_ERROR);
    }
}

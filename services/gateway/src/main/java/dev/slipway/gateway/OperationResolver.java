package dev.slipway.gateway;

import dev.slipway.contract.ApiOperation;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.internal.net.RFC3986;
import io.vertx.ext.web.RoutingContext;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Finds the contract operation of a request, and answers OPTIONS. */
final class OperationResolver implements Handler<RoutingContext> {
    private final RouteTable routes;

    OperationResolver(List<ApiOperation> operations) {
        this.routes = new RouteTable(operations);
    }

    @Override
    public void handle(RoutingContext routing) {
        var context = RequestContext.of(routing);
        var method = routing.request().method();
        var match = routes.find(method.name(), routing.request().path());
        if (match == null) {
            throw Problem.of(ErrorCode.NOT_FOUND, "No such path.").asException();
        }
        var operation = match.operation();
        if (operation != null) {
            context.setOperation(operation, decodeParameters(match.parameters()));
            routing.next();
            return;
        }
        routing.response().putHeader(HttpHeaders.ALLOW, match.allow());
        if (!method.equals(HttpMethod.OPTIONS)) {
            throw Problem.of(ErrorCode.METHOD_NOT_ALLOWED, "This path supports " + match.allow() + ".")
                    .asException();
        }
        ResponseWriter.endEmpty(routing, HttpResponseStatus.NO_CONTENT);
    }

    private static Map<String, String> decodeParameters(Map<String, String> parameters) {
        var decoded = new HashMap<String, String>();
        parameters.forEach((name, value) -> {
            try {
                var text = value.indexOf('%') < 0 ? value : RFC3986.decodeURIComponent(value, false);
                if (text.chars().anyMatch(Character::isISOControl)) {
                    throw Problem.validationOf(ErrorCode.VALIDATION_ERROR, name, "has a control character")
                            .asException();
                }
                decoded.put(name, text);
            } catch (IllegalArgumentException e) {
                throw Problem.validationOf(ErrorCode.VALIDATION_ERROR, name, "is not percent-encoded correctly")
                        .asException();
            }
        });
        return decoded;
    }
}

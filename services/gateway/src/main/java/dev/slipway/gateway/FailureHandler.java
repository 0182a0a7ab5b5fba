package dev.slipway.gateway;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.ErrorEnvelope;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import io.vertx.core.Handler;
import io.vertx.ext.web.RoutingContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers every failure of a request with the error envelope. */
final class FailureHandler implements Handler<RoutingContext> {
    static final String INTERNAL_ERROR =
            "Slipway failed to handle this request. Report the correlation id to its operator.";

    private static final Logger LOG = LoggerFactory.getLogger(FailureHandler.class);

    private final CorrelationHandler correlation;

    FailureHandler(CorrelationHandler correlation) {
        this.correlation = correlation;
    }

    @Override
    public void handle(RoutingContext routing) {
        correlation.attach(routing).sendError(toProblem(routing));
    }

    private static Problem toProblem(RoutingContext routing) {
        var failure = routing.failure();
        if (failure instanceof ProblemException expected) {
            return expected.problem();
        }
        var code = ErrorEnvelope.codeOf(routing.statusCode());
        switch (code) {
            case NOT_FOUND -> {
                return Problem.of(code, "No such path.");
            }
            case BODY_TOO_LARGE -> {
                return Problem.validationOf(code, "body", "is larger than " + maxBodyKib(routing) + " KiB");
            }
            case INVALID_REQUEST -> {
                return Problem.of(
                        code, "The request is not valid HTTP/1.1 or HTTP/2, or its connection was closed too early.");
            }
            default -> {
                LOG.atError().setCause(failure).log("request failed in the gateway");
                return Problem.of(ErrorCode.INTERNAL_ERROR, INTERNAL_ERROR);
            }
        }
    }

    private static int maxBodyKib(RoutingContext routing) {
        return RequestContext.of(routing).operation().maxBodyBytes() >> 10;
    }
}

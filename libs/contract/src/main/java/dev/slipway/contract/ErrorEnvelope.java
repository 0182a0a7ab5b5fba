package dev.slipway.contract;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** The body of every error, and the only place that knows status numbers. */
public final class ErrorEnvelope {
    private ErrorEnvelope() {}

    public static int status(Problem problem) {
        return switch (problem.code().kind()) {
            case INVALID -> 400;
            case UNAUTHENTICATED -> 401;
            case FORBIDDEN -> 403;
            case NOT_FOUND -> 404;
            case METHOD -> 405;
            case CONFLICT -> 409;
            case PRECONDITION -> 412;
            case TOO_LARGE -> 413;
            case MEDIA_TYPE -> 415;
            case UNPROCESSABLE -> 422;
            case PRECONDITION_MISSING -> 428;
            case TOO_MANY -> 429;
            case INTERNAL -> 500;
            case UNAVAILABLE, UNAVAILABLE_DEPENDENCY -> 503;
            case TIMEOUT -> 504;
        };
    }

    public static ObjectNode body(Problem problem, String correlationId) {
        var body = Json.object();
        body.put("code", problem.code().code());
        body.put("message", problem.message());
        body.put("correlation_id", correlationId);
        body.set("details", withFault(problem));
        return body;
    }

    /** A caller of a failing platform has to know whom to call: us, or whoever runs what we depend on. */
    private static ObjectNode withFault(Problem problem) {
        return switch (problem.code().kind()) {
            case INTERNAL, UNAVAILABLE, TIMEOUT -> problem.details().deepCopy().put("fault", "slipway");
            case UNAVAILABLE_DEPENDENCY -> problem.details().deepCopy().put("fault", "dependency");
            case INVALID,
                    UNAUTHENTICATED,
                    FORBIDDEN,
                    NOT_FOUND,
                    METHOD,
                    CONFLICT,
                    PRECONDITION,
                    PRECONDITION_MISSING,
                    TOO_LARGE,
                    MEDIA_TYPE,
                    UNPROCESSABLE,
                    TOO_MANY -> problem.details();
        };
    }
}

package dev.slipway.contract;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** The body of every error response. This is the only class that knows HTTP status numbers. */
public record ErrorEnvelope(String code, String message, String correlationId, ObjectNode details) {

    public static ErrorEnvelope of(Problem problem, String correlationId) {
        return new ErrorEnvelope(problem.code().code(), problem.message(), correlationId, detailsWithFault(problem));
    }

    public static int status(Problem problem) {
        return switch (problem.code().kind()) {
            case INVALID -> 400;
            case UNAUTHENTICATED -> 401;
            case FORBIDDEN -> 403;
            case NOT_FOUND -> 404;
            case METHOD_NOT_ALLOWED -> 405;
            case CONFLICT -> 409;
            case PRECONDITION -> 412;
            case TOO_LARGE -> 413;
            case MEDIA_TYPE -> 415;
            case UNPROCESSABLE -> 422;
            case PRECONDITION_MISSING -> 428;
            case TOO_MANY_REQUESTS -> 429;
            case INTERNAL -> 500;
            case UNAVAILABLE, UNAVAILABLE_DEPENDENCY -> 503;
            case TIMEOUT -> 504;
        };
    }

    /** Returns the error code for a status that the HTTP framework chose. Statuses below 400 mean that the connection failed. */
    public static ErrorCode codeOf(int frameworkStatus) {
        return switch (frameworkStatus) {
            case 404 -> ErrorCode.NOT_FOUND;
            case 413 -> ErrorCode.BODY_TOO_LARGE;
            default -> frameworkStatus < 500 ? ErrorCode.INVALID_REQUEST : ErrorCode.INTERNAL_ERROR;
        };
    }

    public byte[] toBytes() {
        return Json.bytes(this);
    }

    /** Adds to 5xx errors whether Slipway or one of its dependencies is at fault, so that callers know whom to contact. */
    private static ObjectNode detailsWithFault(Problem problem) {
        return switch (problem.code().kind()) {
            case INTERNAL, UNAVAILABLE, TIMEOUT -> problem.details().deepCopy().put("fault", "slipway");
            case UNAVAILABLE_DEPENDENCY -> problem.details().deepCopy().put("fault", "dependency");
            case INVALID,
                    UNAUTHENTICATED,
                    FORBIDDEN,
                    NOT_FOUND,
                    METHOD_NOT_ALLOWED,
                    CONFLICT,
                    PRECONDITION,
                    PRECONDITION_MISSING,
                    TOO_LARGE,
                    MEDIA_TYPE,
                    UNPROCESSABLE,
                    TOO_MANY_REQUESTS -> problem.details();
        };
    }
}

package dev.slipway.service;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;

/** Documents whose changes are counted: those that are replaced as a whole have a {@code version} in their body, and that is their ETag. */
public final class ETags {
    private ETags() {}

    public static String of(long version) {
        return '"' + Long.toString(version) + '"';
    }

    /** The answer with the ETag of the document in it; one that is given again for its Idempotency-Key has the same. */
    public static Reply tagged(Reply reply) {
        return tagged(reply, "version");
    }

    /** The same, where another field has the number of its changes. */
    public static Reply tagged(Reply reply, String field) {
        return reply.problem() == null
                ? reply.tagged(of(Json.node(reply.body()).path(field).longValue()))
                : reply;
    }

    /** Refuses a change by whoever has not seen the version that they would replace; 0 when nothing was ever written. */
    public static void require(Request request, long version) {
        if (version > 0 && request.call().headers().get("if-match") == null) {
            throw problem(
                    ErrorCode.PRECONDITION_REQUIRED,
                    "It exists already. Read it, and send its ETag in If-Match.",
                    version);
        }
        requireIfGiven(request, version);
    }

    /** The same, of those who say what they have seen: the others change whatever is there. */
    public static void requireIfGiven(Request request, long version) {
        var given = request.call().headers().get("if-match");
        if (given != null && !matches(given, version)) {
            throw problem(
                    ErrorCode.PRECONDITION_FAILED,
                    "It has changed since you read it. Read it again, and send its ETag in If-Match.",
                    version);
        }
    }

    /** A weak tag never matches: it does not promise that nothing has changed. */
    private static boolean matches(String given, long version) {
        if (given.strip().equals("*")) {
            return version > 0;
        }
        for (var tag : given.split(",", -1)) {
            if (tag.strip().equals(of(version))) {
                return true;
            }
        }
        return false;
    }

    private static RuntimeException problem(ErrorCode code, String message, long version) {
        return new Problem(code, message, Json.object().put("etag", of(version))).asException();
    }
}

package dev.slipway.service;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;

/** ETags of documents that are replaced as a whole: the ETag is the {@code version} in the body. */
public final class ETags {
    private ETags() {}

    public static String of(long version) {
        return '"' + Long.toString(version) + '"';
    }

    /** Adds the ETag of the document in the body. A replayed reply gets the same ETag. */
    public static Reply withETag(Reply reply) {
        return withETag(reply, "version");
    }

    /** Adds the ETag of the document in the body, whose version is in the given field. */
    public static Reply withETag(Reply reply, String field) {
        return reply.problem() == null
                ? reply.withETag(of(Json.parseTrusted(reply.body()).path(field).longValue()))
                : reply;
    }

    /** Rejects a change without an If-Match that names the current version; {@code version} is 0 if the document does not exist. */
    public static void requireMatch(Request request, long version) {
        if (version > 0 && request.call().headers().get("if-match") == null) {
            throw problem(
                    ErrorCode.PRECONDITION_REQUIRED,
                    "The document exists. Read it and send its ETag in If-Match.",
                    version);
        }
        requireMatchIfGiven(request, version);
    }

    /** Rejects a change with an If-Match that does not name the current version. Without If-Match the change is allowed. */
    public static void requireMatchIfGiven(Request request, long version) {
        var given = request.call().headers().get("if-match");
        if (given != null && !matches(given, version)) {
            throw problem(
                    ErrorCode.PRECONDITION_FAILED,
                    "The document has changed since you read it. Read it again and send its ETag in If-Match.",
                    version);
        }
    }

    /** Weak tags never match, because they do not identify an exact version. */
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

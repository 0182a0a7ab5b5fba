package dev.slipway.gateway;

import dev.slipway.contract.ApiOperation;
import dev.slipway.service.Reply;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The last successful replies of the operations that the contract marks with {@code x-slipway-last-known}, for the time when their service
 * is unavailable. They are public and have no parameters, so there is one reply per operation.
 */
final class LastKnownReplies {
    private final Map<String, Reply> replies = new ConcurrentHashMap<>();

    /** Stores a success. Returns the last success instead of a failure that says that the service or its database is unavailable. */
    Reply replaceFailure(ApiOperation operation, Reply reply) {
        if (!operation.servesLastKnown()) {
            return reply;
        }
        var problem = reply.problem();
        if (problem == null) {
            replies.put(operation.id(), reply);
            return reply;
        }
        return switch (problem.code().kind()) {
            case UNAVAILABLE, UNAVAILABLE_DEPENDENCY, TIMEOUT -> replies.getOrDefault(operation.id(), reply);
            default -> reply;
        };
    }
}

package dev.slipway.service;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;

/**
 * Data of another service has not been replicated to this one yet. {@link Dispatcher} runs the handler again for a short time before it
 * answers with 503, so throw it only where the failed attempt changed nothing.
 */
public final class NotReplicatedException extends RuntimeException {
    /** {@code data} completes the sentence "… has not been replicated to this service yet." */
    public NotReplicatedException(String data) {
        super(data + " has not been replicated to this service yet. Retry shortly.", null, false, false);
    }

    Problem problem() {
        return Problem.of(ErrorCode.SERVICE_UNAVAILABLE, String.valueOf(getMessage()));
    }
}

package dev.slipway.service;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.function.Supplier;

/**
 * Data of another service has not been replicated to this one yet. {@link Dispatcher} runs the handler again for a short time before it
 * answers, with 503 unless the exception says otherwise, so throw it only where the failed attempt changed nothing.
 */
public final class NotReplicatedException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final transient @Nullable Supplier<Future<Reply>> otherwise;

    /** {@code data} completes the sentence "… has not been replicated to this service yet." */
    public NotReplicatedException(String data) {
        this(data, null);
    }

    /** {@code otherwise} answers if the data does not arrive in time, where its absence has a meaning. */
    public NotReplicatedException(String data, @Nullable Supplier<Future<Reply>> otherwise) {
        super(data + " has not been replicated to this service yet. Retry shortly.", null, false, false);
        this.otherwise = otherwise;
    }

    /** Returns the answer if the data did not arrive in time. */
    Future<Reply> answer() {
        return otherwise == null ? Future.failedFuture(this) : otherwise.get();
    }

    Problem problem() {
        return Problem.of(ErrorCode.SERVICE_UNAVAILABLE, String.valueOf(getMessage()));
    }
}

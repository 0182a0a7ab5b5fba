package dev.slipway.messaging;

import io.vertx.core.VertxException;
import io.vertx.pgclient.PgException;

import java.io.IOException;
import java.util.concurrent.TimeoutException;

/** Distinguishes temporary failures from permanent ones. */
public final class Failures {
    private Failures() {}

    /** The data needed to process an event has not been replicated yet, or is stale. The event is retried. */
    public static final class NotReadyException extends RuntimeException {
        public NotReadyException(String message) {
            super(message);
        }
    }

    /** Returns true if a retry can succeed: the database, the broker or required data was unavailable. */
    public static boolean isRetryable(Throwable failure) {
        if (failure instanceof PgException pg) {
            var state = String.valueOf(pg.getSqlState());
            // Connection failures, insufficient resources, operator intervention, serialization failures, deadlocks and
            // locks that others hold.
            return state.startsWith("08")
                    || state.startsWith("53")
                    || state.startsWith("57")
                    || state.startsWith("40")
                    || state.equals("55P03");
        }
        if (failure instanceof VertxException) {
            return !isInvalidParameter(failure);
        }
        if (failure instanceof NotReadyException
                || failure instanceof IOException
                || failure instanceof TimeoutException) {
            return true;
        }
        return failure instanceof org.apache.kafka.common.errors.RetriableException
                || (failure.getCause() != null && isRetryable(failure.getCause()));
    }

    /** Returns true for a value that the statement does not accept. The client has no exception class for it, and a retry cannot succeed. */
    private static boolean isInvalidParameter(Throwable failure) {
        var message = String.valueOf(failure.getMessage());
        return message.startsWith("Parameter at position[") || message.startsWith("The number of parameters");
    }
}

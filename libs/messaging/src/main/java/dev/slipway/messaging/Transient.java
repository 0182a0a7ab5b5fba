package dev.slipway.messaging;

import io.vertx.core.VertxException;
import io.vertx.pgclient.PgException;

import java.io.IOException;
import java.util.concurrent.TimeoutException;

/** Tells an outage, which passes, from a fault of what was asked. */
public final class Transient {
    private Transient() {}

    /** What is needed to judge an event is not here yet, or too old: the event waits. */
    public static final class NotReadyException extends RuntimeException {
        public NotReadyException(String message) {
            super(message);
        }
    }

    /** True when trying the same again later may succeed: the database, the broker or what a decision needs was away. */
    public static boolean isOutage(Throwable failure) {
        if (failure instanceof PgException pg) {
            var state = String.valueOf(pg.getSqlState());
            // Connection trouble, resources, the operator shutting down, and conflicts of concurrent transactions.
            return state.startsWith("08") || state.startsWith("53") || state.startsWith("57") || state.startsWith("40");
        }
        if (failure instanceof VertxException) {
            return !isWrongParameter(failure);
        }
        if (failure instanceof NotReadyException
                || failure instanceof IOException
                || failure instanceof TimeoutException) {
            return true;
        }
        return failure instanceof org.apache.kafka.common.errors.RetriableException
                || (failure.getCause() != null && isOutage(failure.getCause()));
    }

    /** The database client has no exception of its own for a value that a statement cannot take; trying again will not help it. */
    private static boolean isWrongParameter(Throwable failure) {
        var message = String.valueOf(failure.getMessage());
        return message.startsWith("Parameter at position[") || message.startsWith("The number of parameters");
    }
}

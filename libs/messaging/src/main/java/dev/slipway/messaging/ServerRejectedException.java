package dev.slipway.messaging;

/** The broker or the database rejected our credentials, so a retry cannot succeed. The message is the answer of the server. */
public final class ServerRejectedException extends RuntimeException {
    public ServerRejectedException(String message, Throwable cause) {
        super(message, cause);
    }
}

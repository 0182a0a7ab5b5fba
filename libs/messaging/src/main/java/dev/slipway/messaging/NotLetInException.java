package dev.slipway.messaging;

/** A server is there and does not want us: no waiting mends that. The message is what it said. */
public final class NotLetInException extends RuntimeException {
    public NotLetInException(String said, Throwable cause) {
        super(said, cause);
    }
}

package dev.slipway.embedded;

/** Embedded infrastructure failed to start or stop. The message is shown to the user. */
public class EmbeddedException extends RuntimeException {
    public EmbeddedException(String message) {
        super(message);
    }

    public EmbeddedException(String message, Throwable cause) {
        super(message, cause);
    }
}

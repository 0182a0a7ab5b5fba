package dev.slipway.embedded;

/** Why embedded infrastructure could not be had, in one sentence for the person who started it. */
public class EmbeddedException extends RuntimeException {
    public EmbeddedException(String sentence) {
        super(sentence);
    }

    public EmbeddedException(String sentence, Throwable cause) {
        super(sentence, cause);
    }
}

package dev.slipway.catalog.artifact.source;

/** A failed access to a source. The message is shown to the caller and must not contain resolved addresses. */
public final class SourceException extends RuntimeException {
    public enum Reason {
        /** The source does not respond, or is too slow. */
        UNAVAILABLE,
        /** The source must not be accessed. */
        NOT_ALLOWED,
        /** The source does not have the digest. */
        NOT_FOUND,
        /** The source has different bytes. */
        MISMATCH,
        /** The artifact exceeds the size limit. */
        TOO_LARGE,
        /** The source rejected the request or sent an invalid response. */
        REFUSED
    }

    private final Reason reason;

    public SourceException(Reason reason, String message) {
        super(message, null, false, false);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}

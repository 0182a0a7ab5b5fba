package dev.slipway.catalog.source;

/** A source did not give what was asked of it. The message is a sentence for the caller, and names no address that the name led to. */
public final class SourceException extends RuntimeException {
    public enum Reason {
        /** It is away, or too slow: what it has is not known. */
        UNAVAILABLE,
        /** It is not reached from here. */
        NOT_ALLOWED,
        /** It has nothing of this digest. */
        NOT_FOUND,
        /** It has other bytes. */
        MISMATCH,
        /** It has more bytes than are read. */
        TOO_LARGE,
        /** It answers, and not with what was asked for. */
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

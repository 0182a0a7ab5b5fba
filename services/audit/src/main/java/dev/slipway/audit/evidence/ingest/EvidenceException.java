package dev.slipway.audit.evidence.ingest;

/** Evidence that cannot be accepted. The message says why and never contains the evidence. */
public final class EvidenceException extends RuntimeException {
    private final String field;

    public EvidenceException(String field, String message) {
        super(message);
        this.field = field;
    }

    /** Returns the part of the request that is invalid, as a JSON pointer. */
    public String field() {
        return field;
    }
}

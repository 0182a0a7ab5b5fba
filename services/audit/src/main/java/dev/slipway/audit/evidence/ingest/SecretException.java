package dev.slipway.audit.evidence.ingest;

import dev.slipway.audit.evidence.domain.SecretPattern;

/** Evidence that contains a credential. It names the kind of credential, and where it is, but not the credential. */
public final class SecretException extends RuntimeException {
    private final SecretPattern pattern;
    private final String field;

    public SecretException(SecretPattern pattern, String field) {
        super("the evidence contains a credential: " + pattern.text());
        this.pattern = pattern;
        this.field = field;
    }

    public SecretPattern pattern() {
        return pattern;
    }

    public String field() {
        return field;
    }
}

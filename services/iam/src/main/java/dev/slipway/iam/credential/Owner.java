package dev.slipway.iam.credential;

import org.jspecify.annotations.Nullable;

import java.util.Locale;
import java.util.UUID;

/** Whose a credential is, and where that is. */
public record Owner(
        Kind kind, UUID id, @Nullable UUID orgId, @Nullable UUID projectId) {

    /** The kinds of owner. */
    public enum Kind {
        SERVICE_ACCOUNT,
        SHARED_RUNTIME_OPERATOR,
        ADAPTER,
        API_KEY;

        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}

package dev.slipway.iam.credential.domain;

import org.jspecify.annotations.Nullable;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;

/** The expiry that a request gives a credential. */
public final class CredentialExpiry {
    private CredentialExpiry() {}

    /** Returns the time, or null if none is given; throws an {@link IllegalArgumentException} unless it is in the future. */
    public static @Nullable Instant parse(@Nullable String text, Instant now) {
        if (text == null) {
            return null;
        }
        try {
            var expiresAt = OffsetDateTime.parse(text).toInstant().truncatedTo(ChronoUnit.MICROS);
            if (expiresAt.isAfter(now)) {
                return expiresAt;
            }
        } catch (DateTimeException e) {
            // Refused below: the contract allows leap seconds, which Java cannot represent.
        }
        throw new IllegalArgumentException("not a time in the future");
    }
}

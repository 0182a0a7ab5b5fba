package dev.slipway.contract;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.UUID;

/** The end of a page in the order {@code created_at desc, id desc}. Opaque to clients. */
public record Cursor(Instant createdAt, UUID id) {
    private static final String VERSION = "1";
    /** The year 9999; PostgreSQL cannot compare timestamps beyond its own range. */
    private static final long MAX_MICROS = 253_402_300_799_999_999L;

    public String encode() {
        // Not ChronoUnit.between: it counts nanoseconds, which overflow after the year 2262.
        var micros = createdAt.getEpochSecond() * 1_000_000 + createdAt.getNano() / 1_000;
        var text = VERSION + "|" + micros + "|" + id;
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Decodes a cursor. Throws a {@link ProblemException} with {@code invalid_cursor} if this API did not issue it. */
    public static Cursor decode(String text) {
        try {
            var parts = new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8).split("\\|", -1);
            var micros = parts.length == 3 && parts[0].equals(VERSION) ? Long.parseLong(parts[1]) : -1;
            if (micros >= 0 && micros <= MAX_MICROS) {
                return new Cursor(Instant.EPOCH.plus(micros, ChronoUnit.MICROS), UUID.fromString(parts[2]));
            }
        } catch (IllegalArgumentException e) {
            // Falls through to the error below.
        }
        throw Problem.validationOf(
                        ErrorCode.INVALID_CURSOR, "cursor", "is not a cursor of this API; start again without it")
                .asException();
    }
}

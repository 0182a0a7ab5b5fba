package dev.slipway.contract;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.UUID;

/** Where a page ends: the order is {@code created_at desc, id desc}. Opaque to callers. */
public record Cursor(Instant createdAt, UUID id) {
    private static final String VERSION = "1";

    public String encode() {
        var text = VERSION + "|" + ChronoUnit.MICROS.between(Instant.EPOCH, createdAt) + "|" + id;
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Reads a cursor; throws a {@link ProblemException} with invalid_cursor when the text is not one of ours. */
    public static Cursor decode(String text) {
        try {
            var parts = new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8).split("\\|", -1);
            if (parts.length == 3 && parts[0].equals(VERSION)) {
                return new Cursor(
                        Instant.EPOCH.plus(Long.parseLong(parts[1]), ChronoUnit.MICROS), UUID.fromString(parts[2]));
            }
        } catch (IllegalArgumentException | ArithmeticException e) {
            // Falls through: whatever is wrong with it, it is not ours.
        }
        throw Problem.validationOf(ErrorCode.INVALID_CURSOR, "cursor", "is not a cursor that this API handed out")
                .asException();
    }
}

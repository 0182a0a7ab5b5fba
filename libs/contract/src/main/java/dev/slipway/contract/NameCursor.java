package dev.slipway.contract;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.regex.Pattern;

/** The end of a page in the order of names. Opaque to clients. */
public record NameCursor(String last) {
    private static final String PREFIX = "n|";
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_.-]{0,119}");

    public String encode() {
        return Base64.getUrlEncoder().withoutPadding().encodeToString((PREFIX + last).getBytes(StandardCharsets.UTF_8));
    }

    /** Decodes a cursor. Throws a {@link ProblemException} with {@code invalid_cursor} if this API did not issue it. */
    public static NameCursor decode(String text) {
        try {
            var decoded = new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8);
            var name = decoded.startsWith(PREFIX) ? decoded.substring(PREFIX.length()) : "";
            if (NAME.matcher(name).matches()) {
                return new NameCursor(name);
            }
        } catch (IllegalArgumentException e) {
            // Falls through to the error below.
        }
        throw Problem.validationOf(
                        ErrorCode.INVALID_CURSOR, "cursor", "is not a cursor of this API; start again without it")
                .asException();
    }
}

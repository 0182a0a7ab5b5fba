package dev.slipway.contract;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.regex.Pattern;

/** Where a page of a list in the order of names ends. Opaque to callers. */
public record NameCursor(String last) {
    private static final String PREFIX = "n|";
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_.-]{0,119}");

    public String encode() {
        return Base64.getUrlEncoder().withoutPadding().encodeToString((PREFIX + last).getBytes(StandardCharsets.UTF_8));
    }

    /** Reads a cursor; throws a {@link ProblemException} with invalid_cursor when the text is not one of ours. */
    public static NameCursor decode(String text) {
        try {
            var decoded = new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8);
            var name = decoded.startsWith(PREFIX) ? decoded.substring(PREFIX.length()) : "";
            if (NAME.matcher(name).matches()) {
                return new NameCursor(name);
            }
        } catch (IllegalArgumentException e) {
            // Falls through: whatever is wrong with it, it is not ours.
        }
        throw Problem.validationOf(ErrorCode.INVALID_CURSOR, "cursor", "is not a cursor that this API handed out")
                .asException();
    }
}

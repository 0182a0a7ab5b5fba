package dev.slipway.contract;

/**
 * Names and other short texts that people read have no control characters, line separators or characters that change the direction of
 * text: terminals, logs and web pages would show them as something else.
 */
public final class SingleLine {
    private SingleLine() {}

    public static boolean matches(String text) {
        return text.codePoints().allMatch(SingleLine::isAllowed);
    }

    /** Returns the text without the characters that are not allowed and without unpaired surrogates. */
    public static String sanitize(String text) {
        return text.codePoints()
                .filter(c -> isAllowed(c) && Character.getType(c) != Character.SURROGATE)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    private static boolean isAllowed(int c) {
        return !(Character.isISOControl(c)
                || c == 0x061c // Arabic letter mark
                || c == 0x200e // left-to-right mark
                || c == 0x200f // right-to-left mark
                || (c >= 0x2028 && c <= 0x202e) // separators, embeddings and overrides
                || (c >= 0x2066 && c <= 0x2069)); // isolates
    }
}

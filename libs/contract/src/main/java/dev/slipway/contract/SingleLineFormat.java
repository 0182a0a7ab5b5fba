package dev.slipway.contract;

import com.networknt.schema.ExecutionContext;
import com.networknt.schema.Format;

/**
 * The format {@code single-line} of names and other short texts that people read: no control characters, line separators or characters that
 * change the direction of text. Terminals, logs and web pages would show such texts as something else.
 */
final class SingleLineFormat implements Format {
    static final String NAME = "single-line";

    @Override
    public String getName() {
        return NAME;
    }

    @Override
    public boolean matches(ExecutionContext context, String text) {
        return text.chars().noneMatch(SingleLineFormat::isForbidden);
    }

    private static boolean isForbidden(int c) {
        return Character.isISOControl(c)
                || c == 0x061c // Arabic letter mark
                || c == 0x200e // left-to-right mark
                || c == 0x200f // right-to-left mark
                || (c >= 0x2028 && c <= 0x202e) // separators, embeddings and overrides
                || (c >= 0x2066 && c <= 0x2069); // isolates
    }
}

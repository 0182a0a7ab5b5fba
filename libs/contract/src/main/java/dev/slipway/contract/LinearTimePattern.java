package dev.slipway.contract;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import com.networknt.schema.regex.RegularExpression;
import org.jspecify.annotations.Nullable;

/**
 * Regular expressions of untrusted schemas. RE2 matches in time linear to the text; Java's backtracking engine does not terminate in
 * practice on {@code (a+)+$} and thirty letters.
 */
final class LinearTimePattern {
    /** RE2 does at most this many steps per character of the text. */
    private static final int MAX_PROGRAM_SIZE = 5_000;

    /** Compiling is recursive: a few thousand nested groups overflow the stack. */
    private static final int MAX_LENGTH = 1_000;

    private LinearTimePattern() {}

    /** Returns why the expression cannot be used, or null if it can. */
    static @Nullable String rejectionReason(String regex) {
        if (regex.length() > MAX_LENGTH) {
            return "is longer than " + MAX_LENGTH + " characters";
        }
        try {
            return isTooLarge(Pattern.compile(regex))
                    ? "is too large; limit lengths with maxLength instead of repetitions"
                    : null;
        } catch (PatternSyntaxException e) {
            return "is not an RE2 regular expression; RE2 has no look-around, no back-references and at most 1000 repetitions";
        }
    }

    /** Compiles an expression. One that cannot be used matches nothing: versions published before this check may contain it. */
    static RegularExpression compile(String regex) {
        if (regex.length() > MAX_LENGTH) {
            return text -> false;
        }
        try {
            var pattern = Pattern.compile(regex);
            return isTooLarge(pattern)
                    ? text -> false
                    : text -> pattern.matcher(text).find();
        } catch (PatternSyntaxException e) {
            return text -> false;
        }
    }

    private static boolean isTooLarge(Pattern pattern) {
        return pattern.programSize() > MAX_PROGRAM_SIZE;
    }
}

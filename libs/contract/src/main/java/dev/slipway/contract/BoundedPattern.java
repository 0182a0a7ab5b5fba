package dev.slipway.contract;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import com.networknt.schema.regex.RegularExpression;
import org.jspecify.annotations.Nullable;

/**
 * A regular expression that somebody else wrote, in a language (RE2) of which every one takes time by the length of the text alone.
 * Java's engine goes through every way that a text might match: {@code (a+)+$} and thirty letters keep it busy for ever.
 */
final class BoundedPattern {
    /** The steps for each character of a text. */
    private static final int MOST_STEPS = 5_000;

    private BoundedPattern() {}

    /** Why it cannot be used; null if it can. */
    static @Nullable String fault(String regex) {
        try {
            return isTooLarge(Pattern.compile(regex)) ? "is too large: bound a length by maxLength" : null;
        } catch (PatternSyntaxException e) {
            return "is not a regular expression of RE2, which has no look-around, no back-references and no more than 1000"
                    + " repetitions: " + e.getDescription();
        }
    }

    /** What cannot be used matches nothing: it is in a version that was published before it was refused. */
    static RegularExpression compile(String regex) {
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
        return pattern.programSize() > MOST_STEPS;
    }
}

package dev.slipway.catalog.app;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** Makes of what somebody typed a question to the index: all the words, each of which may be the beginning of one. */
final class SearchWords {
    private static final int MAX_WORDS = 8;

    private SearchWords() {}

    /** Letters and digits only, so nothing in it is an operator; null where nothing is left to look for. */
    static @Nullable String query(String typed) {
        var words = Arrays.stream(typed.toLowerCase(Locale.ROOT).split("[^\\p{L}\\p{N}]+"))
                .filter(word -> !word.isEmpty())
                .limit(MAX_WORDS)
                .map(word -> word + ":*")
                .collect(Collectors.joining(" & "));
        return words.isEmpty() ? null : words;
    }
}

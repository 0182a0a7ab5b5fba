package dev.slipway.catalog.app;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** Converts search input into a PostgreSQL text query that matches all words as prefixes. */
final class SearchQuery {
    private static final int MAX_WORDS = 8;

    private SearchQuery() {}

    /** Returns null if the input contains no word. Only letters and digits are kept, so the input cannot contain operators. */
    static @Nullable String toTsQuery(String input) {
        var words = Arrays.stream(input.toLowerCase(Locale.ROOT).split("[^\\p{L}\\p{N}]+"))
                .filter(word -> !word.isEmpty())
                .limit(MAX_WORDS)
                .map(word -> word + ":*")
                .collect(Collectors.joining(" & "));
        return words.isEmpty() ? null : words;
    }
}

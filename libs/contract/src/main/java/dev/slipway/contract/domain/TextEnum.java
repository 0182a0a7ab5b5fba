package dev.slipway.contract.domain;

import org.jspecify.annotations.Nullable;

import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** An enum whose text on the wire and in the database is its name in lower case. */
public interface TextEnum {
    String name();

    default String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the constant with this text, or throws an exception that lists the texts. */
    static <E extends Enum<E> & TextEnum> E parse(Class<E> type, String text) {
        var found = find(type, text);
        if (found == null) {
            throw new IllegalArgumentException("\"" + text + "\" is not a " + type.getSimpleName() + "; use one of "
                    + Stream.of(type.getEnumConstants()).map(TextEnum::text).collect(Collectors.joining(", ")));
        }
        return found;
    }

    /** Returns the constant with this text, or null if there is none. */
    static <E extends Enum<E> & TextEnum> @Nullable E find(Class<E> type, String text) {
        try {
            return Enum.valueOf(
                    type,
                    text.toUpperCase(Locale.ROOT)); // looks up in a map, unlike a search in copies of the constants
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}

package dev.slipway.contract.domain;

import java.util.Locale;

/** An enum whose text on the wire and in the database is its name in lower case. */
public interface TextEnum {
    String name();

    default String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    static <E extends Enum<E> & TextEnum> E parse(Class<E> type, String text) {
        return Enum.valueOf(type, text.toUpperCase(Locale.ROOT));
    }
}

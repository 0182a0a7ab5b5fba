package dev.slipway.iam.tenancy.domain;

import java.util.Locale;

/** Maps enums to the text that represents them in the database: the constant's name in lower case, as in JSON. */
public final class EnumText {
    private EnumText() {}

    public static String of(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    /** Throws an {@link IllegalArgumentException} if no constant has this text. */
    public static <E extends Enum<E>> E parse(Class<E> type, String text) {
        return Enum.valueOf(type, text.toUpperCase(Locale.ROOT));
    }
}

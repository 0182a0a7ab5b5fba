package dev.slipway.tenants.tenant.domain;

/** Quotes identifiers and literals for statements that PostgreSQL does not accept parameters in. */
public final class SqlText {
    private SqlText() {}

    /** Returns the name in double quotes. */
    public static String identifier(String name) {
        requireNoNul(name);
        return '"' + name.replace("\"", "\"\"") + '"';
    }

    /** Returns the text in single quotes; a backslash has no special meaning. */
    public static String literal(String text) {
        requireNoNul(text);
        return '\'' + text.replace("'", "''") + '\'';
    }

    private static void requireNoNul(String text) {
        if (text.indexOf(0) >= 0) {
            throw new IllegalArgumentException("a name or text with U+0000 cannot be used in SQL");
        }
    }
}

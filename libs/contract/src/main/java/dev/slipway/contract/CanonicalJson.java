package dev.slipway.contract;

import com.fasterxml.jackson.databind.JsonNode;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.TreeMap;

/**
 * Writes JSON in its canonical form (RFC 8785): names sorted by UTF-16 code units, numbers formatted as ECMAScript formats doubles, no
 * white space. Equal values have equal bytes and therefore equal digests.
 */
public final class CanonicalJson {
    private static final int MAX_DIGITS = 17;

    private CanonicalJson() {}

    public static byte[] bytes(JsonNode node) {
        var out = new StringBuilder();
        write(node, out);
        return out.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** Returns {@code sha256:} and the hexadecimal digest of the canonical form. */
    public static String digest(JsonNode node) {
        try {
            return "sha256:"
                    + HexFormat.of()
                            .formatHex(MessageDigest.getInstance("SHA-256").digest(bytes(node)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JVM has no SHA-256", e);
        }
    }

    /** Returns whether a number has a canonical form; numbers beyond the range of a double have none. */
    public static boolean hasCanonicalForm(JsonNode number) {
        return Double.isFinite(number.doubleValue());
    }

    private static void write(JsonNode node, StringBuilder out) {
        switch (node.getNodeType()) {
            case OBJECT -> writeObject(node, out);
            case ARRAY -> {
                out.append('[');
                for (var i = 0; i < node.size(); i++) {
                    if (i > 0) {
                        out.append(',');
                    }
                    write(node.get(i), out);
                }
                out.append(']');
            }
            case STRING -> writeText(node.textValue(), out);
            case NUMBER -> out.append(number(node.doubleValue()));
            case BOOLEAN -> out.append(node.booleanValue());
            case NULL -> out.append("null");
            case BINARY, MISSING, POJO -> throw new IllegalArgumentException("not a JSON value: " + node.getNodeType());
        }
    }

    private static void writeObject(JsonNode node, StringBuilder out) {
        var sorted = new TreeMap<String, JsonNode>(); // Strings compare by UTF-16 code units
        node.properties().forEach(field -> sorted.put(field.getKey(), field.getValue()));
        out.append('{');
        var first = true;
        for (var field : sorted.entrySet()) {
            if (!first) {
                out.append(',');
            }
            first = false;
            writeText(field.getKey(), out);
            out.append(':');
            write(field.getValue(), out);
        }
        out.append('}');
    }

    private static void writeText(String text, StringBuilder out) {
        out.append('"');
        for (var i = 0; i < text.length(); i++) {
            var c = text.charAt(i);
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\b' -> out.append("\\b");
                case '\t' -> out.append("\\t");
                case '\n' -> out.append("\\n");
                case '\f' -> out.append("\\f");
                case '\r' -> out.append("\\r");
                default -> {
                    if (c < ' ') {
                        out.append("\\u00").append(HexFormat.of().toHexDigits((byte) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        out.append('"');
    }

    /** Formats a number as ECMAScript's Number.prototype.toString does. */
    static String number(double value) {
        if (!Double.isFinite(value)) {
            throw new IllegalArgumentException("a number beyond the range of a double has no canonical form");
        }
        if (value == 0) {
            return "0"; // negative zero too
        }
        var shortest = shortest(Math.abs(value));
        var digits = shortest.unscaledValue().toString();
        var count = digits.length();
        var point = count - shortest.scale(); // digits before the decimal point
        var sign = value < 0 ? "-" : "";
        if (count <= point && point <= 21) {
            return sign + digits + "0".repeat(point - count);
        }
        if (0 < point && point <= 21) {
            return sign + digits.substring(0, point) + "." + digits.substring(point);
        }
        if (-6 < point && point <= 0) {
            return sign + "0." + "0".repeat(-point) + digits;
        }
        var exponent = (point - 1 < 0 ? "e-" : "e+") + Math.abs(point - 1);
        return sign + digits.charAt(0) + (count == 1 ? "" : "." + digits.substring(1)) + exponent;
    }

    /**
     * Returns the shortest decimal that parses to the value, and among those the nearest. Double.toString of Java 17 is not always the
     * shortest. Both neighbours are tried at each length: at a power of two the nearer one can parse to another double.
     */
    private static BigDecimal shortest(double value) {
        var exact = new BigDecimal(value);
        for (var length = 1; length <= MAX_DIGITS; length++) {
            var below = exact.round(new MathContext(length, RoundingMode.DOWN));
            var above = exact.round(new MathContext(length, RoundingMode.UP));
            var belowReads = below.doubleValue() == value;
            var aboveReads = above.doubleValue() == value;
            if (belowReads || aboveReads) {
                var takeBelow = belowReads && (!aboveReads || isNearer(below, above, exact));
                return (takeBelow ? below : above).stripTrailingZeros();
            }
        }
        throw new IllegalStateException("seventeen digits identify every double, but not " + value);
    }

    private static boolean isNearer(BigDecimal below, BigDecimal above, BigDecimal exact) {
        var order = exact.subtract(below).compareTo(above.subtract(exact));
        return order < 0 || (order == 0 && !below.unscaledValue().testBit(0));
    }
}

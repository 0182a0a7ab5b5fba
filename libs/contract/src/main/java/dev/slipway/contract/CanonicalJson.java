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
 * The one way to write a JSON value (RFC 8785): names in the order of their UTF-16 units, numbers as ECMAScript writes the doubles that
 * they are, no white space. What has the same meaning has the same bytes, so a digest can stand for it.
 */
public final class CanonicalJson {
    private static final int MAX_DIGITS = 17;

    private CanonicalJson() {}

    public static byte[] bytes(JsonNode node) {
        var out = new StringBuilder();
        write(node, out);
        return out.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** {@code sha256:} and the digest in hexadecimal. */
    public static String digest(JsonNode node) {
        try {
            return "sha256:"
                    + HexFormat.of()
                            .formatHex(MessageDigest.getInstance("SHA-256").digest(bytes(node)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JVM has no SHA-256", e);
        }
    }

    /** Whether a number has a canonical form: one beyond the range of a double has none. */
    public static boolean isWritable(JsonNode number) {
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
        var sorted = new TreeMap<String, JsonNode>(); // a Java String compares by its UTF-16 units
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

    /** As Number.prototype.toString of ECMAScript. */
    static String number(double value) {
        if (!Double.isFinite(value)) {
            throw new IllegalArgumentException("a number beyond the range of a double has no canonical form");
        }
        if (value == 0) {
            return "0"; // of negative zero too
        }
        var shortest = shortest(Math.abs(value));
        var digits = shortest.unscaledValue().toString();
        var count = digits.length();
        var point = count - shortest.scale(); // how many digits stand before the point
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
     * The shortest decimal that is read back as the value, and of those the nearest to it. Java 17's own text of a double is not always
     * the shortest. Both neighbours are tried at each length: at a power of two the nearer one can be read as another double.
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
        throw new IllegalStateException("seventeen digits tell any double: " + value);
    }

    private static boolean isNearer(BigDecimal below, BigDecimal above, BigDecimal exact) {
        var order = exact.subtract(below).compareTo(above.subtract(exact));
        return order < 0 || (order == 0 && !below.unscaledValue().testBit(0));
    }
}

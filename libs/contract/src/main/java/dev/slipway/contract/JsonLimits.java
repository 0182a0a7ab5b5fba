package dev.slipway.contract;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;

import java.io.IOException;
import java.util.Map;

/** Limits of JSON from clients. They are checked token by token, before a tree is built or a number is computed. */
final class JsonLimits {
    static final int MAX_DEPTH = 64;
    static final int MAX_PROPERTIES = 1_000;
    static final int MAX_ITEMS = 10_000;
    static final int MAX_VALUES = 50_000;
    static final int MAX_NAME_LENGTH = 1_000;
    /** Digits of a number written without exponent, as it is stored and returned. Every double fits. */
    static final int MAX_DIGITS = 400;

    private static final int MAX_EXPONENT_LENGTH = 5;

    private static final JsonFactory SCANNER = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_DEPTH)
                    .maxNameLength(MAX_NAME_LENGTH)
                    .build())
            .build();

    private JsonLimits() {}

    /** A limit that was exceeded; the field is the JSON pointer of the value. */
    static final class ExceededException extends IOException {
        private final ErrorCode code;
        private final String field;

        ExceededException(ErrorCode code, String field, String problem) {
            super(problem);
            this.code = code;
            this.field = field.isEmpty() ? "body" : field;
        }

        ErrorCode code() {
            return code;
        }

        String field() {
            return field;
        }
    }

    /**
     * Checks a document.
     *
     * @param maxFieldBytes the maximum sizes of fields of the document, by name
     */
    static void check(byte[] json, Map<String, Integer> maxFieldBytes) throws IOException {
        try (var parser = SCANNER.createParser(json)) {
            var counts = new int[MAX_DEPTH + 1];
            var depth = 0;
            var values = 0;
            var size = new FieldSize(maxFieldBytes);
            for (var token = parser.nextToken(); token != null; token = parser.nextToken()) {
                if (token.isStructEnd()) {
                    depth--;
                    size.check(parser);
                    continue;
                }
                if (token == JsonToken.FIELD_NAME) {
                    if (++counts[depth] > MAX_PROPERTIES) {
                        throw exceeded(parent(parser), "has more than " + MAX_PROPERTIES + " fields");
                    }
                    if (depth == 1) {
                        size.start(parser);
                    }
                    continue;
                }
                if (++values > MAX_VALUES) {
                    throw new ExceededException(
                            ErrorCode.MALFORMED_JSON, "", "has more than " + MAX_VALUES + " values");
                }
                if (token.isNumeric()) {
                    size.addDigits(checkNumber(parser) - parser.getTextLength());
                }
                size.check(parser);
                var start = token.isStructStart();
                var container = start ? parser.getParsingContext().getParent() : parser.getParsingContext();
                if (container.inArray() && ++counts[depth] > MAX_ITEMS) {
                    throw exceeded(container.pathAsPointer().head(), "has more than " + MAX_ITEMS + " entries");
                }
                if (start) {
                    counts[++depth] = 0;
                }
            }
        }
    }

    private static JsonPointer parent(JsonParser parser) {
        return parser.getParsingContext().pathAsPointer().head();
    }

    private static ExceededException exceeded(JsonPointer at, String problem) {
        return new ExceededException(ErrorCode.MALFORMED_JSON, at.toString(), problem);
    }

    /** Returns an upper bound of the digits of the current number when it is written without exponent. */
    private static int checkNumber(JsonParser parser) throws IOException {
        var digits = parser.getTextLength() > MAX_DIGITS ? Integer.MAX_VALUE : writtenDigits(parser.getText());
        if (digits > MAX_DIGITS) {
            throw exceeded(
                    parser.getParsingContext().pathAsPointer(),
                    "is a number of more than " + MAX_DIGITS + " digits without exponent");
        }
        return digits;
    }

    private static int writtenDigits(String number) {
        var e = Math.max(number.indexOf('e'), number.indexOf('E'));
        if (e < 0) {
            return number.length();
        }
        var exponent = number.substring(e + 1);
        return exponent.length() > MAX_EXPONENT_LENGTH ? Integer.MAX_VALUE : e + Math.abs(Integer.parseInt(exponent));
    }

    /**
     * Measures the fields that have a maximum size: the bytes that were sent, with every number at its length without exponent. Stored and
     * returned they are not longer.
     */
    private static final class FieldSize {
        private final Map<String, Integer> maxBytes;
        private String name = "";
        private long startOffset;
        private long extraDigits;

        FieldSize(Map<String, Integer> maxBytes) {
            this.maxBytes = maxBytes;
        }

        /** Starts with the field whose name is the current token. */
        void start(JsonParser parser) throws IOException {
            name = parser.currentName();
            startOffset = -1;
            extraDigits = 0;
        }

        void addDigits(int digits) {
            extraDigits += digits;
        }

        void check(JsonParser parser) throws IOException {
            var max = maxBytes.get(name);
            if (max == null) {
                return;
            }
            if (startOffset < 0) {
                startOffset = parser.currentTokenLocation().getByteOffset();
            }
            if (parser.currentLocation().getByteOffset() - startOffset + extraDigits > max) {
                throw new ExceededException(
                        ErrorCode.VALIDATION_ERROR, "/" + name, "is larger than " + (max >> 10) + " KiB");
            }
        }
    }
}

package dev.slipway.contract;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.ser.std.StdScalarSerializer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.Map;

/**
 * Reads and writes JSON. Reading is strict: duplicate names, trailing content and deep nesting are errors. Records are read and written
 * with snake_case names, lower-case enums and ISO 8601 instants; unknown fields of a record are ignored.
 */
public final class Json {
    static final int MAX_DEPTH = JsonLimits.MAX_DEPTH;
    /** Calls, events and commands nest client data a few levels deeper and must stay readable. */
    private static final int INTERNAL_EXTRA_DEPTH = 16;

    private static final JsonMapper UNTRUSTED_MAPPER = mapper(MAX_DEPTH);
    private static final JsonMapper INTERNAL_MAPPER = mapper(MAX_DEPTH + INTERNAL_EXTRA_DEPTH);

    private Json() {}

    private static JsonMapper mapper(int maxDepth) {
        var mapper = JsonMapper.builder()
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN)
                .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
                .enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_ENUMS)
                .addModule(new SimpleModule()
                        .addSerializer(new InstantSerializer())
                        .addSerializer(Enum.class, new EnumSerializer())
                        .addDeserializer(Instant.class, new InstantDeserializer()))
                .build();
        mapper.getFactory()
                .setStreamReadConstraints(StreamReadConstraints.builder()
                        .maxNestingDepth(maxDepth)
                        .build());
        return mapper;
    }

    public static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    public static ArrayNode array() {
        return JsonNodeFactory.instance.arrayNode();
    }

    /**
     * Parses JSON from a client. Rejects values that exceed the {@link JsonLimits} or that PostgreSQL cannot store; {@link #describeFault}
     * and {@link #fieldOfFault} explain the failure.
     */
    public static JsonNode parse(byte[] bytes) throws IOException {
        return parse(bytes, Map.of());
    }

    static JsonNode parse(byte[] bytes, Map<String, Integer> maxFieldBytes) throws IOException {
        JsonLimits.check(bytes, maxFieldBytes);
        var node = UNTRUSTED_MAPPER.readTree(bytes);
        requireStorable(node);
        return node;
    }

    /** Returns the error code for a failure of {@link #parse}. */
    public static ErrorCode codeOfFault(IOException failure) {
        return failure instanceof JsonLimits.ExceededException exceeded ? exceeded.code() : ErrorCode.MALFORMED_JSON;
    }

    /** Explains why {@link #parse} failed, in words of this API. */
    public static String describeFault(IOException failure) {
        if (failure instanceof UnstorableException || failure instanceof JsonLimits.ExceededException) {
            return String.valueOf(failure.getMessage());
        }
        if (failure instanceof StreamConstraintsException) {
            return "is nested deeper than " + MAX_DEPTH + " levels, or has a text or name that is too long";
        }
        if (failure instanceof JsonProcessingException e && e.getLocation() != null) {
            var reason = failure instanceof JsonEOFException
                    ? "ends before the JSON value is complete"
                    : "is not valid JSON";
            return reason + " (line " + e.getLocation().getLineNr() + ", column "
                    + e.getLocation().getColumnNr() + ")";
        }
        return "is not valid JSON";
    }

    /** Returns the JSON pointer of the value that {@link #parse} rejected, or {@code body} if it is the whole document. */
    public static String fieldOfFault(IOException failure) {
        return failure instanceof JsonLimits.ExceededException exceeded ? exceeded.field() : "body";
    }

    /** Parses JSON from another part of the platform, which may contain client data. */
    public static JsonNode parseInternal(byte[] bytes) throws IOException {
        return INTERNAL_MAPPER.readTree(bytes);
    }

    private static void requireStorable(JsonNode node) throws IOException {
        if (node.isTextual()) {
            requireStorable(node.textValue());
        }
        for (var field : node.properties()) {
            requireStorable(field.getKey());
        }
        for (var child : node) {
            requireStorable(child);
        }
    }

    /** PostgreSQL cannot store U+0000, and an unpaired surrogate has no UTF-8 encoding. */
    private static void requireStorable(String text) throws IOException {
        for (var i = 0; i < text.length(); i++) {
            var c = text.charAt(i);
            if (Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))) {
                i++;
            } else if (c == 0 || Character.isSurrogate(c)) {
                throw new UnstorableException("has a text with U+0000 or an unpaired surrogate");
            }
        }
    }

    /** Parses a JSON object that this platform stored. */
    public static ObjectNode parseStoredObject(String text) {
        try {
            return (ObjectNode) INTERNAL_MAPPER.readTree(text);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException("stored JSON is not valid", e);
        }
    }

    /** Parses JSON that is known to be valid. */
    public static JsonNode parseTrusted(byte[] bytes) {
        try {
            return INTERNAL_MAPPER.readTree(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Converts JSON to a record. Throws {@link IllegalArgumentException} if a value has another type than its component. */
    public static <T> T toRecord(JsonNode node, Class<T> type) {
        try {
            return INTERNAL_MAPPER.treeToValue(node, type);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("not a " + type.getSimpleName() + ": " + e.getOriginalMessage(), e);
        }
    }

    /** Converts a record to a JSON object. */
    public static ObjectNode toObject(Object record) {
        return INTERNAL_MAPPER.valueToTree(record);
    }

    /** Writes a JSON node or a record. */
    public static byte[] bytes(Object value) {
        try {
            return INTERNAL_MAPPER.writeValueAsBytes(value);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Writes a JSON node or a record. Numbers have no exponent, as in PostgreSQL, so that both measure the same length. */
    public static String text(Object value) {
        try {
            return INTERNAL_MAPPER.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final class UnstorableException extends IOException {
        UnstorableException(String message) {
            super(message);
        }
    }

    private static final class InstantSerializer extends StdScalarSerializer<Instant> {
        InstantSerializer() {
            super(Instant.class);
        }

        @Override
        public void serialize(Instant value, JsonGenerator generator, SerializerProvider provider) throws IOException {
            generator.writeString(value.toString());
        }
    }

    /** Writes an enum as its name in lower case. */
    @SuppressWarnings("rawtypes") // Jackson registers serializers by raw class
    private static final class EnumSerializer extends JsonSerializer<Enum> {
        @Override
        public void serialize(Enum value, JsonGenerator generator, SerializerProvider provider) throws IOException {
            generator.writeString(value.name().toLowerCase(Locale.ROOT));
        }
    }

    private static final class InstantDeserializer extends StdScalarDeserializer<Instant> {
        InstantDeserializer() {
            super(Instant.class);
        }

        @Override
        public Instant deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            try {
                return Instant.parse(parser.getText());
            } catch (DateTimeParseException e) {
                throw context.weirdStringException(parser.getText(), Instant.class, "not an ISO 8601 instant");
            }
        }
    }
}

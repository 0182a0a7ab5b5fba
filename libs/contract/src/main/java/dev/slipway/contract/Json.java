package dev.slipway.contract;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.io.UncheckedIOException;

/** How this project reads and writes JSON: strictly (no repeated names, nothing after the end) and not too deep. */
public final class Json {
    static final int MAX_DEPTH = 64;
    /** What callers nest we nest again, in calls, events and commands: that must not make it unreadable to ourselves. */
    private static final int OWN_LEVELS = 16;

    private static final JsonMapper FOREIGN = mapper(MAX_DEPTH);
    private static final JsonMapper OWN = mapper(MAX_DEPTH + OWN_LEVELS);

    private static final int MAX_DECIMAL_SCALE = 1_000;

    private Json() {}

    private static JsonMapper mapper(int maxDepth) {
        var mapper = JsonMapper.builder()
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN)
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

    /** Reads what a caller sent: JSON that can be kept and written again as it is. */
    public static JsonNode parse(byte[] bytes) throws IOException {
        var node = FOREIGN.readTree(bytes);
        requireKeepable(node);
        return node;
    }

    /** Reads what another part of the platform sent, with what callers had sent inside. */
    public static JsonNode parseOwn(byte[] bytes) throws IOException {
        return OWN.readTree(bytes);
    }

    private static void requireKeepable(JsonNode node) throws IOException {
        if (node.isTextual()) {
            requireKeepable(node.textValue());
        } else if (node.isBigDecimal() && Math.abs((long) node.decimalValue().scale()) > MAX_DECIMAL_SCALE) {
            throw new IOException("a number has an exponent beyond " + MAX_DECIMAL_SCALE);
        }
        for (var field : node.properties()) {
            requireKeepable(field.getKey());
        }
        for (var child : node) {
            requireKeepable(child);
        }
    }

    /** PostgreSQL keeps no U+0000, and half a surrogate pair has no UTF-8. */
    private static void requireKeepable(String text) throws IOException {
        for (var i = 0; i < text.length(); i++) {
            var c = text.charAt(i);
            if (Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))) {
                i++;
            } else if (c == 0 || Character.isSurrogate(c)) {
                throw new IOException("a text has U+0000 or half a surrogate pair in it");
            }
        }
    }

    /** Reads what we wrote ourselves; if that is not JSON, something is broken. */
    public static ObjectNode trusted(String text) {
        try {
            return (ObjectNode) OWN.readTree(text);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException("stored JSON is broken", e);
        }
    }

    /** Reads what was parsed before. */
    public static JsonNode node(byte[] bytes) {
        try {
            return OWN.readTree(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static byte[] bytes(JsonNode node) {
        try {
            return OWN.writeValueAsBytes(node);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Numbers are written out, as PostgreSQL writes them: what is measured here is as long there. */
    public static String text(JsonNode node) {
        try {
            return OWN.writeValueAsString(node);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }
}

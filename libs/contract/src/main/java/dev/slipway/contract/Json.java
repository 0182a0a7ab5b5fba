package dev.slipway.contract;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
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

    private Json() {}

    private static JsonMapper mapper(int maxDepth) {
        var mapper = JsonMapper.builder()
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
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

    /** Reads what a caller sent. */
    public static JsonNode parse(byte[] bytes) throws IOException {
        return FOREIGN.readTree(bytes);
    }

    /** Reads what another part of the platform sent, with what callers had sent inside. */
    public static JsonNode parseOwn(byte[] bytes) throws IOException {
        return OWN.readTree(bytes);
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

    public static String text(JsonNode node) {
        return node.toString();
    }
}

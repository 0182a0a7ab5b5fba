package dev.slipway.authz;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/** Reads fields of {@code authz.state} records. */
final class PayloadFields {
    private PayloadFields() {}

    static UUID uuid(JsonNode payload, String field) {
        return UUID.fromString(payload.path(field).asText());
    }

    static @Nullable UUID optionalUuid(JsonNode payload, String field) {
        return payload.path(field).isTextual() ? uuid(payload, field) : null;
    }

    static Set<String> textSet(JsonNode payload, String field) {
        return StreamSupport.stream(payload.path(field).spliterator(), false)
                .map(JsonNode::asText)
                .collect(Collectors.toUnmodifiableSet());
    }
}

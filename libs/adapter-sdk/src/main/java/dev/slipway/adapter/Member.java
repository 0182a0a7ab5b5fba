package dev.slipway.adapter;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.UUID;
import java.util.stream.StreamSupport;

/**
 * A member of an instance as the platform names it.
 *
 * @param component its role, a key of the manifest's components
 * @param generation which life of the member: reports on it repeat the number
 * @param componentKey the adapter's own name for it, as it reported it before
 */
public record Member(
        UUID memberId,
        String component,
        int generation,
        @Nullable String componentKey) {

    /** Throws {@link IllegalArgumentException} when it is not a member as the contract has it. */
    static Member of(JsonNode node) {
        if (!node.path("component").isTextual() || !node.path("generation").isInt()) {
            throw new IllegalArgumentException("a member has no component or no generation");
        }
        return new Member(
                UUID.fromString(node.path("member_id").asText()),
                node.path("component").textValue(),
                node.path("generation").intValue(),
                node.path("component_key").textValue());
    }

    static List<Member> all(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false).map(Member::of).toList();
    }
}

package dev.slipway.adapter;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.StreamSupport;

/**
 * Identifies a member of an instance in commands.
 *
 * @param component a key of the manifest's components
 * @param generation the member's generation, to be repeated in reports
 * @param componentKey the adapter's own name for the member, as reported before
 * @param labels the current labels
 * @param source who provides the capacity of a worker of a shared runtime; null for other members
 */
public record MemberRef(
        UUID memberId,
        String component,
        int generation,
        @Nullable String componentKey,
        Map<String, String> labels,
        boolean cordoned,
        @Nullable WorkerSource source) {
    public MemberRef {
        labels = Map.copyOf(labels);
    }

    /** Creates a member without labels. */
    public MemberRef(UUID memberId, String component, int generation, @Nullable String componentKey) {
        this(memberId, component, generation, componentKey, Map.of(), false, null);
    }

    /** Throws {@link IllegalArgumentException} if the member is invalid. */
    static MemberRef parse(JsonNode node) {
        if (!node.path("component").isTextual() || !node.path("generation").isInt()) {
            throw new IllegalArgumentException("a member lacks component or generation");
        }
        return new MemberRef(
                UUID.fromString(node.path("member_id").asText()),
                node.path("component").textValue(),
                node.path("generation").intValue(),
                node.path("component_key").textValue(),
                parseLabels(node.path("labels")),
                node.path("cordoned").asBoolean(),
                WorkerSource.parse(node));
    }

    static Map<String, String> parseLabels(JsonNode node) {
        var labels = new HashMap<String, String>();
        node.properties().forEach(e -> labels.put(e.getKey(), e.getValue().asText()));
        return labels;
    }

    static List<MemberRef> parseAll(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false)
                .map(MemberRef::parse)
                .toList();
    }
}

package dev.slipway.contract;

import com.fasterxml.jackson.databind.JsonNode;

import java.util.List;
import java.util.stream.StreamSupport;

/** The seed entries of the role and action registries: which actions exist, and which role grants which. */
public record RoleRegistry(List<Role> roles, List<String> actions) {

    /**
     * A role, the level it is held at, and what it grants.
     *
     * @param owner whether who holds it owns the place: there is always one who does
     */
    public record Role(String name, String level, boolean owner, List<String> actions) {}

    public static RoleRegistry load() {
        var roles = entries("registry-roles.json").stream()
                .map(e -> new Role(
                        e.path("role").asText(),
                        e.path("level").asText(),
                        e.path("owner").asBoolean(),
                        texts(e.path("actions"))))
                .toList();
        var actions = entries("registry-actions.json").stream()
                .map(e -> e.path("action").asText())
                .toList();
        return new RoleRegistry(roles, actions);
    }

    private static List<JsonNode> entries(String resource) {
        return StreamSupport.stream(Schemas.resource(resource).path("entries").spliterator(), false)
                .toList();
    }

    private static List<String> texts(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false)
                .map(JsonNode::asText)
                .toList();
    }
}

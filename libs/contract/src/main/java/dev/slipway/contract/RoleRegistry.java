package dev.slipway.contract;

import com.fasterxml.jackson.databind.JsonNode;

import java.util.List;
import java.util.stream.StreamSupport;

/** The seed entries of the role and action registries. */
public record RoleRegistry(List<Role> roles, List<String> actions) {

    /**
     * A built-in role.
     *
     * @param level the level at which it is granted
     * @param owner whether it makes its holder an owner; every organization and project keeps at least one
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
        return StreamSupport.stream(
                        SchemaCompiler.loadResource(resource).path("entries").spliterator(), false)
                .toList();
    }

    private static List<String> texts(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false)
                .map(JsonNode::asText)
                .toList();
    }
}

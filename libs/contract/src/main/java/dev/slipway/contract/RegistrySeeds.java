package dev.slipway.contract;

import com.fasterxml.jackson.databind.node.ObjectNode;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The entries that the registries start with. A seed that says more than before has a higher version. */
public record RegistrySeeds(List<Entry> entries) {
    /** The kinds, and the file of each; one without a file starts empty. What IAM seeds and owns, scopes and roles, is not among them. */
    private static final Map<String, String> FILES = new TreeMap<>(Map.of(
            "product", "products",
            "usage_unit", "usage-units",
            "audit_action", "audit-actions",
            "notification_template", "notification-templates",
            "evidence_type", "evidence-types",
            "artifact_type", "artifact-types",
            "policy", "policies",
            "retention_class", "retention-classes"));

    /** An entry: {@code body} is all that its kind says of it beside id, version and lifecycle. */
    public record Entry(String kind, String id, int version, String lifecycle, ObjectNode body) {}

    public static RegistrySeeds load() {
        var entries = new ArrayList<Entry>();
        FILES.forEach((kind, file) -> {
            for (var each : Schemas.resourceIfThere("registry-" + file + ".json")) {
                var body = ((ObjectNode) each).deepCopy();
                body.remove(List.of("id", "version", "lifecycle"));
                entries.add(new Entry(
                        kind,
                        each.path("id").asText(),
                        each.path("version").asInt(1),
                        each.path("lifecycle").asText("active"),
                        body));
            }
        });
        return new RegistrySeeds(List.copyOf(entries));
    }
}

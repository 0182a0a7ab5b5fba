package dev.slipway.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.domain.RegistryKind;
import dev.slipway.contract.domain.RegistryLifecycle;
import dev.slipway.contract.domain.TextEnum;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The initial entries of the registries. A changed seed has a higher version. */
public record RegistrySeeds(List<Entry> entries) {
    /** The file of each kind; a kind without a file starts empty. Scopes and roles are seeded by IAM. */
    private static final Map<RegistryKind, String> FILES = new TreeMap<>(Map.ofEntries(
            Map.entry(RegistryKind.PRODUCT, "products"),
            Map.entry(RegistryKind.USAGE_UNIT, "usage-units"),
            Map.entry(RegistryKind.AUDIT_ACTION, "audit-actions"),
            Map.entry(RegistryKind.NOTIFICATION_TEMPLATE, "notification-templates"),
            Map.entry(RegistryKind.EVIDENCE_TYPE, "evidence-types"),
            Map.entry(RegistryKind.ARTIFACT_TYPE, "artifact-types"),
            Map.entry(RegistryKind.POLICY, "policies"),
            Map.entry(RegistryKind.RETENTION_CLASS, "retention-classes"),
            Map.entry(RegistryKind.RUNTIME_BACKEND, "runtime-backends")));

    /** A registry entry; {@code body} contains the fields of its kind without id, version and lifecycle. */
    public record Entry(RegistryKind kind, String id, int version, RegistryLifecycle lifecycle, ObjectNode body) {}

    /** Returns the keys that the metadata of every audit record may have. */
    public static Set<String> auditMetadataKeys() {
        return SchemaCompiler.findResource("registry-audit-metadata.json")
                .valueStream()
                .map(JsonNode::asText)
                .collect(Collectors.toUnmodifiableSet());
    }

    public static RegistrySeeds load() {
        var entries = new ArrayList<Entry>();
        FILES.forEach((kind, file) -> {
            for (var each : SchemaCompiler.findResource("registry-" + file + ".json")) {
                var body = ((ObjectNode) each).deepCopy();
                body.remove(List.of("id", "version", "lifecycle"));
                entries.add(new Entry(
                        kind,
                        each.path("id").asText(),
                        each.path("version").asInt(1),
                        TextEnum.parse(
                                RegistryLifecycle.class,
                                each.path("lifecycle").asText(RegistryLifecycle.ACTIVE.text())),
                        body));
            }
        });
        return new RegistrySeeds(List.copyOf(entries));
    }
}

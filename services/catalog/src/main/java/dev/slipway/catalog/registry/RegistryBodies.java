package dev.slipway.catalog.registry;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Contract;
import dev.slipway.contract.Problem.FieldProblem;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the body of an entry has to say, by kind, and which other entries it may name. */
public final class RegistryBodies {
    private static final Map<String, String> SCHEMAS = Map.of(
            RegistryEntry.PRODUCT, "RegistryProduct",
            RegistryEntry.SCOPE, "RegistryScope",
            RegistryEntry.USAGE_UNIT, "RegistryUsageUnit",
            RegistryEntry.AUDIT_ACTION, "RegistryAuditAction",
            RegistryEntry.NOTIFICATION_TEMPLATE, "RegistryNotificationTemplate",
            RegistryEntry.EVIDENCE_TYPE, "RegistryEvidenceType",
            RegistryEntry.ARTIFACT_TYPE, "RegistryArtifactType",
            RegistryEntry.POLICY, "RegistryPolicy",
            RegistryEntry.RETENTION_CLASS, "RegistryRetentionClass");
    /** Fields that name an entry of another kind. */
    private static final Map<String, String> REFERENCES =
            Map.of("product_id", RegistryEntry.PRODUCT, "retention_class", RegistryEntry.RETENTION_CLASS);

    private final Contract contract;

    public RegistryBodies(Contract contract) {
        this.contract = contract;
    }

    /** What is wrong with a body, by its pointers; {@code at} is where the body is in what was sent. */
    public List<FieldProblem> faults(String kind, String at, JsonNode body) {
        var problems = new ArrayList<FieldProblem>();
        contract.schema(schemaOf(kind)).check(at, body, problems);
        return problems;
    }

    /** The kinds and ids that a body names, by field. */
    static Map<String, Reference> references(JsonNode body) {
        var found = new LinkedHashMap<String, Reference>();
        REFERENCES.forEach((field, kind) -> {
            if (body.path(field).isTextual()) {
                found.put(field, new Reference(kind, body.path(field).asText()));
            }
        });
        return found;
    }

    record Reference(String kind, String id) {}

    private static String schemaOf(String kind) {
        var name = SCHEMAS.get(kind);
        if (name == null) {
            throw new IllegalArgumentException("no registry of " + kind);
        }
        return name;
    }
}

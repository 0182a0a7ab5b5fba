package dev.slipway.catalog.registry;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Contract;
import dev.slipway.contract.Problem.FieldProblem;
import dev.slipway.contract.domain.RegistryKind;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Validates the bodies of registry entries against the schema of their kind, and finds their references to other entries. */
public final class RegistryBodyValidator {
    /** Fields that contain the id of an entry of another kind. */
    private static final Map<String, RegistryKind> REFERENCES =
            Map.of("product_id", RegistryKind.PRODUCT, "retention_class", RegistryKind.RETENTION_CLASS);

    private final Contract contract;

    public RegistryBodyValidator(Contract contract) {
        this.contract = contract;
    }

    /** Returns the problems of a body; {@code pointer} is its location in the request. */
    public List<FieldProblem> validate(RegistryKind kind, String pointer, JsonNode body) {
        var problems = new ArrayList<FieldProblem>();
        contract.schemaValidator(schemaName(kind)).validate(pointer, body, problems);
        return problems;
    }

    /** Returns the referenced entries by field. */
    static Map<String, Reference> references(JsonNode body) {
        var references = new LinkedHashMap<String, Reference>();
        REFERENCES.forEach((field, kind) -> {
            if (body.path(field).isTextual()) {
                references.put(field, new Reference(kind, body.path(field).asText()));
            }
        });
        return references;
    }

    record Reference(RegistryKind kind, String id) {}

    private static String schemaName(RegistryKind kind) {
        return switch (kind) {
            case PRODUCT -> "RegistryProduct";
            case SCOPE -> "RegistryScope";
            case USAGE_UNIT -> "RegistryUsageUnit";
            case AUDIT_ACTION -> "RegistryAuditAction";
            case NOTIFICATION_TEMPLATE -> "RegistryNotificationTemplate";
            case EVIDENCE_TYPE -> "RegistryEvidenceType";
            case ARTIFACT_TYPE -> "RegistryArtifactType";
            case POLICY -> "RegistryPolicy";
            case RETENTION_CLASS -> "RegistryRetentionClass";
            case RUNTIME_BACKEND -> "RegistryRuntimeBackend";
        };
    }
}

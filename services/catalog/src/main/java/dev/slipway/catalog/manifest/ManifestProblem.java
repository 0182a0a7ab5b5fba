package dev.slipway.catalog.manifest;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem.FieldProblem;

/** What is wrong with a manifest, and where. */
public record ManifestProblem(String pointer, Code code, String message) {
    /** The classes of problems. */
    public enum Code {
        SHAPE,
        IDENTITY,
        MISSING,
        DUPLICATE,
        BOUNDS,
        INVALID_SCHEMA,
        UNKNOWN_COMPONENT,
        UNKNOWN_PROPERTY,
        UNKNOWN_ACTION,
        UNKNOWN_USAGE_UNIT,
        UNKNOWN_ARTIFACT_TYPE,
        ARTIFACT_UNTRUSTED,
        UNREACHABLE_ROLLBACK
    }

    /** Whether a manifest with it cannot even be kept as a draft. */
    public boolean isOfShape() {
        return code == Code.SHAPE || code == Code.IDENTITY;
    }

    public ObjectNode json() {
        return Json.object()
                .put("pointer", pointer)
                .put("code", code.name().toLowerCase(java.util.Locale.ROOT))
                .put("message", message);
    }

    /** As a field of a request whose manifest is {@code at} a pointer. */
    public FieldProblem field(String at) {
        return new FieldProblem(at + pointer, message);
    }
}

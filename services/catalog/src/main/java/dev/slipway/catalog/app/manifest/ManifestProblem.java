package dev.slipway.catalog.app.manifest;

import dev.slipway.contract.Problem.FieldProblem;

/** A problem of a manifest, as the API returns it. {@code pointer} is a JSON pointer into the manifest. */
public record ManifestProblem(String pointer, Code code, String message) {
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
        UNKNOWN_RUNTIME_BACKEND,
        UNKNOWN_ARTIFACT_TYPE,
        ARTIFACT_UNTRUSTED,
        UNREACHABLE_ROLLBACK;

        /** Returns whether a manifest with this problem cannot be stored, not even as a draft. */
        public boolean isStructural() {
            return this == SHAPE || this == IDENTITY;
        }
    }

    /** Returns the problem of a request field; {@code at} is the pointer to the manifest in the request. */
    public FieldProblem toFieldProblem(String at) {
        return new FieldProblem(at + pointer, message);
    }
}

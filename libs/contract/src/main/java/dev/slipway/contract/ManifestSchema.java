package dev.slipway.contract;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Problem.FieldProblem;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The compiled, published schema of app manifests. */
public final class ManifestSchema {
    private final JsonNode document;
    private final SchemaValidator check;

    private ManifestSchema(JsonNode document) {
        this.document = document;
        var iri = document.path("$id").asText();
        this.check = new SchemaCompiler(Map.of(iri, document.toString())).validatorAt(iri);
    }

    public static ManifestSchema load() {
        return new ManifestSchema(SchemaCompiler.loadResource("manifest.v1.json"));
    }

    /** Returns the published schema document. */
    public JsonNode document() {
        return document;
    }

    /** Validates the structure of a manifest. */
    public List<FieldProblem> validate(JsonNode manifest) {
        var problems = new ArrayList<FieldProblem>();
        check.validate(manifest, problems);
        return problems;
    }
}

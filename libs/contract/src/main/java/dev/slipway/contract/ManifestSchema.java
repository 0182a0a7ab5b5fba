package dev.slipway.contract;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Problem.FieldProblem;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The published schema of app manifests, compiled once. */
public final class ManifestSchema {
    private final JsonNode document;
    private final SchemaCheck check;

    private ManifestSchema(JsonNode document) {
        this.document = document;
        var iri = document.path("$id").asText();
        this.check = new Schemas(Map.of(iri, document.toString())).at(iri);
    }

    public static ManifestSchema load() {
        return new ManifestSchema(Schemas.resource("manifest.v1.json"));
    }

    /** The schema as it is published. */
    public JsonNode document() {
        return document;
    }

    /** What is wrong with the shape of a manifest, by its pointers. */
    public List<FieldProblem> faults(JsonNode manifest) {
        var problems = new ArrayList<FieldProblem>();
        check.check(manifest, problems);
        return problems;
    }
}

package dev.slipway.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.PathType;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaValidatorsConfig;
import com.networknt.schema.SpecVersion;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Compiles JSON Schemas out of documents that are at hand: nothing is ever fetched. */
final class Schemas {
    private static final SchemaValidatorsConfig OURS = config().build();
    private static final SchemaValidatorsConfig FOREIGN =
            config().regularExpressionFactory(BoundedPattern::compile).build();

    private final JsonSchemaFactory factory;
    private final Map<String, JsonSchema> documents = new ConcurrentHashMap<>();
    private final Map<String, SchemaCheck> checks = new ConcurrentHashMap<>();

    Schemas(Map<String, String> textByIri) {
        factory = JsonSchemaFactory.getInstance(
                SpecVersion.VersionFlag.V202012,
                builder -> builder.schemaLoaders(loaders -> loaders.schemas(textByIri)));
    }

    /** The schema at a location such as {@code https://slipway.dev/openapi.json#/components/schemas/App}; one per location. */
    SchemaCheck at(String location) {
        return checks.computeIfAbsent(location, this::compiled);
    }

    /** A part is taken out of its document: asked for by its own location, the document would be read again, and kept, for each part. */
    private SchemaCheck compiled(String location) {
        var hash = location.indexOf('#');
        var iri = hash < 0 ? location : location.substring(0, hash);
        var document = documents.computeIfAbsent(iri, at -> factory.getSchema(SchemaLocation.of(at), OURS));
        var schema =
                hash < 0 ? document : document.getSubSchema(SchemaLocation.Fragment.of(location.substring(hash + 1)));
        schema.initializeValidators();
        return new SchemaCheck(schema);
    }

    /** A schema that is in no document of ours, and is not kept. */
    JsonSchema foreign(JsonNode node) {
        var schema = factory.getSchema(node, FOREIGN);
        schema.initializeValidators();
        return schema;
    }

    private static SchemaValidatorsConfig.Builder config() {
        return SchemaValidatorsConfig.builder()
                .formatAssertionsEnabled(true)
                .pathType(PathType.JSON_POINTER)
                .locale(java.util.Locale.ROOT);
    }

    static JsonNode resource(String name) {
        var found = resourceIfThere(name);
        if (found.isMissingNode()) {
            throw new IllegalStateException("the contract is not on the class path: /slipway/" + name);
        }
        return found;
    }

    static JsonNode resourceIfThere(String name) {
        try (var in = Schemas.class.getResourceAsStream("/slipway/" + name)) {
            return in == null ? MissingNode.getInstance() : Json.parse(in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

package dev.slipway.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.PathType;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaValidatorsConfig;
import com.networknt.schema.SpecVersion;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;

/** Compiles JSON Schemas out of documents that are at hand: nothing is ever fetched. */
final class Schemas {
    private static final SchemaValidatorsConfig CONFIG = SchemaValidatorsConfig.builder()
            .formatAssertionsEnabled(true)
            .pathType(PathType.JSON_POINTER)
            .locale(java.util.Locale.ROOT)
            .build();

    private final JsonSchemaFactory factory;

    Schemas(Map<String, String> textByIri) {
        factory = JsonSchemaFactory.getInstance(
                SpecVersion.VersionFlag.V202012,
                builder -> builder.schemaLoaders(loaders -> loaders.schemas(textByIri)));
    }

    /** The schema at a location such as {@code https://slipway.dev/openapi.json#/components/schemas/App}. */
    SchemaCheck at(String location) {
        var schema = factory.getSchema(SchemaLocation.of(location), CONFIG);
        schema.initializeValidators();
        return new SchemaCheck(schema);
    }

    static JsonNode resource(String name) {
        try (var in = Schemas.class.getResourceAsStream("/slipway/" + name)) {
            if (in == null) {
                throw new IllegalStateException("the contract is not on the class path: /slipway/" + name);
            }
            return Json.parse(in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

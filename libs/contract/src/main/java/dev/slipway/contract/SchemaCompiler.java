package dev.slipway.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.networknt.schema.AnnotationKeyword;
import com.networknt.schema.ExecutionContext;
import com.networknt.schema.Format;
import com.networknt.schema.JsonMetaSchema;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.PathType;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaValidatorsConfig;
import com.networknt.schema.SpecVersion;
import com.networknt.schema.format.DateTimeFormat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** Compiles JSON Schemas from documents in memory; nothing is ever fetched. */
final class SchemaCompiler {
    private static final SchemaValidatorsConfig TRUSTED = config().build();

    private static final JsonMetaSchema META_SCHEMA = JsonMetaSchema.builder(JsonMetaSchema.getV202012())
            .format(new ParsableDateTimeFormat())
            .keyword(EvaluationBudget.KEYWORD)
            .format(new SingleLineFormat())
            .vocabularyFactory(FaultLimit::findVocabulary)
            .keyword(new AnnotationKeyword(Contract.MAX_BYTES))
            .build();

    private final JsonSchemaFactory factory;
    private final Map<String, JsonSchema> documents = new ConcurrentHashMap<>();
    private final Map<String, SchemaValidator> checks = new ConcurrentHashMap<>();

    SchemaCompiler(Map<String, String> textByIri) {
        factory = JsonSchemaFactory.getInstance(
                SpecVersion.VersionFlag.V202012,
                builder -> builder.metaSchema(META_SCHEMA).schemaLoaders(loaders -> loaders.schemas(textByIri)));
    }

    /** Returns the validator of a location such as {@code https://slipway.dev/openapi.json#/components/schemas/App}. */
    SchemaValidator validatorAt(String location) {
        return checks.computeIfAbsent(location, this::compile);
    }

    /** Compiles a part from its document: compiled by its own location, the library would load the document once per part. */
    private SchemaValidator compile(String location) {
        var hash = location.indexOf('#');
        var iri = hash < 0 ? location : location.substring(0, hash);
        var document = documents.computeIfAbsent(iri, at -> factory.getSchema(SchemaLocation.of(at), TRUSTED));
        var schema =
                hash < 0 ? document : document.getSubSchema(SchemaLocation.Fragment.of(location.substring(hash + 1)));
        schema.initializeValidators();
        return new SchemaValidator(schema);
    }

    /** Compiles a schema that belongs to no document; the result is not cached. Every validation takes a budget from the supplier. */
    JsonSchema compileUntrusted(JsonNode node, Supplier<EvaluationBudget> budgets) {
        var config = config().regularExpressionFactory(LinearTimePattern::compile)
                .executionContextCustomizer(
                        (execution, validation) -> budgets.get().attachTo(execution))
                .build();
        var schema = factory.getSchema(EvaluationBudget.instrument(node), config);
        schema.initializeValidators();
        return schema;
    }

    private static SchemaValidatorsConfig.Builder config() {
        return SchemaValidatorsConfig.builder()
                .formatAssertionsEnabled(true)
                .pathType(PathType.JSON_POINTER)
                .locale(java.util.Locale.ROOT);
    }

    static JsonNode loadResource(String name) {
        var found = findResource(name);
        if (found.isMissingNode()) {
            throw new IllegalStateException("contract resource not on the class path: /slipway/" + name);
        }
        return found;
    }

    static JsonNode findResource(String name) {
        try (var in = SchemaCompiler.class.getResourceAsStream("/slipway/" + name)) {
            return in == null ? MissingNode.getInstance() : Json.parseInternal(in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** RFC 3339 allows a space or an underscore between date and time, which no service can parse. */
    private static final class ParsableDateTimeFormat implements Format {
        private static final int SEPARATOR = 10;

        private final DateTimeFormat delegate = new DateTimeFormat();

        @Override
        public String getName() {
            return delegate.getName();
        }

        @Override
        public String getMessageKey() {
            return delegate.getMessageKey();
        }

        @Override
        public boolean matches(ExecutionContext context, String text) {
            return delegate.matches(context, text) && "Tt".indexOf(text.charAt(SEPARATOR)) >= 0;
        }
    }
}

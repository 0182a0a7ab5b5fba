package dev.slipway.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Problem.FieldProblem;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests what generated clients need from the bundled document. */
class PublishedContractTest {
    private static final Contract CONTRACT = Contract.load();
    private static final JsonNode DOCUMENT = CONTRACT.document();

    @Test
    void examples_matchTheirSchemas() {
        var count = 0;
        for (var schema : DOCUMENT.at("/components/schemas").properties()) {
            for (var example : schema.getValue().path("examples")) {
                var problems = new ArrayList<FieldProblem>();
                CONTRACT.schemaValidator(schema.getKey()).validate(example, problems);
                assertThat(problems).as(schema.getKey()).isEmpty();
                count++;
            }
        }
        assertThat(count).isGreaterThan(10);
    }

    @Test
    void schemas_haveExplicitTypes() {
        var enums = new ArrayList<>(DOCUMENT.path("paths").findParents("enum"));
        enums.addAll(DOCUMENT.path("components").findParents("enum"));
        assertThat(enums).hasSizeGreaterThan(50).allSatisfy(schema -> assertThat(schema.has("type"))
                .as(schema.toString())
                .isTrue());
        assertThat(objectSchemas()).isNotEmpty().allSatisfy(schema -> assertThat(schema.has("additionalProperties"))
                .as(schema.toString())
                .isTrue());
    }

    private static List<JsonNode> objectSchemas() {
        return DOCUMENT.at("/components/schemas").findParents("type").stream()
                .filter(schema -> schema.path("type").asText().equals("object"))
                .toList();
    }

    @Test
    void required_namesDeclaredProperties() {
        for (var schema : DOCUMENT.at("/components/schemas").properties()) {
            schema.getValue().path("required").forEach(name -> assertThat(
                            schema.getValue().path("properties").has(name.asText()))
                    .as(schema.getKey() + "." + name.asText())
                    .isTrue());
        }
    }

    @Test
    void operations_declareTagsHeadersAndErrors() {
        var tags = StreamSupport.stream(DOCUMENT.path("tags").spliterator(), false)
                .map(tag -> tag.path("name").asText())
                .toList();
        operations().forEach(operation -> {
            var name = operation.path("operationId").asText();
            operation.path("tags").forEach(tag -> assertThat(tags).as(name).contains(tag.asText()));
            assertThat(operation.path("description").asText()).as(name).isNotEmpty();
            assertThat(operation.at("/responses/429/$ref").asText())
                    .as(name)
                    .isEqualTo("#/components/responses/TooManyRequests");
            assertThat(operation.path("responses").has("503")).as(name).isTrue();
            operation.path("responses").properties().stream()
                    .filter(response -> response.getKey().startsWith("2"))
                    .forEach(response -> assertThat(response.getValue().at("/headers/X-Correlation-ID"))
                            .as(name)
                            .isInstanceOf(ObjectNode.class));
        });
        assertThat(DOCUMENT.at("/components/responses/Unavailable/headers").has("Retry-After"))
                .isTrue();
    }

    @Test
    void properties_haveDescriptions() {
        for (var schema : DOCUMENT.at("/components/schemas").properties()) {
            for (var property : schema.getValue().path("properties").properties()) {
                var node = property.getValue();
                assertThat(node.has("description") || !node.has("type"))
                        .as(schema.getKey() + "." + property.getKey())
                        .isTrue();
            }
        }
    }

    @Test
    void mutations_declareOneSuccessStatus() {
        operations().forEach(operation -> assertThat(operation.path("responses").properties().stream()
                        .map(java.util.Map.Entry::getKey)
                        .filter(status -> status.startsWith("2"))
                        .map(status -> operation
                                .at("/responses/" + status + "/content/application~1json/schema/$ref")
                                .asText())
                        .distinct())
                .as(operation.path("operationId").asText())
                .hasSize(1));
    }

    @Test
    void internalSchemas_areNotPublished() {
        assertThat(DOCUMENT.path("x-slipway-schemas").size()).isEqualTo(12);
        DOCUMENT.path("x-slipway-schemas").properties().forEach(schema -> assertThat(
                        DOCUMENT.at("/components/schemas").has(schema.getKey()))
                .as(schema.getKey())
                .isFalse());
        assertThat(CONTRACT.schemaValidator("RegistryProduct")).isNotNull();
    }

    private static Stream<JsonNode> operations() {
        return DOCUMENT.path("paths").properties().stream()
                .flatMap(path -> path.getValue().properties().stream())
                .map(java.util.Map.Entry::getValue)
                .filter(node -> node.has("operationId"));
    }
}

package dev.slipway.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Problem.FieldProblem;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests what generated clients need from the bundled document. */
class PublishedContractTest {
    private static final Contract CONTRACT = Contract.load();
    private static final JsonNode DOCUMENT = CONTRACT.document();

    /** Conditions repeat property names, and examples are no schemas. */
    private static final Set<String> NOT_DESCRIBED = Set.of("if", "then", "else", "examples", "default");

    @Test
    void examples_matchTheirSchemas() {
        for (var schema : DOCUMENT.at("/components/schemas").properties()) {
            for (var example : schema.getValue().path("examples")) {
                assertThat(problems(schema.getKey(), example))
                        .as(schema.getKey())
                        .isEmpty();
            }
        }
    }

    @Test
    void requestsAndResponses_haveExamples() {
        var named = operations()
                .flatMap(operation -> Stream.concat(
                        Stream.of(operation.path("requestBody")),
                        operation.path("responses").properties().stream()
                                .filter(response -> response.getKey().startsWith("2"))
                                .map(Map.Entry::getValue)))
                .map(content ->
                        content.at("/content/application~1json/schema/$ref").asText())
                .filter(reference -> !reference.isEmpty())
                .collect(Collectors.toSet());

        assertThat(named).hasSizeGreaterThan(100).allSatisfy(reference -> assertThat(
                        DOCUMENT.at(reference.substring(1)).path("examples"))
                .as(reference)
                .isNotEmpty());
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
        return Stream.of("/components/schemas", "/paths")
                .flatMap(part -> DOCUMENT.at(part).findParents("type").stream())
                .filter(schema -> schema.path("type").asText().equals("object")
                        || StreamSupport.stream(schema.path("type").spliterator(), false)
                                .anyMatch(type -> type.asText().equals("object")))
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
    void operations_declareTagsAndHeaders() {
        var tags = StreamSupport.stream(DOCUMENT.path("tags").spliterator(), false)
                .map(tag -> tag.path("name").asText())
                .toList();
        operations().forEach(operation -> {
            var name = operation.path("operationId").asText();
            operation.path("tags").forEach(tag -> assertThat(tags).as(name).contains(tag.asText()));
            assertThat(operation.path("description").asText()).as(name).isNotEmpty();
            operation.path("responses").properties().stream()
                    .filter(response -> response.getKey().startsWith("2"))
                    .forEach(response -> assertThat(response.getValue().at("/headers/X-Correlation-ID"))
                            .as(name)
                            .isInstanceOf(ObjectNode.class));
        });
    }

    @Test
    void operations_declareTheirErrors() {
        operations().forEach(operation -> {
            var name = operation.path("operationId").asText();
            var errors = operation.path("responses").properties().stream()
                    .filter(response -> response.getKey().matches("[45]\\d\\d"))
                    .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
            assertThat(errors.keySet()).as(name).contains("400", "429", "500", "503", "504");
            assertThat(errors.containsKey("401") || isPublic(operation))
                    .as(name)
                    .isTrue();
            errors.forEach((status, response) -> {
                assertIsErrorResponse(status, response);
                codes(response).forEach(code -> assertThat(ErrorEnvelope.status(Problem.of(ErrorCode.of(code), "")))
                        .as(name + " " + code)
                        .isEqualTo(Integer.parseInt(status)));
            });
        });
    }

    @Test
    void reads_withAnETag_declareRevalidation() {
        var read = DOCUMENT.path("paths").properties().stream()
                .map(path -> path.getValue().path("get"))
                .filter(operation -> operation.at("/responses/200/headers").has("ETag"))
                .toList();
        assertThat(read).hasSizeGreaterThan(10).allSatisfy(operation -> {
            assertThat(operation.path("parameters").findValuesAsText("$ref"))
                    .contains("#/components/parameters/IfNoneMatch");
            assertThat(operation.at("/responses/304/headers").has("ETag")).isTrue();
        });
    }

    /** A request is asynchronous if it is answered with 202: the client needs to know where to look. An audit entry has no address. */
    @Test
    void asynchronousOperations_declareLocation() {
        assertThat(operations()
                        .filter(operation -> operation.path("responses").has("202"))
                        .filter(operation ->
                                !operation.at("/responses/202/headers").has("Location"))
                        .map(operation -> operation.path("operationId").asText()))
                .containsExactlyInAnyOrder("writeProjectAuditEntry", "adminWriteProjectAuditEntry");
    }

    private static boolean isPublic(JsonNode operation) {
        return operation.path("x-slipway-scope").asText().equals("public");
    }

    private static void assertIsErrorResponse(String status, JsonNode response) {
        var declared = DOCUMENT.at(response.path("$ref").asText().substring(1));
        assertThat(declared.at("/content/application~1json/schema/$ref").asText())
                .isEqualTo("#/components/schemas/Error");
        assertThat(declared.path("headers").has("X-Correlation-ID")).isTrue();
        assertThat(declared.path("headers").has("WWW-Authenticate")).isEqualTo(status.equals("401"));
        assertThat(declared.path("headers").has("Retry-After"))
                .as(status)
                .isEqualTo(Set.of("429", "503").contains(status));
    }

    /** Returns the codes that the operation names for this status. */
    private static List<String> codes(JsonNode response) {
        var text = response.path("description").asText();
        return Pattern.compile("`([a-z_]+)`(?=[,.])")
                .matcher(text.substring(Math.max(0, text.indexOf("Codes of this operation"))))
                .results()
                .map(match -> match.group(1))
                .toList();
    }

    @Test
    void parametersAndHeaders_haveDescriptions() {
        var declared = Stream.concat(
                DOCUMENT.at("/components/parameters").properties().stream().map(Map.Entry::getValue),
                DOCUMENT.at("/components/headers").properties().stream().map(Map.Entry::getValue));
        var inline = operations()
                .flatMap(operation -> Stream.concat(
                        StreamSupport.stream(operation.path("parameters").spliterator(), false),
                        operation.path("responses").properties().stream()
                                .flatMap(response -> response.getValue().path("headers").properties().stream())
                                .map(Map.Entry::getValue)))
                .filter(node -> !node.has("$ref"));

        assertThat(Stream.concat(declared, inline))
                .allSatisfy(node -> assertThat(node.path("description").asText())
                        .as(node.toString())
                        .isNotEmpty());
    }

    @Test
    void properties_haveDescriptions() {
        var undescribed = new ArrayList<String>();
        DOCUMENT.at("/components/schemas")
                .properties()
                .forEach(schema -> findUndescribed(schema.getKey(), schema.getValue(), undescribed));
        findUndescribed("paths", DOCUMENT.path("paths"), undescribed);
        assertThat(undescribed).isEmpty();
    }

    @Test
    void schemas_haveDescriptions() {
        assertThat(DOCUMENT.at("/components/schemas").properties().stream()
                        .filter(schema ->
                                schema.getValue().path("description").asText().isEmpty())
                        .map(schema -> "schemas." + schema.getKey()))
                .as("not in descriptions.yaml")
                .isEmpty();
    }

    private static void findUndescribed(String path, JsonNode node, List<String> undescribed) {
        for (var field : node.properties()) {
            if (field.getKey().equals("properties")) {
                field.getValue().properties().forEach(property -> {
                    var name = path + "." + property.getKey();
                    if (property.getValue().path("description").asText().isEmpty()) {
                        undescribed.add(name);
                    }
                    findUndescribed(name, property.getValue(), undescribed);
                });
            } else if (!NOT_DESCRIBED.contains(field.getKey())) {
                findUndescribed(path, field.getValue(), undescribed);
            }
        }
        if (node.isArray()) {
            node.forEach(element -> findUndescribed(path, element, undescribed));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{}                                                | /user_id: is required",
                "{'issuer': 'i'}                                   | /subject: is required",
                "{'subject': 's'}                                  | /issuer: is required",
                "{'user_id': '%1$s', 'issuer': 'i', 'subject': 's'} | /user_id: is not allowed here",
                "{'user_id': '%1$s'}                               |",
                "{'issuer': 'i', 'subject': 's'}                   |"
            })
    void userReference_isAnIdOrIssuerAndSubject(String body, @Nullable String problem) {
        var expected = problem == null ? List.of() : List.of(problem);

        assertThat(faults("UserReference", body)).isEqualTo(expected);
        assertThat(faults("CreateRoleBinding", withRole(body))).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'group_id': '%1$s'}                                | ",
                "{'group_id': '%1$s', 'user_id': '%1$s'}             | /user_id: is not allowed here",
                "{'group_id': '%1$s', 'issuer': 'i', 'subject': 's'} | /group_id: is not allowed here"
            })
    void roleBinding_isGrantedToAGroupOrAUser(String body, @Nullable String problem) {
        assertThat(faults("CreateRoleBinding", withRole(body)))
                .isEqualTo(problem == null ? List.of() : List.of(problem));
    }

    private static String withRole(String body) {
        return body.replaceFirst("\\{", "{'role': 'project_viewer'" + (body.equals("{}") ? "" : ","));
    }

    private static List<String> faults(String schema, String body) {
        var json = body.formatted(new UUID(1, 1)).replace('\'', '"');
        return problems(schema, Json.parseTrusted(json.getBytes(StandardCharsets.UTF_8))).stream()
                .map(problem -> problem.field() + ": " + problem.problem())
                .toList();
    }

    private static List<FieldProblem> problems(String schema, JsonNode json) {
        var problems = new ArrayList<FieldProblem>();
        CONTRACT.schemaValidator(schema).validate(json, problems);
        return problems;
    }

    @Test
    void mutations_declareOneSuccessStatus() {
        operations().forEach(operation -> assertThat(operation.path("responses").properties().stream()
                        .map(Map.Entry::getKey)
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
                .map(Map.Entry::getValue)
                .filter(node -> node.has("operationId"));
    }
}

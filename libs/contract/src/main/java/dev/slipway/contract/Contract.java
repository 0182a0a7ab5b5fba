package dev.slipway.contract;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Operation.Scope;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The REST contract, loaded and compiled once at start. */
public final class Contract {
    private static final String IRI = "https://slipway.dev/openapi.json";
    private static final Set<String> METHODS = Set.of("get", "put", "post", "delete", "patch");

    private final JsonNode document;
    private final Schemas schemas;
    private final Map<String, Operation> operations = new TreeMap<>();

    private Contract(JsonNode document) {
        this.document = document;
        this.schemas = new Schemas(Map.of(IRI, document.toString()));
        document.path("paths").properties().forEach(path -> path.getValue().properties().stream()
                .filter(method -> METHODS.contains(method.getKey()))
                .map(method -> operation(path.getKey(), method.getKey(), method.getValue()))
                .forEach(operation -> operations.put(operation.id(), operation)));
    }

    public static Contract load() {
        return new Contract(Schemas.resource("openapi.json"));
    }

    public List<Operation> operations() {
        return List.copyOf(operations.values());
    }

    public Operation operation(String id) {
        var found = operations.get(id);
        if (found == null) {
            throw new IllegalArgumentException("the contract has no operation " + id);
        }
        return found;
    }

    /** The bundled OpenAPI document. */
    public JsonNode document() {
        return document;
    }

    /** The check of a schema of the document, by its name. */
    public SchemaCheck schema(String name) {
        return schemas.at(IRI + "#/components/schemas/" + name);
    }

    /** The check of an operation's answer, for tests: the schema of that status, or the error envelope. Of a stream, that of an event. */
    public SchemaCheck responseCheck(String operationId, int status) {
        var operation = operation(operationId);
        var responses = "/paths/" + escaped(operation.path()) + "/"
                + operation.method().toLowerCase(Locale.ROOT) + "/responses/";
        var type = operation.streams() ? "text~1event-stream" : "application~1json";
        var exact = responses + status + "/content/" + type + "/schema";
        return schemas.at(IRI + "#" + (document.at(exact).isMissingNode() ? "/components/schemas/Error" : exact));
    }

    private Operation operation(String path, String method, JsonNode node) {
        var pathParameters = new ArrayList<Parameter>();
        var queryParameters = new LinkedHashMap<String, Parameter>();
        var headerParameters = new ArrayList<Parameter>();
        var location = "/paths/" + escaped(path) + "/" + method;
        for (var i = 0; i < node.path("parameters").size(); i++) {
            var parameter = parameter(location + "/parameters/" + i);
            switch (resolved(location + "/parameters/" + i).at.path("in").asText()) {
                case "path" -> pathParameters.add(parameter);
                case "query" -> queryParameters.put(parameter.name(), parameter);
                case "header" -> headerParameters.add(parameter);
                default -> throw new IllegalStateException("unknown kind of parameter at " + location);
            }
        }
        var body = location + "/requestBody/content/application~1json/schema";
        return new Operation(
                node.path("operationId").asText(),
                node.path("x-slipway-twin-of").textValue(),
                node.path("x-slipway-dry-run").textValue(),
                method.toUpperCase(Locale.ROOT),
                path,
                node.path("x-slipway-action").asText(),
                Scope.of(node.path("x-slipway-scope").asText()),
                method.equals("get") || node.path("x-slipway-reads").asBoolean(),
                node.path("x-slipway-stream").asBoolean(),
                successStatus(node),
                List.copyOf(pathParameters),
                queryParameters,
                List.copyOf(headerParameters),
                document.at(body).isMissingNode() ? null : schemas.at(IRI + "#" + body));
    }

    private Parameter parameter(String pointer) {
        var found = resolved(pointer);
        return new Parameter(
                found.at.path("name").asText(),
                found.at.path("required").asBoolean(),
                found.at.path("schema"),
                schemas.at(IRI + "#" + found.pointer + "/schema"));
    }

    private record Located(String pointer, JsonNode at) {}

    private Located resolved(String pointer) {
        var node = document.at(pointer);
        var ref = node.path("$ref");
        return ref.isMissingNode()
                ? new Located(pointer, node)
                : resolved(ref.asText().substring(1));
    }

    /** The highest: a lower one is that of a dry run. */
    private static int successStatus(JsonNode operation) {
        return operation.path("responses").properties().stream()
                .map(Map.Entry::getKey)
                .filter(status -> status.startsWith("2"))
                .mapToInt(Integer::parseInt)
                .max()
                .orElseThrow();
    }

    private static String escaped(String pathTemplate) {
        return pathTemplate.replace("~", "~0").replace("/", "~1");
    }
}

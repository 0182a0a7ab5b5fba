package dev.slipway.contract;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.ApiOperation.Scope;
import dev.slipway.contract.domain.TextEnum;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The REST contract, compiled once at startup. */
public final class Contract {
    /** The schema keyword with the maximum size of a top-level field of a request body, in bytes. */
    static final String MAX_BYTES = "x-slipway-max-bytes";

    private static final String IRI = "https://slipway.dev/openapi.json";
    private static final Set<String> METHODS = Set.of("get", "put", "post", "delete", "patch");

    private static final int HTTP_OK = 200;

    private final JsonNode document;
    private final SchemaCompiler schemaCompiler;
    private final Map<String, ApiOperation> operations = new TreeMap<>();

    private Contract(JsonNode document) {
        this.document = document;
        this.schemaCompiler = new SchemaCompiler(Map.of(IRI, document.toString()));
        document.path("paths").properties().forEach(path -> path.getValue().properties().stream()
                .filter(method -> METHODS.contains(method.getKey()))
                .map(method -> operation(path.getKey(), method.getKey(), method.getValue()))
                .forEach(apiOperation -> operations.put(apiOperation.id(), apiOperation)));
    }

    /** Returns the contract of this program. It does not change, so it is compiled once. */
    public static Contract load() {
        return Compiled.CONTRACT;
    }

    /** Compiles the contract when it is first used. */
    private static final class Compiled {
        static final Contract CONTRACT = new Contract(SchemaCompiler.loadResource("openapi.json"));
    }

    public List<ApiOperation> operations() {
        return List.copyOf(operations.values());
    }

    public ApiOperation operation(String id) {
        var found = operations.get(id);
        if (found == null) {
            throw new IllegalArgumentException("the contract has no operation " + id);
        }
        return found;
    }

    /** Returns the bundled OpenAPI document. */
    public JsonNode document() {
        return document;
    }

    /** Returns the validator of a named schema of the document, published or internal. */
    public SchemaValidator schemaValidator(String name) {
        var internal = "/x-slipway-schemas/" + name;
        return schemaCompiler.validatorAt(
                IRI + "#" + (document.at(internal).isMissingNode() ? "/components/schemas/" + name : internal));
    }

    /**
     * Returns the validator of a response: the schema of that status, or the error envelope. For a stream it validates one event, and
     * for NDJSON one line. A dry run has the response of the operation that describes it.
     */
    public SchemaValidator responseValidator(String operationId, int status) {
        var apiOperation = operation(operationId);
        var dryRun = apiOperation.dryRunOperationId();
        if (dryRun != null && status == HTTP_OK) {
            return responseValidator(dryRun, status);
        }
        var location = location(apiOperation);
        var exact = apiOperation.isStream() && status == HTTP_OK
                ? location + "/x-slipway-event"
                : location + "/responses/" + status + "/content/"
                        + escapePointer(contentType(document.at(location), status)) + "/schema";
        return schemaCompiler.validatorAt(
                IRI + "#" + (document.at(exact).isMissingNode() ? "/components/schemas/Error" : exact));
    }

    /** Returns whether the operation declares this status; a dry run has the statuses of the operation that describes it as well. */
    public boolean declaresStatus(String operationId, int status) {
        var apiOperation = operation(operationId);
        var dryRun = apiOperation.dryRunOperationId();
        return !document.at(location(apiOperation) + "/responses/" + status).isMissingNode()
                || (dryRun != null && declaresStatus(dryRun, status));
    }

    private static String location(ApiOperation apiOperation) {
        return "/paths/" + escapePointer(apiOperation.path()) + "/"
                + apiOperation.method().toLowerCase(Locale.ROOT);
    }

    private ApiOperation operation(String path, String method, JsonNode node) {
        var pathParameters = new ArrayList<Parameter>();
        var queryParameters = new LinkedHashMap<String, Parameter>();
        var headerParameters = new ArrayList<Parameter>();
        var location = "/paths/" + escapePointer(path) + "/" + method;
        for (var i = 0; i < node.path("parameters").size(); i++) {
            var parameter = parameter(location + "/parameters/" + i);
            switch (resolve(location + "/parameters/" + i).at.path("in").asText()) {
                case "path" -> pathParameters.add(parameter);
                case "query" -> queryParameters.put(parameter.name(), parameter);
                case "header" -> headerParameters.add(parameter);
                default -> throw new IllegalStateException("unknown parameter location at " + location);
            }
        }
        var body = location + "/requestBody/content/application~1json/schema";
        return new ApiOperation(
                node.path("operationId").asText(),
                node.path("x-slipway-twin-of").textValue(),
                node.path("x-slipway-dry-run").textValue(),
                method.toUpperCase(Locale.ROOT),
                path,
                node.path("x-slipway-action").asText(),
                TextEnum.parse(Scope.class, node.path("x-slipway-scope").asText()),
                method.equals("get") || node.path("x-slipway-reads").asBoolean(),
                node.path("x-slipway-stream").asBoolean(),
                successStatus(node),
                contentType(node, successStatus(node)),
                node.path("x-slipway-public-cache-seconds").asInt(),
                node.path("x-slipway-last-known").asBoolean(),
                node.path("x-slipway-max-body-kib").asInt(),
                node.path("x-slipway-indicator").textValue(),
                List.copyOf(pathParameters),
                queryParameters,
                List.copyOf(headerParameters),
                document.at(body).isMissingNode() ? null : schemaCompiler.validatorAt(IRI + "#" + body),
                maxFieldBytes(body));
    }

    private Map<String, Integer> maxFieldBytes(String body) {
        var limits = new HashMap<String, Integer>();
        resolve(body).at.path("properties").properties().forEach(field -> {
            if (field.getValue().has(MAX_BYTES)) {
                limits.put(field.getKey(), field.getValue().path(MAX_BYTES).intValue());
            }
        });
        return Map.copyOf(limits);
    }

    private Parameter parameter(String pointer) {
        var found = resolve(pointer);
        return new Parameter(
                found.at.path("name").asText(),
                found.at.path("required").asBoolean(),
                found.at.path("x-slipway-multi-segment").asBoolean(),
                found.at.path("schema"),
                schemaCompiler.validatorAt(IRI + "#" + found.pointer + "/schema"));
    }

    private record ResolvedNode(String pointer, JsonNode at) {}

    private ResolvedNode resolve(String pointer) {
        var node = document.at(pointer);
        var ref = node.path("$ref");
        return ref.isMissingNode()
                ? new ResolvedNode(pointer, node)
                : resolve(ref.asText().substring(1));
    }

    /** Returns the highest success status; a lower one belongs to the dry run. */
    private static int successStatus(JsonNode operation) {
        return operation.path("responses").properties().stream()
                .map(Map.Entry::getKey)
                .filter(status -> status.startsWith("2"))
                .mapToInt(Integer::parseInt)
                .max()
                .orElseThrow();
    }

    /** Returns the media type of a response; that of errors if the contract does not declare one. */
    private static String contentType(JsonNode operation, int status) {
        var declared = operation
                .path("responses")
                .path(String.valueOf(status))
                .path("content")
                .fieldNames();
        return declared.hasNext() ? declared.next() : "application/json";
    }

    private static String escapePointer(String pathTemplate) {
        return pathTemplate.replace("~", "~0").replace("/", "~1");
    }
}

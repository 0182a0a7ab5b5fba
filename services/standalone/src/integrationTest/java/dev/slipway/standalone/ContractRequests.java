package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.slipway.contract.ApiOperation;
import dev.slipway.contract.ApiOperation.Scope;
import dev.slipway.contract.Contract;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient;
import dev.slipway.testkit.ApiClient.Call;
import org.jspecify.annotations.Nullable;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

/** Valid requests of every operation, derived from the contract, and values that its schemas reject. */
final class ContractRequests {
    static final Contract CONTRACT = Contract.load();
    /** Admin variants are skipped: they have the same parameters. */
    static final List<ApiOperation> OPERATIONS =
            CONTRACT.operations().stream().filter(o -> !o.isAdminVariant()).toList();

    static final UUID NOWHERE = new UUID(0x0190_0000_0000_7000L, 0x8000_0000_0000_ffffL);

    private final PlatformUnderTest platform;
    private final ApiClient adapter;
    private final Map<String, String> validValues;

    ContractRequests(PlatformUnderTest platform, String instanceId) {
        this.platform = platform;
        this.adapter = platform.asAdapter();
        this.validValues = validValues(instanceId);
    }

    /** Returns a valid value for every parameter and required field; a new one needs a value here. */
    static Map<String, String> validValues(String instanceId) {
        var validValues = new LinkedHashMap<String, String>();
        for (var name : List.of(
                "command_id",
                "service_account_id",
                "operator_id",
                "shared_runtime_id",
                "credential_id",
                "api_key_id",
                "client_id",
                "jti",
                "kid",
                "artifact_id",
                "department_id",
                "group_id",
                "user_id",
                "binding_id",
                "operation_id",
                "member_id",
                "attachment_id",
                "worker_id",
                "audit_entry_id",
                "entry_ids",
                "tenant_id",
                "deployment_id",
                "record_id")) {
            validValues.put(name, NOWHERE.toString());
        }
        for (var name : List.of(
                "display_name", "slug", "name", "client_secret", "token", "description", "category", "publisher")) {
            validValues.put(name, "good");
        }
        validValues.put("reason", "a good reason");
        validValues.put("project_id", DemoData.PROJECT.toString());
        validValues.put("app_slug", DemoData.APP);
        validValues.put("correlation_id", "none");
        validValues.put("version", DemoData.VERSION);
        validValues.put("app_version", DemoData.VERSION);
        validValues.put("adapter_id", DemoData.ADAPTER.toString());
        validValues.put("adapter_secret", "not it");
        validValues.put("action", "apps.instance.read");
        validValues.put("org_id", DemoData.ORG.toString());
        validValues.put("runtime_backend", "bare_metal");
        validValues.put("artifact_type", "app_bundle");
        validValues.put("artifact_kind", "oci");
        validValues.put("source_type", "oci");
        validValues.put("uri", "oci://registry.example.com/apps/echo");
        validValues.put("digest", "sha256:" + "0".repeat(64));
        validValues.put("channel", "dev");
        validValues.put("registry", "shared");
        validValues.put("repository", "apps/echo");
        validValues.put("expires_at", "2999-01-01T00:00:00Z");
        validValues.put("actions", "apps.instance.read");
        validValues.put("allowed_actions", "apps.instance.read");
        validValues.put("role", "project_viewer");
        validValues.put("scope_id", "apps.instance.read");
        validValues.put("level", "project");
        validValues.put("product_id", "apps");
        validValues.put("risk_class", "low");
        validValues.put("kind", "product");
        validValues.put("entry_id", "apps");
        validValues.put("lifecycle", "active");
        validValues.put("operation", "add");
        validValues.put("component", "server");
        validValues.put("from", "2020-01-01T00:00:00Z");
        validValues.put("to", "2999-01-01T00:00:00Z");
        validValues.put("X-Break-Glass-Reason", "checked by a test");
        validValues.put("X-Revision", "1");
        validValues.put("Last-Event-ID", "1");
        validValues.put("If-Match", "\"1\"");
        validValues.put("app_instance_id", instanceId);
        validValues.put("target_type", "rack");
        validValues.put("target_id", "r-17");
        validValues.put("result", "success");
        validValues.put("slo_id", "authorize");
        validValues.put("tile", "0/000.p/1");
        validValues.put("period", "2026-01");
        validValues.put("plan", "free");
        validValues.put("object", "account");
        validValues.put("app_name", "crm");
        validValues.put("quota", "max_users");
        validValues.put("X-Tenant-ID", NOWHERE.toString());
        return validValues;
    }

    Call valid(ApiOperation apiOperation) {
        return valid(apiOperation, "", "");
    }

    /** A valid request except for one path parameter. */
    Call valid(ApiOperation apiOperation, String parameter, String invalid) {
        var call = withoutBody(apiOperation, parameter, invalid);
        return apiOperation.hasBody() ? call.body(validBody(apiOperation)) : call;
    }

    Call withoutBody(ApiOperation apiOperation, String parameter, String invalid) {
        var call = caller(apiOperation).call(apiOperation.id());
        if (!parameter.isEmpty()) {
            call = call.path(parameter, encode(invalid));
        }
        for (var entry : validValues.entrySet()) {
            call = call.path(entry.getKey(), entry.getValue());
        }
        return call.anyPath(NOWHERE);
    }

    /** Returns a caller with permission, so that only the fault is rejected. */
    private ApiClient caller(ApiOperation apiOperation) {
        if (apiOperation.action().equals("runtime.desired_state.read")) {
            return adapter;
        }
        return platform.as(permittedUser(apiOperation));
    }

    /** Returns a demo user that may call the operation. */
    static String permittedUser(ApiOperation apiOperation) {
        return switch (apiOperation.isAdminVariant() ? Scope.PLATFORM : apiOperation.scope()) {
            case PLATFORM -> "platform_superadmin";
            case ORGANIZATION -> "tenant_owner";
            default -> "project_owner";
        };
    }

    ObjectNode validBody(ApiOperation apiOperation) {
        return valid(bodySchema(apiOperation), MissingNode.getInstance());
    }

    /** Returns the required fields with values that exist on the platform, or otherwise those of the example in the contract. */
    private ObjectNode valid(JsonNode schema, JsonNode exampleOfParent) {
        var body = Json.object();
        var example = schema.has("example")
                ? schema.path("example")
                : schema.path("examples").path(0);
        var known = example.isMissingNode() ? exampleOfParent : example;
        required(schema).forEach(field -> {
            var inner = resolve(schema.path("properties").path(field));
            if (inner.has("properties")) {
                body.set(field, valid(inner, known.path(field)));
                return;
            }
            if (known.has(field) && !validValues.containsKey(field)) {
                body.set(field, known.path(field).deepCopy());
                return;
            }
            if (inner.path("format").asText().equals("date")) {
                body.put(field, "2026-01-01");
                return;
            }
            if (inner.has("enum") && !isListed(inner, validValues.get(field))) {
                body.set(field, inner.path("enum").path(0));
                return;
            }
            if (inner.path("type").asText().equals("object")) {
                body.putObject(field).put("good", "good");
                return;
            }
            var value = requireNonNull(validValues.get(field), () -> "no valid value for " + field);
            if (isArray(inner)) {
                body.putArray(field).add(value);
            } else {
                body.put(field, value);
            }
        });
        return body;
    }

    /** Returns the required fields, of a conditional schema those of its last alternative. */
    static List<String> required(JsonNode schema) {
        var names = new ArrayList<String>();
        schema.path("required").forEach(name -> names.add(name.asText()));
        if (schema.has("else")) {
            names.addAll(required(schema.path("else")));
        }
        return names;
    }

    private static boolean isListed(JsonNode schema, @Nullable String value) {
        return schema.path("enum").valueStream().anyMatch(each -> each.asText().equals(value));
    }

    private static boolean isArray(JsonNode schema) {
        return schema.path("type").asText().equals("array");
    }

    static List<ApiOperation> withBody() {
        return OPERATIONS.stream().filter(ApiOperation::hasBody).toList();
    }

    static List<JsonNode> parameters(ApiOperation apiOperation) {
        return StreamSupport.stream(node(apiOperation).path("parameters").spliterator(), false)
                .map(ContractRequests::resolve)
                .toList();
    }

    static JsonNode bodySchema(ApiOperation apiOperation) {
        return resolve(node(apiOperation).at("/requestBody/content/application~1json/schema"));
    }

    private static JsonNode node(ApiOperation apiOperation) {
        return CONTRACT.document()
                .path("paths")
                .path(apiOperation.path())
                .path(apiOperation.method().toLowerCase(Locale.ROOT));
    }

    static JsonNode resolve(JsonNode node) {
        if (node.path("allOf").size() == 1) {
            return resolve(node.at("/allOf/0"));
        }
        return node.has("$ref")
                ? resolve(CONTRACT.document().at(node.path("$ref").asText().substring(1)))
                : node;
    }

    /** Returns texts that the schema of a parameter rejects. */
    static List<String> invalidTexts(JsonNode schema, String in) {
        var invalid = new ArrayList<String>();
        if (schema.path("format").asText().equals("uuid")) {
            invalid.addAll(List.of(
                    "nope",
                    DemoData.PROJECT.toString().substring(1),
                    DemoData.PROJECT + "0",
                    "{" + DemoData.PROJECT + "}"));
        }
        if (schema.path("format").asText().equals("date")) {
            invalid.addAll(List.of("nope", "2030-13-01", "2030-01-01T00:00:00Z"));
        }
        if (schema.path("format").asText().equals("date-time")) {
            invalid.addAll(List.of("nope", "2030-01-01", "2030-01-01T00:00:00", "2030-01-01 00:00:00Z", "12:00"));
        }
        if (schema.path("type").asText().equals("integer")) {
            invalid.addAll(List.of("abc", "", "1.5", "0x10", "99999999999999999999", "1 "));
            invalid.add(String.valueOf(schema.path("minimum").asLong() - 1));
            invalid.add(String.valueOf(schema.path("maximum").asLong() + 1));
        }
        if (schema.has("enum") || schema.path("type").asText().equals("boolean")) {
            invalid.addAll(in.equals("path") ? List.of("nope") : List.of("nope", ""));
        }
        if (schema.has("pattern")) {
            var matches = Pattern.compile(schema.path("pattern").asText()).asPredicate();
            Stream.of("!", "a b", " ", "x".repeat(200)).filter(matches.negate()).forEach(invalid::add);
        }
        if (schema.has("maxLength")) {
            invalid.add("x".repeat(schema.path("maxLength").asInt() + 1));
        }
        if (schema.path("minLength").asInt() > 0 && !in.equals("path")) {
            invalid.add("");
        }
        assertThat(invalid).as("invalid values for %s", schema).isNotEmpty();
        return invalid;
    }

    /** Returns values that the schema of a field rejects: of each type that it does not have, and outside its limits. */
    static List<JsonNode> invalidValues(JsonNode schema) {
        var types = types(schema);
        var byType = Map.<String, JsonNode>of(
                "null", NullNode.getInstance(),
                "array", Json.array(),
                "integer", IntNode.valueOf(7),
                "object", Json.object(),
                "string", TextNode.valueOf("text"),
                "boolean", BooleanNode.TRUE);
        var invalid = new ArrayList<JsonNode>();
        byType.forEach((type, value) -> {
            var accepted = types.contains(type) || (type.equals("integer") && types.contains("number"));
            if (!accepted || (type.equals("array") && schema.path("minItems").asInt() > 0)) {
                invalid.add(value);
            }
        });
        if (types.contains("string")) {
            invalidTexts(schema, "body").forEach(text -> invalid.add(TextNode.valueOf(text)));
        }
        if (types.contains("integer")) {
            invalid.add(LongNode.valueOf(schema.path("minimum").asLong() - 1));
            if (schema.has("maximum")) {
                invalid.add(LongNode.valueOf(schema.path("maximum").asLong() + 1));
            }
            invalid.add(DoubleNode.valueOf(schema.path("minimum").asLong() + 0.5));
        }
        return invalid;
    }

    /** Returns whether objects of the schema may have other fields, such as those of another product's webhook. */
    static boolean isOpen(JsonNode schema) {
        return schema.path("additionalProperties")
                .asBoolean(schema.path("additionalProperties").isObject());
    }

    /** Returns the JSON types of a field; all if the schema does not name one. */
    private static Set<String> types(JsonNode schema) {
        var type = schema.path("type");
        if (type.isTextual()) {
            return Set.of(type.asText());
        }
        var types = new HashSet<String>();
        type.forEach(name -> types.add(name.asText()));
        for (var alternatives : List.of("oneOf", "anyOf")) {
            schema.path(alternatives).forEach(alternative -> types.addAll(types(resolve(alternative))));
        }
        return types.isEmpty() ? Set.of("null", "array", "integer", "number", "object", "string", "boolean") : types;
    }

    static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}

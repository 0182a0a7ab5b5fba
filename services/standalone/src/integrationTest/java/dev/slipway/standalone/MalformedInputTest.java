package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.slipway.contract.Contract;
import dev.slipway.contract.Json;
import dev.slipway.contract.Operation;
import dev.slipway.contract.Operation.Scope;
import dev.slipway.testkit.ApiClient;
import dev.slipway.testkit.ApiClient.Call;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.stream.StreamSupport;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

/** Whatever is wrong with a request, its sender is told what, and nothing changes. The faults are made from the contract. */
class MalformedInputTest {
    private static final Contract CONTRACT = Contract.load();
    /** A twin takes what its original takes. */
    private static final List<Operation> OPERATIONS =
            CONTRACT.operations().stream().filter(o -> !o.isTwin()).toList();

    private static final String MIB_AND_MORE = "x".repeat((1 << 20) + 1);
    private static final UUID NOWHERE = new UUID(0x0190_0000_0000_7000L, 0x8000_0000_0000_ffffL);

    /** A good value for every field of every request; a new field needs one here. */
    private static final Map<String, String> GOOD = new LinkedHashMap<>(Map.of(
            "project_id",
            Demo.PROJECT.toString(),
            "app_slug",
            Demo.APP,
            "correlation_id",
            "none",
            "version",
            Demo.VERSION,
            "display_name",
            "good",
            "adapter_id",
            Demo.ADAPTER.toString(),
            "adapter_secret",
            "not it",
            "command_id",
            NOWHERE.toString(),
            "action",
            "apps.instance.read"));

    static {
        for (var name : List.of(
                "org_id",
                "service_account_id",
                "operator_id",
                "shared_runtime_id",
                "credential_id",
                "api_key_id",
                "client_id",
                "jti",
                "kid")) {
            GOOD.put(name, NOWHERE.toString());
        }
        for (var name : List.of("slug", "name", "client_secret", "token")) {
            GOOD.put(name, "good");
        }
        GOOD.put("runtime_backend", "bare_metal");
        GOOD.put("artifact_id", NOWHERE.toString());
        GOOD.put("artifact_type", "app_bundle");
        GOOD.put("artifact_kind", "oci");
        GOOD.put("source_type", "oci");
        GOOD.put("uri", "oci://registry.example.com/apps/echo");
        GOOD.put("digest", "sha256:" + "0".repeat(64));
        GOOD.put("channel", "dev");
        GOOD.put("reason", "good");
        GOOD.put("registry", "shared");
        GOOD.put("repository", "apps/echo");
        GOOD.put("expires_at", "2999-01-01T00:00:00Z");
        GOOD.put("actions", "apps.instance.read");
        GOOD.put("allowed_actions", "apps.instance.read");
    }

    private static PlatformUnderTest platform;
    private static ApiClient adapter;
    private String before = "";

    /** A faulty request, and what its sender is to be told. */
    private record Fault(String what, Call call, int status, String code, String field) {
        String told() {
            var answer = call.send();
            var named = StreamSupport.stream(answer.body().at("/details/fields").spliterator(), false)
                    .anyMatch(entry -> entry.path("field").asText().equals(field));
            return answer.status() == status && answer.text("code").equals(code) && named
                    ? ""
                    : what + ": expected " + status + " " + code + " of " + field + ", got " + answer.status() + " "
                            + answer.body();
        }
    }

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest();
        adapter = platform.asAdapter();
        GOOD.put("org_id", Demo.ORG.toString());
        for (var id : List.of("department_id", "group_id", "user_id", "binding_id")) {
            GOOD.put(id, NOWHERE.toString());
        }
        GOOD.putAll(
                Map.of("role", "project_viewer", "scope_id", "apps.instance.read", "actions", "apps.instance.read"));
        GOOD.putAll(Map.of("slug", "good", "level", "project", "product_id", "apps", "risk_class", "low"));
        GOOD.put("description", "good");
        GOOD.putAll(Map.of("kind", "product", "entry_id", "apps", "lifecycle", "active"));
        GOOD.putAll(Map.of("category", "good", "publisher", "good"));
        GOOD.put("plan", "good");
        GOOD.put("operation_id", NOWHERE.toString());
        GOOD.put("member_id", NOWHERE.toString());
        GOOD.putAll(Map.of("operation", "add", "component", "server"));
        GOOD.putAll(Map.of("from", "2020-01-01T00:00:00Z", "to", "2999-01-01T00:00:00Z"));
        PlatformState.settled(platform);
        GOOD.put(
                "app_instance_id",
                platform.launch("project_owner", "there").send().expect(202).text("id"));
    }

    @AfterAll
    static void stop() {
        assertThat(platform.events().faults()).isEmpty();
        platform.close();
    }

    @BeforeEach
    void look() {
        before = PlatformState.of(platform);
    }

    @AfterEach
    void lookAgain() {
        assertThat(PlatformState.of(platform)).isEqualTo(before);
    }

    @Test
    @Proves("C.01")
    void everyOperation_namesTheParameter_whenItIsWrong() {
        var faults = new ArrayList<Fault>();
        for (var operation : OPERATIONS) {
            for (var parameter : parameters(operation)) {
                var name = parameter.path("name").asText();
                var in = parameter.path("in").asText();
                for (var bad : badTexts(resolved(parameter.path("schema")), in)) {
                    var call = good(operation, in.equals("path") ? name : "", bad);
                    call = switch (in) {
                        case "query" -> call.query(name + "=" + encoded(bad));
                        case "header" -> call.header(name, bad);
                        default -> call;
                    };
                    faults.add(invalid(operation, name + "=" + bad, call, name));
                }
                if (in.equals("query")) {
                    faults.add(invalid(
                            operation, name + " twice", good(operation).query(name + "=1&" + name + "=1"), name));
                }
            }
            faults.add(invalid(operation, "?surprise", good(operation).query("surprise=1"), "surprise"));
        }

        assertTold(faults);
        assertThat(faults).hasSizeGreaterThan(100);
    }

    @Test
    void everyOperation_namesTheField_whenTheBodyIsWrong() {
        var faults = new ArrayList<Fault>();
        for (var operation : withBody()) {
            var schema = bodySchema(operation);
            schema.path("properties").properties().forEach(property -> {
                var field = property.getKey();
                for (var bad : badValues(resolved(property.getValue()))) {
                    faults.add(invalid(
                            operation,
                            field + "=" + bad,
                            good(operation).body(goodBody(operation).set(field, bad)),
                            "/" + field));
                }
            });
            required(schema).forEach(field -> {
                var body = goodBody(operation);
                body.remove(field);
                faults.add(invalid(operation, "no " + field, good(operation).body(body), "/" + field));
            });
            var surplus = goodBody(operation).put("surprise", true);
            faults.add(invalid(operation, "surplus", good(operation).body(surplus), "/surprise"));
            for (var notAnObject : List.of("[]", "\"text\"", "7", "null", "true", "")) {
                faults.add(invalid(operation, notAnObject, json(operation, notAnObject), "body"));
            }
        }

        assertTold(faults);
        assertThat(faults).hasSizeGreaterThan(50);
    }

    @Test
    void everyOperation_isRefused_whenTheBodyIsNotJson() {
        var faults = new ArrayList<Fault>();
        for (var operation : withBody()) {
            var good = Json.text(goodBody(operation));
            var open = good.substring(0, good.length() - 1);
            for (var bad : List.of(
                    "{",
                    open,
                    open + ",}",
                    open + ",\"display_name\":\"a\",\"display_name\":\"b\"}",
                    good + "x",
                    good + good,
                    open + ",\"config\":" + "[".repeat(100) + "]".repeat(100) + "}",
                    open + ",\"config\":{\"n\":NaN}}",
                    open + ",\"config\":{\"n\":1e100000}}",
                    open + ",\"config\":{\"n\":1e-100000}}",
                    open + ",\"config\":{\"text\":\"a\\u0000b\"}}",
                    open + ",\"config\":{\"a\\u0000b\":1}}",
                    open + ",\"config\":{\"text\":\"half a pair \\ud800\"}}",
                    open + ",\"\\udc00\":1}",
                    "'" + good + "'",
                    "app_slug=echo")) {
                faults.add(new Fault(operation.id() + " " + bad, json(operation, bad), 400, "malformed_json", "body"));
            }
            var notUtf8 =
                    good(operation).raw(new byte[] {'{', '"', (byte) 0xff, '"', ':', '1', '}'}, "application/json");
            faults.add(new Fault(operation.id() + " not UTF-8", notUtf8, 400, "malformed_json", "body"));
        }

        assertTold(faults);
    }

    @Test
    void everyOperation_isRefused_whenTheBodyIsOfAnotherTypeOrTooLarge() {
        var faults = new ArrayList<Fault>();
        for (var operation : withBody()) {
            var bytes = Json.bytes(goodBody(operation));
            for (var type : List.of("text/plain", "application/jsonx", "application/x-www-form-urlencoded", "*/*")) {
                faults.add(new Fault(
                        operation.id() + " " + type,
                        good(operation).raw(bytes, type),
                        415,
                        "unsupported_media_type",
                        "Content-Type"));
            }
            faults.add(new Fault(
                    operation.id() + " without type",
                    bare(operation, "", "").raw(bytes, null),
                    415,
                    "unsupported_media_type",
                    "Content-Type"));
            var large = goodBody(operation).put("surprise", MIB_AND_MORE);
            faults.add(new Fault(
                    operation.id() + " too large", good(operation).body(large), 413, "body_too_large", "body"));
        }

        assertTold(faults);
    }

    @Test
    void everyList_isRefused_whenTheCursorIsNotOurs() {
        var forged = List.of("1|99999999999999999999|" + NOWHERE, "1|1|nobody", "2|1|" + NOWHERE, "");
        var faults = new ArrayList<Fault>();
        for (var operation : OPERATIONS) {
            if (parameters(operation).stream()
                    .anyMatch(p -> p.path("name").asText().equals("cursor"))) {
                faults.add(cursor(operation, "nope"));
                faults.add(cursor(operation, "****"));
                for (var text : forged) {
                    faults.add(cursor(
                            operation,
                            Base64.getUrlEncoder().encodeToString((text + "|").getBytes(StandardCharsets.UTF_8))));
                    faults.add(cursor(
                            operation,
                            "A" + Base64.getUrlEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8))));
                    if (!text.isEmpty()) {
                        faults.add(cursor(
                                operation,
                                Base64.getUrlEncoder()
                                        .withoutPadding()
                                        .encodeToString(text.getBytes(StandardCharsets.UTF_8))));
                    }
                }
            }
        }

        assertTold(faults);
        assertThat(faults).hasSizeGreaterThan(30);
    }

    @Test
    @Proves({"1.71", "C.03"})
    void everyOperation_isRefused_whenTheHeadersProjectIsNotThePaths() {
        var faults = new ArrayList<Fault>();
        for (var operation : OPERATIONS) {
            if (operation.scope() == Scope.PROJECT) {
                for (var other : List.of(Demo.SIBLING_PROJECT.toString(), NOWHERE.toString(), "nope")) {
                    faults.add(new Fault(
                            operation.id() + " X-Project-ID: " + other,
                            good(operation).header("X-Project-ID", other),
                            400,
                            "project_mismatch",
                            "X-Project-ID"));
                }
            }
        }

        assertTold(faults);
    }

    @Test
    void create_isRefused_whenTheConfigIsOver32KiB() {
        var operation = CONTRACT.operation("createAppInstance");
        var text = goodBody(operation).set("config", Json.object().put("text", "x".repeat(32 * 1024)));
        // Written out, as the database does, each of these is a thousand digits long.
        var numbers = Json.array();
        for (var i = 0; i < 100; i++) {
            numbers.add(new java.math.BigDecimal("1e900"));
        }
        var digits = goodBody(operation).set("config", Json.object().set("numbers", numbers));

        assertTold(List.of(
                invalid(operation, "text", good(operation).body(text), "/config"),
                invalid(operation, "numbers", good(operation).body(digits), "/config")));
    }

    private static void assertTold(List<Fault> faults) {
        assertThat(faults.stream().map(Fault::told).filter(wrong -> !wrong.isEmpty()))
                .isEmpty();
    }

    private static Fault invalid(Operation operation, String what, Call call, String field) {
        return new Fault(operation.id() + " " + what, call, 400, "validation_error", field);
    }

    private static Fault cursor(Operation operation, String cursor) {
        return new Fault(
                operation.id() + " " + cursor,
                good(operation).query("cursor=" + encoded(cursor)),
                400,
                "invalid_cursor",
                "cursor");
    }

    private static Call json(Operation operation, String text) {
        return good(operation).raw(text.getBytes(StandardCharsets.UTF_8), "application/json");
    }

    private static Call good(Operation operation) {
        return good(operation, "", "");
    }

    /** A request that is as it should be, but for one path parameter. */
    private static Call good(Operation operation, String parameter, String bad) {
        var call = bare(operation, parameter, bad);
        return operation.takesBody() ? call.body(goodBody(operation)) : call;
    }

    private static Call bare(Operation operation, String parameter, String bad) {
        var call = caller(operation).call(operation.id());
        if (!parameter.isEmpty()) {
            call = call.path(parameter, encoded(bad));
        }
        for (var entry : GOOD.entrySet()) {
            call = call.path(entry.getKey(), entry.getValue());
        }
        return call;
    }

    /** Who may call it, so that nothing but the fault is wrong. */
    private static ApiClient caller(Operation operation) {
        if (operation.action().equals("runtime.desired_state.read")) {
            return adapter;
        }
        return platform.as(
                switch (operation.scope()) {
                    case PLATFORM -> "platform_superadmin";
                    case ORGANIZATION -> "tenant_owner";
                    default -> "project_owner";
                });
    }

    private static ObjectNode goodBody(Operation operation) {
        return good(bodySchema(operation));
    }

    private static ObjectNode good(JsonNode schema) {
        var body = Json.object();
        required(schema).forEach(field -> {
            var inner = resolved(schema.path("properties").path(field));
            if (inner.has("properties")) {
                body.set(field, good(inner));
                return;
            }
            if (inner.path("type").asText().equals("object")) {
                body.putObject(field).put("good", "good");
                return;
            }
            var good = requireNonNull(GOOD.get(field), () -> "no good value for " + field);
            if (isArray(inner)) {
                body.putArray(field).add(good);
            } else {
                body.put(field, good);
            }
        });
        return body;
    }

    /** What has to be given; where that depends on what is given, what it is without. */
    private static List<String> required(JsonNode schema) {
        var names = new ArrayList<String>();
        schema.path("required").forEach(name -> names.add(name.asText()));
        schema.path("else").path("required").forEach(name -> names.add(name.asText()));
        return names;
    }

    private static boolean isArray(JsonNode schema) {
        return schema.path("type").asText().equals("array");
    }

    private static List<Operation> withBody() {
        return OPERATIONS.stream().filter(Operation::takesBody).toList();
    }

    private static List<JsonNode> parameters(Operation operation) {
        return StreamSupport.stream(node(operation).path("parameters").spliterator(), false)
                .map(MalformedInputTest::resolved)
                .toList();
    }

    private static JsonNode bodySchema(Operation operation) {
        return resolved(node(operation).at("/requestBody/content/application~1json/schema"));
    }

    private static JsonNode node(Operation operation) {
        return CONTRACT.document()
                .path("paths")
                .path(operation.path())
                .path(operation.method().toLowerCase(Locale.ROOT));
    }

    private static JsonNode resolved(JsonNode node) {
        return node.has("$ref")
                ? resolved(CONTRACT.document().at(node.path("$ref").asText().substring(1)))
                : node;
    }

    /** Texts that the schema of a parameter refuses. */
    private static List<String> badTexts(JsonNode schema, String in) {
        var bad = new ArrayList<String>();
        if (schema.path("format").asText().equals("uuid")) {
            bad.addAll(List.of(
                    "nope", Demo.PROJECT.toString().substring(1), Demo.PROJECT + "0", "{" + Demo.PROJECT + "}"));
        }
        if (schema.path("format").asText().equals("date")) {
            bad.addAll(List.of("nope", "2030-13-01", "2030-01-01T00:00:00Z"));
        }
        if (schema.path("format").asText().equals("date-time")) {
            bad.addAll(List.of("nope", "2030-01-01", "2030-01-01T00:00:00", "12:00"));
        }
        if (schema.path("type").asText().equals("integer")) {
            bad.addAll(List.of("abc", "", "1.5", "0x10", "99999999999999999999", "1 "));
            bad.add(String.valueOf(schema.path("minimum").asLong() - 1));
            bad.add(String.valueOf(schema.path("maximum").asLong() + 1));
        }
        if (schema.has("enum") || schema.path("type").asText().equals("boolean")) {
            bad.addAll(in.equals("path") ? List.of("nope") : List.of("nope", ""));
        }
        if (schema.has("pattern")) {
            bad.addAll(List.of("!", "a b", "x".repeat(200)));
        }
        if (schema.has("maxLength")) {
            bad.add("x".repeat(schema.path("maxLength").asInt() + 1));
        }
        if (schema.path("minLength").asInt() > 0 && !in.equals("path")) {
            bad.add("");
        }
        assertThat(bad).as("bad values for %s", schema).isNotEmpty();
        return bad;
    }

    /** Values that the schema of a field refuses. */
    private static List<JsonNode> badValues(JsonNode schema) {
        var bad = new ArrayList<JsonNode>(List.of(
                NullNode.getInstance(), new ArrayNode(com.fasterxml.jackson.databind.node.JsonNodeFactory.instance)));
        bad.add(IntNode.valueOf(7));
        if (schema.path("type").asText().equals("object")) {
            bad.add(TextNode.valueOf("text"));
        } else if (isArray(schema)) {
            bad.addAll(List.of(TextNode.valueOf("text"), Json.object()));
        } else {
            bad.add(Json.object());
            badTexts(schema, "body").forEach(text -> bad.add(TextNode.valueOf(text)));
        }
        return bad;
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}

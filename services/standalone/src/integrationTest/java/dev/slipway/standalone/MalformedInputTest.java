package dev.slipway.standalone;

import dev.slipway.contract.ApiOperation;
import dev.slipway.contract.ApiOperation.Scope;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient.Call;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import static dev.slipway.standalone.ContractRequests.CONTRACT;
import static dev.slipway.standalone.ContractRequests.NOWHERE;
import static dev.slipway.standalone.ContractRequests.OPERATIONS;
import static dev.slipway.standalone.ContractRequests.bodySchema;
import static dev.slipway.standalone.ContractRequests.encode;
import static dev.slipway.standalone.ContractRequests.invalidTexts;
import static dev.slipway.standalone.ContractRequests.invalidValues;
import static dev.slipway.standalone.ContractRequests.isOpen;
import static dev.slipway.standalone.ContractRequests.parameters;
import static dev.slipway.standalone.ContractRequests.required;
import static dev.slipway.standalone.ContractRequests.resolve;
import static dev.slipway.standalone.ContractRequests.withBody;
import static org.assertj.core.api.Assertions.assertThat;

/** Sends invalid requests, derived from the contract, and asserts that each is rejected with the right field and without a change. */
class MalformedInputTest {
    private static final String MIB_AND_MORE = "x".repeat((1 << 20) + 1);

    private static PlatformUnderTest platform;
    private static ContractRequests requests;
    private String before = "";

    /** An invalid request and the field that the error must name. */
    private record Fault(String what, Call call, int status, String code, String field) {
        String mismatch() {
            var apiResponse = call.send();
            var named = StreamSupport.stream(
                            apiResponse.body().at("/details/fields").spliterator(), false)
                    .anyMatch(entry -> entry.path("field").asText().equals(field));
            return apiResponse.status() == status && apiResponse.text("code").equals(code) && named
                    ? ""
                    : what + ": expected " + status + " " + code + " of " + field + ", got " + apiResponse.status()
                            + " " + apiResponse.body();
        }
    }

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest();
        PlatformState.awaitStable(platform);
        var instance =
                platform.launch("project_owner", "there").send().expect(202).text("id");
        requests = new ContractRequests(platform, instance);
    }

    @AfterAll
    static void stop() {
        assertThat(platform.events().violations()).isEmpty();
        platform.close();
    }

    @BeforeEach
    void recordState() {
        before = PlatformState.of(platform);
    }

    @AfterEach
    void assertStateUnchanged() {
        assertThat(PlatformState.of(platform)).isEqualTo(before);
    }

    @Test
    @Proves("C.01")
    void operation_returnsField_whenParameterIsInvalid() {
        var faults = new ArrayList<Fault>();
        for (var apiOperation : OPERATIONS) {
            for (var parameter : parameters(apiOperation)) {
                var name = parameter.path("name").asText();
                var in = parameter.path("in").asText();
                for (var bad : invalidTexts(resolve(parameter.path("schema")), in)) {
                    var call = requests.valid(apiOperation, in.equals("path") ? name : "", bad);
                    call = switch (in) {
                        case "query" -> call.query(name + "=" + encode(bad));
                        case "header" -> call.header(name, bad);
                        default -> call;
                    };
                    faults.add(invalid(apiOperation, name + "=" + bad, call, name));
                }
                if (in.equals("query")) {
                    faults.add(invalid(
                            apiOperation,
                            name + " twice",
                            requests.valid(apiOperation).query(name + "=1&" + name + "=1"),
                            name));
                }
            }
            faults.add(invalid(
                    apiOperation, "?surprise", requests.valid(apiOperation).query("surprise=1"), "surprise"));
        }

        assertRejected(faults);
        assertThat(faults).hasSizeGreaterThan(100);
    }

    @Test
    void operation_returnsField_whenBodyIsInvalid() {
        assertThat(withBody().stream().flatMap(MalformedInputTest::findProblems))
                .as("bodies without a fault")
                .isEmpty();
        var faults = new ArrayList<Fault>();
        for (var apiOperation : withBody()) {
            var schema = bodySchema(apiOperation);
            schema.path("properties").properties().forEach(property -> {
                var field = property.getKey();
                for (var bad : invalidValues(resolve(property.getValue()))) {
                    faults.add(invalid(
                            apiOperation,
                            field + "=" + bad,
                            requests.valid(apiOperation)
                                    .body(requests.validBody(apiOperation).set(field, bad)),
                            "/" + field));
                }
            });
            required(schema).forEach(field -> {
                var body = requests.validBody(apiOperation);
                body.remove(field);
                faults.add(invalid(
                        apiOperation,
                        "no " + field,
                        requests.valid(apiOperation).body(body),
                        "/" + field));
            });
            var surplus = requests.validBody(apiOperation).put("surprise", true);
            if (!isOpen(schema)) {
                faults.add(invalid(
                        apiOperation, "surplus", requests.valid(apiOperation).body(surplus), "/surprise"));
            }
            for (var notAnObject : List.of("[]", "\"text\"", "7", "null", "true", "")) {
                faults.add(invalid(apiOperation, notAnObject, json(apiOperation, notAnObject), "body"));
            }
        }

        assertRejected(faults);
        assertThat(faults).hasSizeGreaterThan(500);
    }

    @Test
    void operation_isRejected_whenBodyIsNotJson() {
        var faults = new ArrayList<Fault>();
        for (var apiOperation : withBody()) {
            var good = Json.text(requests.validBody(apiOperation));
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
                    open + ",\"config\":{\"text\":\"a\\u0000b\"}}",
                    open + ",\"config\":{\"a\\u0000b\":1}}",
                    open + ",\"config\":{\"text\":\"half a pair \\ud800\"}}",
                    open + ",\"\\udc00\":1}",
                    "'" + good + "'",
                    "app_slug=echo")) {
                faults.add(new Fault(
                        apiOperation.id() + " " + bad, json(apiOperation, bad), 400, "malformed_json", "body"));
            }
            for (var number : List.of("1e999", "1e-100000", "1e99999999999")) {
                var bad = "{\"config\":{\"n\":" + number + "}}";
                faults.add(new Fault(
                        apiOperation.id() + " " + bad, json(apiOperation, bad), 400, "malformed_json", "/config/n"));
            }
            var notUtf8 = requests.valid(apiOperation)
                    .raw(new byte[] {'{', '"', (byte) 0xff, '"', ':', '1', '}'}, "application/json");
            faults.add(new Fault(apiOperation.id() + " not UTF-8", notUtf8, 400, "malformed_json", "body"));
        }

        assertRejected(faults);
    }

    @Test
    void operation_isRejected_whenBodyHasOtherTypeOrIsTooLarge() {
        var faults = new ArrayList<Fault>();
        for (var apiOperation : withBody()) {
            var bytes = Json.bytes(requests.validBody(apiOperation));
            for (var type : List.of("text/plain", "application/jsonx", "application/x-www-form-urlencoded", "*/*")) {
                faults.add(new Fault(
                        apiOperation.id() + " " + type,
                        requests.valid(apiOperation).raw(bytes, type),
                        415,
                        "unsupported_media_type",
                        "Content-Type"));
            }
            faults.add(new Fault(
                    apiOperation.id() + " without type",
                    requests.withoutBody(apiOperation, "", "").raw(bytes, null),
                    415,
                    "unsupported_media_type",
                    "Content-Type"));
            var large = requests.validBody(apiOperation).put("surprise", MIB_AND_MORE);
            faults.add(new Fault(
                    apiOperation.id() + " too large",
                    requests.valid(apiOperation).body(large),
                    413,
                    "body_too_large",
                    "body"));
        }

        assertRejected(faults);
    }

    @Test
    void list_isRejected_whenCursorIsForged() {
        var forged = List.of("1|99999999999999999999|" + NOWHERE, "1|1|nobody", "2|1|" + NOWHERE, "");
        var faults = new ArrayList<Fault>();
        for (var apiOperation : OPERATIONS) {
            if (parameters(apiOperation).stream()
                    .anyMatch(p -> p.path("name").asText().equals("cursor"))) {
                faults.add(cursor(apiOperation, "nope"));
                faults.add(cursor(apiOperation, "****"));
                for (var text : forged) {
                    faults.add(cursor(
                            apiOperation,
                            Base64.getUrlEncoder().encodeToString((text + "|").getBytes(StandardCharsets.UTF_8))));
                    faults.add(cursor(
                            apiOperation,
                            "A" + Base64.getUrlEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8))));
                    if (!text.isEmpty()) {
                        faults.add(cursor(
                                apiOperation,
                                Base64.getUrlEncoder()
                                        .withoutPadding()
                                        .encodeToString(text.getBytes(StandardCharsets.UTF_8))));
                    }
                }
            }
        }

        assertRejected(faults);
        assertThat(faults).hasSizeGreaterThan(30);
    }

    @Test
    @Proves({"1.71", "C.03"})
    void operation_isRejected_whenHeaderAndPathNameDifferentProjects() {
        var faults = new ArrayList<Fault>();
        for (var apiOperation : OPERATIONS) {
            if (apiOperation.scope() == Scope.PROJECT) {
                for (var other : List.of(DemoData.SIBLING_PROJECT.toString(), NOWHERE.toString(), "nope")) {
                    faults.add(new Fault(
                            apiOperation.id() + " X-Project-ID: " + other,
                            requests.valid(apiOperation).header("X-Project-ID", other),
                            400,
                            "project_mismatch",
                            "X-Project-ID"));
                }
            }
        }

        assertRejected(faults);
    }

    @Test
    void create_isRejected_whenConfigExceeds32KiB() {
        var apiOperation = CONTRACT.operation("createAppInstance");
        var text = requests.validBody(apiOperation).set("config", Json.object().put("text", "x".repeat(32 * 1024)));
        // Written out, as the database does, each of these is 391 digits long.
        var numbers = Json.array();
        for (var i = 0; i < 100; i++) {
            numbers.add(new BigDecimal("1e390"));
        }
        var digits =
                requests.validBody(apiOperation).set("config", Json.object().set("numbers", numbers));

        assertRejected(List.of(
                invalid(apiOperation, "text", requests.valid(apiOperation).body(text), "/config"),
                invalid(apiOperation, "numbers", requests.valid(apiOperation).body(digits), "/config")));
    }

    private static void assertRejected(List<Fault> faults) {
        assertThat(faults.stream().map(Fault::mismatch).filter(wrong -> !wrong.isEmpty()))
                .isEmpty();
    }

    private static Fault invalid(ApiOperation apiOperation, String what, Call call, String field) {
        return new Fault(apiOperation.id() + " " + what, call, 400, "validation_error", field);
    }

    private static Stream<String> findProblems(ApiOperation apiOperation) {
        return apiOperation.validate(Map.of(), Map.of(), name -> null, requests.validBody(apiOperation)).stream()
                .filter(problem -> problem.field().startsWith("/"))
                .map(problem -> apiOperation.id() + " " + problem.field() + " " + problem.problem());
    }

    private static Fault cursor(ApiOperation apiOperation, String cursor) {
        return new Fault(
                apiOperation.id() + " " + cursor,
                requests.valid(apiOperation).query("cursor=" + encode(cursor)),
                400,
                "invalid_cursor",
                "cursor");
    }

    private static Call json(ApiOperation apiOperation, String text) {
        return requests.valid(apiOperation).raw(text.getBytes(StandardCharsets.UTF_8), "application/json");
    }
}

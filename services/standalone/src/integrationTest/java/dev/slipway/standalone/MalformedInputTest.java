package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import dev.slipway.contract.Contract;
import dev.slipway.contract.Json;
import dev.slipway.contract.Operation;
import dev.slipway.contract.Operation.Scope;
import dev.slipway.contract.RoleRegistry;
import dev.slipway.iam.tenancy.IamSeed;
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
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import static dev.slipway.testkit.Eventually.eventually;
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

    private static RSAKey key;
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
    static void start() throws JOSEException {
        key = new RSAKeyGenerator(2048).keyID("test-key").generate();
        platform = new PlatformUnderTest(
                Map.of("SLIPWAY_BODY_TIMEOUT", "PT5S"),
                List.of(new IamSeed.IssuerKey(
                        "test-key",
                        Demo.ISSUER,
                        key.toPublicJWK().toJSONString(),
                        Instant.now().plusSeconds(3600))));
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
        // The catalog follows IAM's scopes: what it writes of them is none of the requests' doing.
        eventually(() -> assertThat(
                        platform.database().query("SELECT count(*) FROM catalog.registry_entries WHERE kind = 'scope'"))
                .isEqualTo(String.valueOf(RoleRegistry.load().actions().size())));
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
        before = state();
    }

    @AfterEach
    void lookAgain() {
        assertThat(state()).isEqualTo(before);
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

    @Test
    void path_isNotFound_whenTheContractHasNoSuch() {
        var token = "Authorization: Bearer " + platform.token("project_owner") + "\r\n";
        for (var path : List.of(
                "/",
                "/nope",
                "/api/v1/projects/" + Demo.PROJECT + "/",
                "/api/v1/projects/" + Demo.PROJECT + "/app-instances/",
                "/api/v1/projects//app-instances",
                "//api/v1/iam/me",
                "/api/v1/iam/me/",
                "/api/v1/iam/%6De/..",
                "/api/v1/iam/../iam/me",
                "*")) {
            var answer = RawHttp.exchange(port(), "GET " + path + " HTTP/1.1", token);

            assertThat(answer.status()).as(path).isEqualTo(404);
            assertEnvelope(answer, "not_found");
        }
    }

    @Test
    void path_takesOtherMethods_whenTheContractSaysSo() {
        for (var method : List.of("PATCH", "PUT", "OPTIONS", "HEAD", "BREW")) {
            var answer =
                    RawHttp.exchange(port(), method + " /api/v1/projects/" + Demo.PROJECT + "/app-instances HTTP/1.1");

            assertThat(answer.status()).as(method).isEqualTo(405);
            assertThat(answer.header("Allow")).isEqualTo("GET, POST");
            if (!method.equals("HEAD")) {
                assertEnvelope(answer, "method_not_allowed");
            }
        }
    }

    @Test
    void percentEncoding_isRefused_whenItIsBroken() {
        var token = "Authorization: Bearer " + platform.token("project_owner") + "\r\n";
        var instances = "/api/v1/projects/" + Demo.PROJECT + "/app-instances";
        for (var target : List.of(
                "GET /api/v1/projects/%zz/app-instances",
                "GET /api/v1/projects/%/app-instances",
                "GET /api/v1/projects/%2/app-instances",
                "GET /api/v1/projects/%00/app-instances",
                "GET /api/v1/projects/%ff%fe/app-instances",
                "GET /api/v1/projects/" + Demo.PROJECT + "%2Fapp-instances/app-instances",
                "GET " + instances + "?limit=%zz",
                "GET " + instances + "?limit=%",
                "GET " + instances + "?%zz=1",
                "DELETE " + instances + "/%zz",
                "POST " + instances + "?limit=%zz")) {
            var body = target.startsWith("POST") ? "Content-Type: application/json\r\nContent-Length: 0\r\n" : "";
            var answer = RawHttp.exchange(port(), target + " HTTP/1.1", token, body);

            assertThat(answer.status()).as(target + " " + answer.text()).isEqualTo(400);
            assertEnvelope(answer, "validation_error");
            assertThat(answer.body().at("/details/fields/0/field").asText())
                    .as(target)
                    .isNotBlank();
        }
    }

    @Test
    void connection_isAnsweredAndClosed_whenItSpeaksNoHttp() {
        for (var garbage : List.of(
                "GARBAGE\r\n\r\n",
                "\u0016\u0003\u0001 as TLS begins\r\n\r\n",
                "GET /" + "x".repeat(9_000) + " HTTP/1.1\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a\r\nX-Long: " + "x".repeat(20_000) + "\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a\r\nbad header\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: many\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n")) {
            var answer = RawHttp.exchange(port(), garbage.getBytes(StandardCharsets.ISO_8859_1));

            var shown = garbage.substring(0, Math.min(60, garbage.length())) + " → " + answer.text();
            assertThat(answer.status()).as(shown).isEqualTo(400);
            assertEnvelope(answer, "invalid_request");
        }
    }

    @Test
    void create_isRefused_whenTheChunksNeverEndOrAreBroken() {
        var head = createHead("Transfer-Encoding: chunked\r\n");
        var chunk = Integer.toHexString(MIB_AND_MORE.length()) + "\r\n" + MIB_AND_MORE + "\r\n0\r\n\r\n";

        var large = RawHttp.exchange(port(), (head + chunk).getBytes(StandardCharsets.ISO_8859_1));
        var broken = RawHttp.exchange(port(), (head + "zz\r\n{}\r\n").getBytes(StandardCharsets.ISO_8859_1));

        assertThat(large.status()).isEqualTo(413);
        assertEnvelope(large, "body_too_large");
        assertThat(broken.text())
                .as("nobody knows where an answer would belong")
                .isEmpty();
    }

    @Test
    void connection_isClosed_whenTheBodyNeverComes() {
        try (var awaited = new RawHttp(port());
                var refused = new RawHttp(port())) {
            awaited.send((createHead("Content-Length: 2\r\n") + "{").getBytes(StandardCharsets.ISO_8859_1));
            refused.send("POST /api/v1/nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{"
                    .getBytes(StandardCharsets.ISO_8859_1));

            var late = awaited.untilClosed();
            assertThat(late.status()).isEqualTo(400);
            assertEnvelope(late, "invalid_request");
            assertThat(refused.untilClosed().status()).isEqualTo(404);
        }
    }

    @Test
    void create_asksForTheBody_onlyWhenItsSenderMayBeHeard() {
        var expecting = "Content-Length: 2\r\nExpect: 100-continue\r\n";
        try (var http = new RawHttp(port())) {
            http.send(createHead(expecting).getBytes(StandardCharsets.ISO_8859_1));
            assertThat(http.read(25)).isEqualTo("HTTP/1.1 100 Continue\r\n\r\n");
            http.send("{}".getBytes(StandardCharsets.ISO_8859_1));
            assertEnvelope(http.untilClosed(), "validation_error");
        }

        try (var http = new RawHttp(port())) {
            http.send(("POST /api/v1/projects/" + Demo.PROJECT + "/app-instances HTTP/1.1\r\nHost: a\r\n" + expecting
                            + "\r\n")
                    .getBytes(StandardCharsets.ISO_8859_1));
            assertThat(http.read(12)).isEqualTo("HTTP/1.1 401");
        }
    }

    @Test
    void token_isRefused_whenAnythingIsWrongWithIt() throws JOSEException {
        var good = signed(UnaryOperator.identity());
        assertThat(platform.anonymous()
                        .as(good)
                        .call("getMe")
                        .send()
                        .expect(200)
                        .text("display_name"))
                .isEqualTo("Demo project owner");
        var stranger = new RSAKeyGenerator(2048).keyID("test-key").generate();
        var parts = good.split("\\.", -1);
        var wrong = new LinkedHashMap<String, String>();
        wrong.put("garbage", "garbage");
        wrong.put("three parts of garbage", "a.b.c");
        wrong.put("no payload", parts[0] + ".." + parts[2]);
        wrong.put("another payload", parts[0] + "." + payload("platform_superadmin") + "." + parts[2]);
        wrong.put("no signature", parts[0] + "." + parts[1] + ".");
        wrong.put("alg none", new PlainJWT(claims().build()).serialize());
        wrong.put(
                "public key as secret",
                signedBy(
                        new MACSigner(key.toPublicJWK().toJSONString().getBytes(StandardCharsets.UTF_8)),
                        JWSAlgorithm.HS256,
                        "test-key",
                        claims().build()));
        wrong.put(
                "another's key",
                signedBy(new RSASSASigner(stranger), JWSAlgorithm.RS256, "test-key", claims().build()));
        wrong.put("unknown kid", signedBy(new RSASSASigner(key), JWSAlgorithm.RS256, "nobody", claims().build()));
        wrong.put("RS512", signedBy(new RSASSASigner(key), JWSAlgorithm.RS512, "test-key", claims().build()));
        wrong.put("wrong iss", signed(c -> c.issuer("somebody else")));
        wrong.put("machine iss", signed(c -> c.issuer("slipway")));
        wrong.put("wrong aud", signed(c -> c.audience("another platform")));
        wrong.put("no aud", signed(c -> c.audience((String) null)));
        wrong.put("not yet", signed(c -> c.notBeforeTime(inSeconds(60))));
        wrong.put("issued in the future", signed(c -> c.issueTime(inSeconds(60))));
        wrong.put("no exp", signed(c -> c.expirationTime(null)));
        wrong.put("no jti", signed(c -> c.jwtID(null)));
        wrong.put("no sub", signed(c -> c.subject(null)));
        wrong.put("unknown sub", signed(c -> c.subject("nobody")));
        wrong.put("oversized", signed(c -> c.claim("padding", "x".repeat(8_000))));
        var told = new LinkedHashMap<String, String>();
        wrong.forEach((what, token) -> told.put(what, told(token)));

        assertThat(told.values()).as("%s", told).containsOnly("401 token_invalid");
        assertThat(told("")).isEqualTo("401 token_missing");
        assertThat(told(signed(c -> c.expirationTime(inSeconds(-60))))).isEqualTo("401 token_expired");
        assertThat(platform.anonymous().call("getMe").send().expect(401).text("code"))
                .isEqualTo("token_missing");
        assertThat(platform.anonymous()
                        .call("getMe")
                        .header("Authorization", "Basic YTpi")
                        .send()
                        .expect(401)
                        .text("code"))
                .isEqualTo("token_missing");
    }

    private static String told(String token) {
        var answer = platform.anonymous().as(token).call("getMe").send();
        return answer.status() + " " + answer.text("code");
    }

    private static void assertTold(List<Fault> faults) {
        assertThat(faults.stream().map(Fault::told).filter(wrong -> !wrong.isEmpty()))
                .isEmpty();
    }

    private static void assertEnvelope(RawHttp.Answer answer, String code) {
        var body = answer.body();
        var fields = new ArrayList<String>();
        body.fieldNames().forEachRemaining(fields::add);
        assertThat(fields).containsExactlyInAnyOrder("code", "message", "correlation_id", "details");
        assertThat(body.path("code").asText()).isEqualTo(code);
        assertThat(answer.header("X-Correlation-ID"))
                .isNotBlank()
                .isEqualTo(body.path("correlation_id").asText());
    }

    /**
     * Everything that a request could have changed: instances, and whether any service wrote to its outbox. The catalog does so every ten
     * seconds by itself: of it, the last transaction that wrote to its tables.
     */
    private static String state() {
        var catalog = Stream.of(
                        "app_catalog",
                        "app_versions",
                        "project_app_entitlements",
                        "registry_versions",
                        "policy_versions",
                        "artifact_history",
                        "artifact_intents")
                .map(table -> "(SELECT max(xmin::text::bigint) FROM catalog." + table + ")")
                .collect(Collectors.joining(", "));
        return platform.database().query("""
                SELECT concat_ws(' ', (SELECT count(*) FROM instances.app_instances),
                    (SELECT last_value FROM instances.outbox_seq_seq), (SELECT last_value FROM iam.outbox_seq_seq),
                    (SELECT last_value FROM metering.outbox_seq_seq), (SELECT last_value FROM audit.outbox_seq_seq), %s)
                """.formatted(catalog));
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

    private static String createHead(String headers) {
        return "POST /api/v1/projects/" + Demo.PROJECT + "/app-instances HTTP/1.1\r\nHost: localhost\r\n"
                + "Connection: close\r\nContent-Type: application/json\r\nAuthorization: Bearer "
                + platform.token("project_owner") + "\r\n" + headers + "\r\n";
    }

    private static int port() {
        return platform.platform().httpPort();
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private static JWTClaimsSet.Builder claims() {
        return new JWTClaimsSet.Builder()
                .issuer(Demo.ISSUER)
                .subject("project_owner")
                .audience("slipway")
                .issueTime(inSeconds(0))
                .expirationTime(inSeconds(600))
                .jwtID(UUID.randomUUID().toString());
    }

    private static String signed(UnaryOperator<JWTClaimsSet.Builder> change) throws JOSEException {
        return signedBy(
                new RSASSASigner(key),
                JWSAlgorithm.RS256,
                "test-key",
                change.apply(claims()).build());
    }

    private static String signedBy(JWSSigner signer, JWSAlgorithm algorithm, String kid, JWTClaimsSet claims)
            throws JOSEException {
        var jwt = new SignedJWT(new JWSHeader.Builder(algorithm).keyID(kid).build(), claims);
        jwt.sign(signer);
        return jwt.serialize();
    }

    private static String payload(String subject) {
        return claims().subject(subject).build().toPayload().toBase64URL().toString();
    }

    private static Date inSeconds(long seconds) {
        return Date.from(Instant.now().plusSeconds(seconds));
    }
}

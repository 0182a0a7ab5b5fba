package dev.slipway.standalone;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.authz.testing.TestKey;
import dev.slipway.iam.IamSeed;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

import static org.assertj.core.api.Assertions.assertThat;

/** Requests that the gateway rejects before it validates them: invalid HTTP, unknown paths, incomplete bodies, invalid tokens. */
class GatewayTest {
    private static TestKey key;
    private static PlatformUnderTest platform;
    private String before = "";

    @BeforeAll
    static void start() {
        key = TestKey.generate("test-key");
        platform = new PlatformUnderTest(
                Map.of("SLIPWAY_BODY_TIMEOUT", "PT5S"),
                List.of(new IamSeed.IssuerKey(
                        "test-key",
                        DemoData.ISSUER,
                        key.publicJwkText(),
                        Instant.now().plusSeconds(3600))));
        PlatformState.awaitStable(platform);
    }

    @AfterAll
    static void stop() {
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
    void path_isNotFound_whenNotInTheContract() {
        var token = "Authorization: Bearer " + platform.token("project_owner") + "\r\n";
        for (var path : List.of(
                "/",
                "/nope",
                "/api/v1/projects/" + DemoData.PROJECT + "/",
                "/api/v1/projects/" + DemoData.PROJECT + "/app-instances/",
                "/api/v1/projects//app-instances",
                "//api/v1/iam/me",
                "/api/v1/iam/me/",
                "/api/v1/iam/%6De/..",
                "/api/v1/iam/../iam/me",
                "*")) {
            var rawResponse = RawHttp.exchange(port(), "GET " + path + " HTTP/1.1", token);

            assertThat(rawResponse.status()).as(path).isEqualTo(404);
            assertEnvelope(rawResponse, "not_found");
        }
    }

    @Test
    void method_isRejectedWithAllow_whenNotInTheContract() {
        for (var method : List.of("PATCH", "PUT", "BREW")) {
            var rawResponse = RawHttp.exchange(
                    port(), method + " /api/v1/projects/" + DemoData.PROJECT + "/app-instances HTTP/1.1");

            assertThat(rawResponse.status()).as(method).isEqualTo(405);
            assertThat(rawResponse.header("Allow")).isEqualTo("GET, HEAD, OPTIONS, POST");
            assertEnvelope(rawResponse, "method_not_allowed");
        }
    }

    @Test
    void percentEncoding_isRejected_whenInvalid() {
        var token = "Authorization: Bearer " + platform.token("project_owner") + "\r\n";
        var instances = "/api/v1/projects/" + DemoData.PROJECT + "/app-instances";
        for (var target : List.of(
                "GET /api/v1/projects/%zz/app-instances",
                "GET /api/v1/projects/%/app-instances",
                "GET /api/v1/projects/%2/app-instances",
                "GET /api/v1/projects/%00/app-instances",
                "GET /api/v1/projects/%ff%fe/app-instances",
                "GET /api/v1/projects/" + DemoData.PROJECT + "%2Fapp-instances/app-instances",
                "GET " + instances + "?limit=%zz",
                "GET " + instances + "?limit=%",
                "GET " + instances + "?%zz=1",
                "DELETE " + instances + "/%zz",
                "POST " + instances + "?limit=%zz")) {
            var body = target.startsWith("POST") ? "Content-Type: application/json\r\nContent-Length: 0\r\n" : "";
            var rawResponse = RawHttp.exchange(port(), target + " HTTP/1.1", token, body);

            assertThat(rawResponse.status())
                    .as(target + " " + rawResponse.text())
                    .isEqualTo(400);
            assertEnvelope(rawResponse, "validation_error");
            assertThat(rawResponse.body().at("/details/fields/0/field").asText())
                    .as(target)
                    .isNotBlank();
        }
    }

    @Test
    void connection_isAnsweredAndClosed_whenNotHttp() {
        for (var garbage : List.of(
                "GARBAGE\r\n\r\n",
                "\u0016\u0003\u0001 as TLS begins\r\n\r\n",
                "GET /" + "x".repeat(9_000) + " HTTP/1.1\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a\r\nX-Long: " + "x".repeat(20_000) + "\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a\r\nbad header\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: many\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n")) {
            var rawResponse = RawHttp.exchange(port(), garbage.getBytes(StandardCharsets.ISO_8859_1));

            var shown = garbage.substring(0, Math.min(60, garbage.length())) + " → " + rawResponse.text();
            assertThat(rawResponse.status()).as(shown).isEqualTo(400);
            assertEnvelope(rawResponse, "invalid_request");
        }
    }

    @Test
    void create_isRejected_whenChunksAreTooLargeOrInvalid() {
        var head = createHead("Transfer-Encoding: chunked\r\n");
        var more = "x".repeat((1 << 20) + 1);
        var chunk = Integer.toHexString(more.length()) + "\r\n" + more + "\r\n0\r\n\r\n";

        var large = RawHttp.exchange(port(), (head + chunk).getBytes(StandardCharsets.ISO_8859_1));
        var broken = RawHttp.exchange(port(), (head + "zz\r\n{}\r\n").getBytes(StandardCharsets.ISO_8859_1));

        assertThat(large.status()).isEqualTo(413);
        assertEnvelope(large, "body_too_large");
        assertThat(broken.status()).isEqualTo(400);
        assertEnvelope(broken, "invalid_request");
    }

    @Test
    void connection_isClosed_whenTheBodyDoesNotArrive() {
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
    void create_sends100Continue_onlyToAuthenticatedClients() {
        var expecting = "Content-Length: 2\r\nExpect: 100-continue\r\n";
        try (var http = new RawHttp(port())) {
            http.send(createHead(expecting).getBytes(StandardCharsets.ISO_8859_1));
            assertThat(http.read(25)).isEqualTo("HTTP/1.1 100 Continue\r\n\r\n");
            http.send("{}".getBytes(StandardCharsets.ISO_8859_1));
            assertEnvelope(http.untilClosed(), "validation_error");
        }

        try (var http = new RawHttp(port())) {
            http.send(("POST /api/v1/projects/" + DemoData.PROJECT + "/app-instances HTTP/1.1\r\nHost: a\r\n"
                            + expecting + "\r\n")
                    .getBytes(StandardCharsets.ISO_8859_1));
            assertThat(http.read(12)).isEqualTo("HTTP/1.1 401");
        }
    }

    @Test
    void token_isRejected_whenInvalid() {
        var good = signed(UnaryOperator.identity());
        assertThat(platform.anonymous()
                        .as(good)
                        .call("getMe")
                        .send()
                        .expect(200)
                        .text("display_name"))
                .isEqualTo("Demo project owner");
        var stranger = TestKey.generate("test-key");
        var parts = good.split("\\.", -1);
        var wrong = new LinkedHashMap<String, String>();
        wrong.put("garbage", "garbage");
        wrong.put("three parts of garbage", "a.b.c");
        wrong.put("no payload", parts[0] + ".." + parts[2]);
        wrong.put("another payload", parts[0] + "." + payload("platform_superadmin") + "." + parts[2]);
        wrong.put("no signature", parts[0] + "." + parts[1] + ".");
        wrong.put("alg none", TestKey.unsigned(key.header("none"), claims()));
        wrong.put("public key as secret", key.sign(key.header("HS256"), claims()));
        wrong.put("another's key", stranger.sign(claims()));
        wrong.put("unknown kid", key.sign(key.header("RS256").put("kid", "nobody"), claims()));
        wrong.put("RS512", key.sign(key.header("RS512"), claims()));
        wrong.put("padded", good + "=");
        wrong.put("wrong iss", signed(c -> c.put("iss", "somebody else")));
        wrong.put("machine iss", signed(c -> c.put("iss", "slipway")));
        wrong.put("wrong aud", signed(c -> c.put("aud", "another platform")));
        wrong.put("no aud", signed(c -> c.without("aud")));
        wrong.put("not yet", signed(c -> c.put("nbf", inSeconds(60))));
        wrong.put("issued in the future", signed(c -> c.put("iat", inSeconds(60))));
        wrong.put("no exp", signed(c -> c.without("exp")));
        wrong.put("no jti", signed(c -> c.without("jti")));
        wrong.put("no sub", signed(c -> c.without("sub")));
        wrong.put("unknown sub", signed(c -> c.put("sub", "nobody")));
        wrong.put("oversized", signed(c -> c.put("padding", "x".repeat(8_000))));
        var told = new LinkedHashMap<String, String>();
        wrong.forEach((what, token) -> told.put(what, CredentialCalls.me(platform, token)));

        assertThat(told.values()).as("%s", told).containsOnly("401 token_invalid");
        assertThat(CredentialCalls.me(platform, "")).isEqualTo("401 token_missing");
        assertThat(CredentialCalls.me(platform, signed(c -> c.put("exp", inSeconds(-60)))))
                .isEqualTo("401 token_expired");
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

    private static void assertEnvelope(RawHttp.RawResponse rawResponse, String code) {
        var body = rawResponse.body();
        var fields = new ArrayList<String>();
        body.fieldNames().forEachRemaining(fields::add);
        assertThat(fields).containsExactlyInAnyOrder("code", "message", "correlation_id", "details");
        assertThat(body.path("code").asText()).isEqualTo(code);
        assertThat(rawResponse.header("X-Correlation-ID"))
                .isNotBlank()
                .isEqualTo(body.path("correlation_id").asText());
    }

    private static String createHead(String headers) {
        return "POST /api/v1/projects/" + DemoData.PROJECT + "/app-instances HTTP/1.1\r\nHost: localhost\r\n"
                + "Connection: close\r\nContent-Type: application/json\r\nAuthorization: Bearer "
                + platform.token("project_owner") + "\r\n" + headers + "\r\n";
    }

    private static int port() {
        return platform.platform().httpPort();
    }

    private static ObjectNode claims() {
        return TestKey.claims(DemoData.ISSUER, "project_owner", "slipway", Instant.now());
    }

    private static String signed(UnaryOperator<ObjectNode> change) {
        return key.sign(change.apply(claims()));
    }

    private static String payload(String subject) {
        return TestKey.part(claims().put("sub", subject));
    }

    private static long inSeconds(long seconds) {
        return Instant.now().plusSeconds(seconds).getEpochSecond();
    }
}

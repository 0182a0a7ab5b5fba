package dev.slipway.standalone;

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
import dev.slipway.iam.tenancy.IamSeed;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.UnaryOperator;

import static org.assertj.core.api.Assertions.assertThat;

/** What the gateway refuses before it looks at the contract: what is no HTTP, no path of ours, no body that ends, no token of anybody. */
class EdgeTest {
    private static RSAKey key;
    private static PlatformUnderTest platform;
    private String before = "";

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
        PlatformState.settled(platform);
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
        var more = "x".repeat((1 << 20) + 1);
        var chunk = Integer.toHexString(more.length()) + "\r\n" + more + "\r\n0\r\n\r\n";

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
        wrong.forEach((what, token) -> told.put(what, CredentialCalls.me(platform, token)));

        assertThat(told.values()).as("%s", told).containsOnly("401 token_invalid");
        assertThat(CredentialCalls.me(platform, "")).isEqualTo("401 token_missing");
        assertThat(CredentialCalls.me(platform, signed(c -> c.expirationTime(inSeconds(-60)))))
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

    private static String createHead(String headers) {
        return "POST /api/v1/projects/" + Demo.PROJECT + "/app-instances HTTP/1.1\r\nHost: localhost\r\n"
                + "Connection: close\r\nContent-Type: application/json\r\nAuthorization: Bearer "
                + platform.token("project_owner") + "\r\n" + headers + "\r\n";
    }

    private static int port() {
        return platform.platform().httpPort();
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

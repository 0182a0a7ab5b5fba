package dev.slipway.gateway;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.service.Reply;
import io.vertx.core.http.HttpMethod;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.zip.GZIPInputStream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

class HttpSemanticsTest {
    private static final String JWKS = "/.well-known/jwks.json";
    private static final String ME = "/api/v1/iam/me";
    private static final String TOKENS = "/api/v1/auth/api-key/token";
    private static final String SECRET = "{\"key\":\"slp_" + "x".repeat(40) + "\"}";

    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static GatewayUnderTest gateway;
    private static volatile Reply reply;

    @BeforeAll
    static void start() {
        gateway = new GatewayUnderTest();
        gateway.serve("getJwks", call -> reply);
        gateway.serve("exchangeApiKeyToken", call -> reply);
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    @BeforeEach
    void reset() {
        reply = keys(1);
    }

    @Test
    void head_returnsTheHeadersOfGet_withoutABody() throws Exception {
        var get = send("GET", JWKS);

        var head = send("HEAD", JWKS);

        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(head.body()).isEmpty();
        assertThat(header(head, "Content-Length")).isEqualTo(String.valueOf(get.body().length));
        assertThat(header(head, "Content-Type")).isEqualTo("application/json");
    }

    @Test
    void head_returnsTheStatusOfTheError_withoutABody() throws Exception {
        var head = send("HEAD", ME);

        assertThat(head.statusCode()).isEqualTo(401);
        assertThat(head.body()).isEmpty();
        assertThat(header(head, "WWW-Authenticate")).startsWith("Bearer");
    }

    @Test
    void options_listsTheMethods_withoutAToken() throws Exception {
        var options = send("OPTIONS", ME);

        assertThat(options.statusCode()).isEqualTo(204);
        assertThat(header(options, "Allow")).isEqualTo("GET, HEAD, OPTIONS");
        assertThat(send("OPTIONS", "/api/v1/nowhere").statusCode()).isEqualTo(404);
    }

    @Test
    void otherMethods_areRejected_withAllow() throws Exception {
        var rejected = send("DELETE", JWKS);

        assertThat(rejected.statusCode()).isEqualTo(405);
        assertThat(header(rejected, "Allow")).isEqualTo("GET, HEAD, OPTIONS");
        assertThat(code(rejected)).isEqualTo("method_not_allowed");
    }

    @Test
    void ifNoneMatch_returns304_whenTheEtagMatches() throws Exception {
        reply = keys(1).withETag("\"v7\"");

        for (var match : new String[] {"\"v7\"", "W/\"v7\"", "\"v6\", \"v7\"", "*"}) {
            var fresh = send("GET", JWKS, "If-None-Match", match);
            assertThat(fresh.statusCode()).as(match).isEqualTo(304);
            assertThat(fresh.body()).isEmpty();
            assertThat(header(fresh, "ETag")).isEqualTo("\"v7\"");
        }
        assertThat(send("GET", JWKS, "If-None-Match", "\"v6\"").statusCode()).isEqualTo(200);
    }

    @Test
    void ifNoneMatch_keepsVary_ofACompressedDocument() throws Exception {
        var loaded = send("GET", "/openapi.json", "Accept-Encoding", "gzip");

        var fresh = send("GET", "/openapi.json", "If-None-Match", header(loaded, "ETag"), "Accept-Encoding", "gzip");

        assertThat(fresh.statusCode()).isEqualTo(304);
        assertThat(header(fresh, "Vary")).isEqualToIgnoringCase("Accept-Encoding");
        assertThat(header(fresh, "Content-Encoding")).isEmpty();
    }

    @Test
    void largeReplies_areCompressed_whenTheClientAcceptsGzip() throws Exception {
        reply = keys(2_000);
        var plain = send("GET", JWKS);

        var compressed = send("GET", JWKS, "Accept-Encoding", "br, gzip;q=0.8");

        assertThat(header(plain, "Content-Encoding")).isEmpty();
        assertThat(header(compressed, "Content-Encoding")).isEqualTo("gzip");
        assertThat(header(compressed, "Vary")).isEqualToIgnoringCase("Accept-Encoding");
        assertThat(compressed.body().length).isLessThan(plain.body().length / 4);
        assertThat(unzip(compressed.body())).isEqualTo(new String(plain.body(), UTF_8));
        assertThat(header(send("GET", JWKS, "Accept-Encoding", "gzip;q=0"), "Content-Encoding"))
                .isEmpty();
    }

    @Test
    void smallRepliesAndRepliesWithAnEtag_areNotCompressed() throws Exception {
        assertThat(header(send("GET", JWKS, "Accept-Encoding", "gzip"), "Content-Encoding"))
                .isEmpty();

        reply = keys(2_000).withETag("\"v1\"");

        assertThat(header(send("GET", JWKS, "Accept-Encoding", "gzip"), "Content-Encoding"))
                .isEmpty();
    }

    @Test
    void cacheControl_isPublicForKeys_andNoStoreForTokensAndErrors() throws Exception {
        assertThat(header(send("GET", JWKS), "Cache-Control")).isEqualTo("public, max-age=15");
        assertThat(header(post(SECRET), "Cache-Control")).isEqualTo("no-store");
        assertThat(header(send("GET", ME), "Cache-Control")).isEqualTo("no-store");
        assertThat(header(send("GET", "/nowhere"), "Cache-Control")).isEqualTo("no-store");
    }

    @Test
    void everyResponse_hasACorrelationIdAndForbidsSniffing() throws Exception {
        for (var path : new String[] {JWKS, ME, "/nowhere", "/docs", "/openapi.json"}) {
            var response = send("GET", path, "X-Correlation-ID", "c-" + path.length());
            assertThat(header(response, "X-Correlation-ID")).as(path).isEqualTo("c-" + path.length());
            assertThat(header(response, "X-Content-Type-Options")).as(path).isEqualTo("nosniff");
            assertThat(header(response, "Strict-Transport-Security")).as(path).isEmpty();
        }
    }

    @Test
    void unauthenticated_namesTheScheme_andWhetherTheTokenIsInvalid() throws Exception {
        assertThat(header(send("GET", ME), "WWW-Authenticate")).isEqualTo("Bearer realm=\"slipway\"");
        assertThat(header(send("GET", ME, "Authorization", "Bearer nonsense"), "WWW-Authenticate"))
                .isEqualTo("Bearer realm=\"slipway\", error=\"invalid_token\"");
    }

    @Test
    void errors_haveRetryAfter_ifTheirStatusIs429Or503() throws Exception {
        var noService = send("GET", "/api/v1/nowhere");
        assertThat(noService.statusCode()).isEqualTo(404);
        assertThat(header(noService, "Retry-After")).isEmpty();

        for (var code : ErrorCode.values()) {
            reply = Reply.of(Problem.of(code, "No."));
            var response = send("GET", JWKS);
            var retryable = response.statusCode() == 429 || response.statusCode() == 503;
            assertThat(header(response, "Retry-After")).as(code.code()).isEqualTo(retryable ? "1" : "");
        }
    }

    @Test
    void body_isRejected_whenTooLargeNotJsonOrMalformed() throws Exception {
        var large = post("{\"key\":\"" + "x".repeat((1 << 20)) + "\"}");
        assertThat(large.statusCode()).isEqualTo(413);
        assertThat(code(large)).isEqualTo("body_too_large");

        var malformed = post("{\"key\":");
        assertThat(malformed.statusCode()).isEqualTo(400);
        assertThat(Json.parse(malformed.body()).at("/details/fields/0/problem").asText())
                .isEqualTo("ends before the JSON value is complete (line 1, column 8)");

        var text = HTTP.send(
                HttpRequest.newBuilder(URI.create(gateway.url(TOKENS)))
                        .header("Content-Type", "text/plain")
                        .POST(BodyPublishers.ofString(SECRET))
                        .build(),
                BodyHandlers.ofByteArray());
        assertThat(text.statusCode()).isEqualTo(415);
    }

    @Test
    void percentEncoding_isRejected_whenInvalid() throws Exception {
        var client = gateway.vertx().createHttpClient();
        for (var path : new String[] {"/api/v1/projects/%zz/app-instances", "/api/v1/projects/%/app-instances"}) {
            var response = GatewayUnderTest.await(client.request(HttpMethod.GET, gateway.port(), "127.0.0.1", path)
                    .compose(request -> request.send().compose(head -> head.body())));

            assertThat(Json.parse(response.getBytes())
                            .at("/details/fields/0/field")
                            .asText())
                    .as(path)
                    .isEqualTo("project_id");
        }
    }

    private static Reply keys(int count) {
        var body = Json.object();
        var keys = body.putArray("keys");
        for (var i = 0; i < count; i++) {
            keys.addObject().put("kid", "key-" + i);
        }
        return Reply.of(body);
    }

    private static HttpResponse<byte[]> send(String method, String path, String... headers) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(gateway.url(path))).method(method, BodyPublishers.noBody());
        if (headers.length > 0) {
            request.headers(headers);
        }
        return HTTP.send(request.build(), BodyHandlers.ofByteArray());
    }

    private static HttpResponse<byte[]> post(String body) throws Exception {
        return HTTP.send(
                HttpRequest.newBuilder(URI.create(gateway.url(TOKENS)))
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString(body))
                        .build(),
                BodyHandlers.ofByteArray());
    }

    private static String header(HttpResponse<?> response, String name) {
        return response.headers().firstValue(name).orElse("");
    }

    private static String code(HttpResponse<byte[]> response) throws IOException {
        return Json.parse(response.body()).path("code").asText();
    }

    private static String unzip(byte[] bytes) throws IOException {
        try (var in = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
            return new String(in.readAllBytes(), UTF_8);
        }
    }
}

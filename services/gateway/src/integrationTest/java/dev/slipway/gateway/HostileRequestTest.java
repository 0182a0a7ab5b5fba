package dev.slipway.gateway;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Json;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/** Sends requests of unauthenticated attackers to a gateway; no service runs behind it. */
class HostileRequestTest {
    private static final String TOKEN_PATH = "/api/v1/auth/api-key/token";

    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static GatewayUnderTest gateway;

    @BeforeAll
    static void start() {
        gateway = new GatewayUnderTest();
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    @Test
    void publicOperation_rejectsABody_ofMoreThanAFewKibibytes() {
        var response = post("{\"surprise\":\"" + "x".repeat(16 * 1024) + "\"}");

        assertThat(response.statusCode()).isEqualTo(413);
        assertThat(json(response.body()).path("message").asText()).isEqualTo("body is larger than 16 KiB");
    }

    @Test
    void publicOperation_limitsTheFaults_whenNamesCollide() {
        var names = IntStream.range(0, 400)
                .mapToObj(number -> "\"" + collidingName(number) + "\":0")
                .collect(Collectors.joining(",", "{", "}"));

        var response = post(names);

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(json(response.body()).at("/details/fields").size()).isBetween(1, 20);
        assertThat(response.body().length()).isLessThan(names.length());
    }

    @ParameterizedTest
    @ValueSource(strings = {"1e999", "1e99999999999", "1e-99999999999"})
    void body_isRejectedWithTheField_whenANumberIsLongWrittenOut(String number) {
        var response = post("{\"scope\":" + number + "}");

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(json(response.body()).at("/details/fields/0/field").asText()).isEqualTo("/scope");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api/v1/apps/catalog/a\u0000b",
                "/api/v1/apps/catalog/a\u0001b",
                "/api/v1/apps/catalog/a\u007fb",
                "/\u0000",
                "/api/v1/apps/catalog?limit=\u0000"
            })
    void path_isRejected_whenItHasAControlCharacter(String path) throws IOException {
        var response = raw("GET " + path + " HTTP/1.1\r\nHost: slipway\r\nConnection: close\r\n\r\n");

        assertThat(response).startsWith("HTTP/1.1 400 ").contains("\"code\":\"invalid_request\"");
    }

    @Test
    void pathParameter_isRejected_whenItDecodesToAControlCharacter() {
        var response = send(HttpRequest.newBuilder(uri("/api/v1/apps/catalog/a%00b")));

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(json(response.body()).at("/details/fields/0/field").asText()).isEqualTo("app_slug");
    }

    @Test
    void accessLog_replacesControlCharacters() {
        assertThat(AccessLog.sanitize("/a\u0000b\u001b[0m\u007f\u0085/ü")).isEqualTo("/a�b�[0m��/ü");
        assertThat(AccessLog.sanitize("x".repeat(5_000))).hasSize(1_001);
    }

    /** Compares with a well-formed token of an unknown key, which waits for the revision. */
    @Test
    void revision_isNotAwaited_withATextThatIsNoToken() {
        var header = encode("{\"alg\":\"RS256\",\"kid\":\"unknown\"}");
        var unknown = header + "." + encode("{\"iss\":\"slipway\"}") + "." + encode("signature");

        for (var text : new String[] {"nonsense", "a.b.c", unknown + "=", header + "." + header + "." + header}) {
            var response = send(HttpRequest.newBuilder(uri("/api/v1/apps/catalog"))
                    .header("Authorization", "Bearer " + text)
                    .header("X-Revision", "999999999999"));

            assertThat(response.statusCode()).as(text).isEqualTo(401);
            assertThat(json(response.body()).path("code").asText()).isEqualTo("token_invalid");
        }
        assertThat(send(HttpRequest.newBuilder(uri("/api/v1/apps/catalog"))
                                .header("Authorization", "Bearer " + unknown)
                                .header("X-Revision", "999999999999"))
                        .statusCode())
                .isEqualTo(503);
    }

    private static String encode(String text) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String collidingName(int number) {
        return IntStream.range(0, 10)
                .mapToObj(bit -> (number >> bit & 1) == 0 ? "Aa" : "BB")
                .collect(Collectors.joining());
    }

    private static HttpResponse<String> post(String body) {
        return send(HttpRequest.newBuilder(uri(TOKEN_PATH))
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body)));
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return CLIENT.send(request.build(), BodyHandlers.ofString());
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static String raw(String request) throws IOException {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), gateway.port())) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static URI uri(String path) {
        return URI.create(gateway.url(path));
    }

    private static JsonNode json(String text) {
        return Json.parseTrusted(text.getBytes(StandardCharsets.UTF_8));
    }
}

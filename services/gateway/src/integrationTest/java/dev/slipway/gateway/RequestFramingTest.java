package dev.slipway.gateway;

import dev.slipway.contract.Json;
import dev.slipway.service.Reply;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

import static org.assertj.core.api.Assertions.assertThat;

/** Sends requests that a proxy in front of the gateway could frame or route differently, and a second request hidden behind them. */
class RequestFramingTest {
    private static final String SMUGGLED = "GET /.well-known/jwks.json HTTP/1.1\r\nHost: slipway\r\n\r\n";
    private static final String POST =
            "POST /api/v1/auth/api-key/token HTTP/1.1\r\nHost: slipway\r\nContent-Type: application/json\r\n";

    private static GatewayUnderTest gateway;

    @BeforeAll
    static void start() {
        gateway = new GatewayUnderTest();
        gateway.serve("getJwks", call -> Reply.of(Json.object().put("keys", "smuggled")));
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    @Test
    void pipelining_answersBothRequests_whenTheyAreWellFormed() throws IOException {
        var chunked = POST + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n";

        var received = exchange(chunked + SMUGGLED.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));

        assertThat(received).startsWith("HTTP/1.1 400 ").contains("validation_error", "smuggled");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n",
                "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n",
                "Content-Length: 4\r\nContent-Length: 5\r\n",
                "Transfer-Encoding: xchunked\r\n",
                "Transfer-Encoding: chunked, identity\r\n",
                "Transfer-Encoding: gzip, chunked\r\n",
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
                "Transfer-Encoding : chunked\r\n",
                "Content-Length: 4\r\nTransfer-Encoding: identity\r\n",
                "Content-Length: 4, 4\r\n",
                "Content-Length: +4\r\n",
                "Content-Length: 0x4\r\n"
            })
    void ambiguousLength_isRejected_andNothingBehindItIsAnswered(String headers) throws IOException {
        assertRejected(exchange(POST + headers + "\r\n0\r\n\r\n" + SMUGGLED));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /.well-known/jwks.json HTTP/1.1\r\n\r\n",
                "GET /.well-known/jwks.json HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
                "GET /.well-known/jwks.json HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n",
                "GET /.well-known/jwks.json HTTP/9.9\r\nHost: a\r\n\r\n",
                "GET /.well-known/jwks.json HTTP/1.2\r\nHost: a\r\n\r\n",
                "POST /.well-known/jwks.json HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
            })
    void ambiguousHead_isRejected_andNothingBehindItIsAnswered(String request) throws IOException {
        assertRejected(exchange(request + SMUGGLED));
    }

    @ParameterizedTest
    @ValueSource(strings = {"zz\r\n{}\r\n0\r\n\r\n", "-1\r\n{}\r\n0\r\n\r\n", "2\r\n{}xx0\r\n\r\n"})
    void invalidChunk_isAnswered_beforeTheConnectionIsClosed(String body) throws IOException {
        assertRejected(exchange(POST + "Transfer-Encoding: chunked\r\n\r\n" + body + SMUGGLED));
    }

    @Test
    void invalidChunk_isAnswered_whenItArrivesLater() throws IOException {
        try (var socket = connect()) {
            send(socket, POST + "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n");
            send(socket, "zz\r\n");

            assertRejected(receive(socket));
        }
    }

    /** The texts are ours; those of the HTTP decoder name its classes' limits and can change with it. */
    @Test
    void longHead_isRejected_withTheLimit() throws IOException {
        var line = exchange("GET /" + "x".repeat(9 * 1_024) + " HTTP/1.1\r\nHost: slipway\r\n\r\n" + SMUGGLED);
        var header = exchange(
                "GET / HTTP/1.1\r\nHost: slipway\r\nX-Long: " + "x".repeat(17 * 1_024) + "\r\n\r\n" + SMUGGLED);

        assertRejected(line);
        assertThat(line).contains("\"message\":\"The request line is longer than 8 KiB.\"");
        assertRejected(header);
        assertThat(header).contains("\"message\":\"The request headers are larger than 16 KiB.\"");
    }

    @Test
    void compressedBody_isRejectedAsUnsupportedMediaType() throws IOException {
        var received = exchange(POST + "Content-Encoding: gzip\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}");

        assertThat(received).startsWith("HTTP/1.1 415 ").contains("\"unsupported_media_type\"", "Content-Encoding");
    }

    /** The socket is read until the gateway closes it; the body never arrives. */
    @ParameterizedTest
    @ValueSource(strings = {"POST /api/v1/auth/api-key/token", "GET /.well-known/jwks.json", "PUT /nowhere"})
    void hugeBody_isRejectedAndClosed_beforeItArrives(String target) throws IOException {
        var received = exchange(target + " HTTP/1.1\r\nHost: slipway\r\nContent-Type: application/json\r\n"
                + "Content-Length: 5000000000\r\n\r\n");

        assertThat(received).startsWith("HTTP/1.1 413 ").contains("\"body_too_large\"", "X-Correlation-ID");
    }

    private static void assertRejected(String received) {
        assertThat(received)
                .matches("(?s)HTTP/1\\.[01] 400 .*")
                .contains("\"code\":\"invalid_request\"", "\"correlation_id\"", "X-Correlation-ID: ")
                .containsIgnoringCase("X-Content-Type-Options: nosniff")
                .containsIgnoringCase("Cache-Control: no-store")
                .doesNotContain("smuggled")
                .containsOnlyOnce("X-Correlation-ID: ");
    }

    private static String exchange(String request) throws IOException {
        try (var socket = connect()) {
            send(socket, request);
            return receive(socket);
        }
    }

    private static Socket connect() throws IOException {
        var socket = new Socket(InetAddress.getLoopbackAddress(), gateway.port());
        socket.setSoTimeout(20_000);
        return socket;
    }

    private static void send(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        socket.getOutputStream().flush();
    }

    /** Returns what the gateway sends until it closes the connection. */
    private static String receive(Socket socket) throws IOException {
        return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
}

package dev.slipway.gateway;

import dev.slipway.contract.Json;
import dev.slipway.gateway.GatewayConfig.Cors;
import dev.slipway.gateway.GatewayConfig.Tls;
import dev.slipway.service.Reply;
import dev.slipway.testkit.TestCertificate;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.PemTrustOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;

import static dev.slipway.gateway.GatewayUnderTest.await;
import static org.assertj.core.api.Assertions.assertThat;

class HttpVersionsTest {
    private static final String JWKS = "/.well-known/jwks.json";

    @TempDir
    Path directory;

    private record Response(HttpClientResponse head, Buffer body) {}

    /** HTTP/2 needs TLS; clients that offer an upgrade go on with HTTP/1.1. */
    @Test
    void gateway_servesHttp11InClearText_whenAnUpgradeIsOffered() throws Exception {
        try (var gateway = gateway(null)) {
            var request = HttpRequest.newBuilder(URI.create(gateway.url("/api/v1/auth/api-key/token")))
                    .header("Content-Type", "application/json")
                    .POST(BodyPublishers.ofString("{}"))
                    .build();
            var client =
                    HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();

            var response = client.send(request, BodyHandlers.ofString());

            assertThat(response.version()).isEqualTo(HttpClient.Version.HTTP_1_1);
            assertThat(response.statusCode()).isEqualTo(400);
            assertThat(response.body()).contains("validation_error");
        }
    }

    @Test
    void gateway_negotiatesHttp2OverTls_andSendsHsts() {
        var certificate = TestCertificate.in(directory, "127.0.0.1");
        var tls = new Tls(
                certificate.certificateFile().toString(), certificate.keyFile().toString());
        var options = tlsOptions(certificate);
        try (var gateway = gateway(tls)) {
            var http2 = get(
                    gateway, new HttpClientOptions(options).setUseAlpn(true).setProtocolVersion(HttpVersion.HTTP_2));
            var http1 = get(gateway, options);

            assertThat(http2.head.version()).isEqualTo(HttpVersion.HTTP_2);
            assertThat(http1.head.version()).isEqualTo(HttpVersion.HTTP_1_1);
            assertThat(http2.head.getHeader("Strict-Transport-Security")).startsWith("max-age=");
            assertThat(http1.head.getHeader("Strict-Transport-Security")).startsWith("max-age=");
            var invalid = get(gateway, options, "/" + "x".repeat(9 * 1_024));
            assertThat(invalid.head.statusCode()).isEqualTo(400);
            assertThat(invalid.head.getHeader("Strict-Transport-Security")).startsWith("max-age=");
        }
    }

    /** Over HTTP/1.1 the decoder rejects it. */
    @Test
    void authorization_isRejected_whenItIsDoubledOverHttp2() {
        var certificate = TestCertificate.in(directory, "127.0.0.1");
        var tls = new Tls(
                certificate.certificateFile().toString(), certificate.keyFile().toString());
        try (var gateway = gateway(tls)) {
            var client = gateway.vertx()
                    .createHttpClient(tlsOptions(certificate).setUseAlpn(true).setProtocolVersion(HttpVersion.HTTP_2));

            var response = await(client.request(HttpMethod.GET, gateway.port(), "127.0.0.1", "/api/v1/iam/me")
                    .compose(request -> {
                        request.headers().add("Authorization", "Bearer a").add("Authorization", "Bearer b");
                        return request.send().compose(head -> head.body().map(body -> new Response(head, body)));
                    }));

            assertThat(response.head.statusCode()).isEqualTo(400);
            assertThat(response.body.toString()).contains("\"invalid_request\"", "Authorization");
        }
    }

    /** The server's own compression mislabels later responses of an HTTP/2 connection. */
    @Test
    void compression_isPerResponse_onOneHttp2Connection() {
        var certificate = TestCertificate.in(directory, "127.0.0.1");
        var tls = new Tls(
                certificate.certificateFile().toString(), certificate.keyFile().toString());
        try (var gateway = gateway(tls)) {
            var client = gateway.vertx()
                    .createHttpClient(tlsOptions(certificate).setUseAlpn(true).setProtocolVersion(HttpVersion.HTTP_2));
            for (var path : new String[] {JWKS, "/openapi.json", JWKS, "/asyncapi.yaml"}) {
                var response = await(client.request(HttpMethod.GET, gateway.port(), "127.0.0.1", path)
                        .compose(request -> request.putHeader("Accept-Encoding", "gzip")
                                .send()
                                .compose(head -> head.body().map(body -> new Response(head, body)))));

                var compressed = !path.equals(JWKS);
                assertThat(response.head.getHeader("Content-Encoding")).as(path).isEqualTo(compressed ? "gzip" : null);
                assertThat(response.body.getUnsignedByte(0) == 0x1f && response.body.getUnsignedByte(1) == 0x8b)
                        .as("%s is gzip", path)
                        .isEqualTo(compressed);
            }
        }
    }

    private static HttpClientOptions tlsOptions(TestCertificate certificate) {
        return new HttpClientOptions()
                .setSsl(true)
                .setTrustOptions(new PemTrustOptions()
                        .addCertPath(certificate.certificateFile().toString()));
    }

    private static GatewayUnderTest gateway(Tls tls) {
        var gateway = new GatewayUnderTest(Cors.OFF, tls);
        gateway.serve("getJwks", call -> Reply.of(Json.object().put("keys", "none")));
        return gateway;
    }

    private static Response get(GatewayUnderTest gateway, HttpClientOptions options) {
        return get(gateway, options, JWKS);
    }

    private static Response get(GatewayUnderTest gateway, HttpClientOptions options, String path) {
        var client = gateway.vertx().createHttpClient(options);
        return await(client.request(HttpMethod.GET, gateway.port(), "127.0.0.1", path)
                .compose(request -> request.send().compose(head -> head.body().map(body -> new Response(head, body)))));
    }
}

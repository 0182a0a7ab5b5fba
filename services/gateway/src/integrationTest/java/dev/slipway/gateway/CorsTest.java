package dev.slipway.gateway;

import dev.slipway.contract.Json;
import dev.slipway.gateway.GatewayConfig.Cors;
import dev.slipway.gateway.GatewayConfig.RequestRates;
import dev.slipway.gateway.GatewayConfig.Tls;
import dev.slipway.service.Reply;
import dev.slipway.testkit.TestCertificate;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.net.PemTrustOptions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

import static dev.slipway.gateway.GatewayUnderTest.await;
import static org.assertj.core.api.Assertions.assertThat;

class CorsTest {
    private static final String CONSOLE = "https://console.example.org";
    private static final String ALLOW_ORIGIN = "Access-Control-Allow-Origin";

    @TempDir
    Path directory;

    @Test
    void responses_haveNoCorsHeaders_byDefault() {
        try (var gateway = gateway(Cors.OFF)) {
            assertThat(get(gateway, CONSOLE).getHeader(ALLOW_ORIGIN)).isNull();
            assertThat(preflight(gateway, CONSOLE).getHeader(ALLOW_ORIGIN)).isNull();
        }
    }

    @Test
    void responses_allowTheConfiguredOriginsOnly() {
        try (var gateway = gateway(new Cors(List.of(CONSOLE, "http://localhost:5173"), Duration.ofMinutes(10)))) {
            var allowed = get(gateway, CONSOLE);
            assertThat(allowed.statusCode()).isEqualTo(200);
            assertThat(allowed.getHeader(ALLOW_ORIGIN)).isEqualTo(CONSOLE);
            assertThat(allowed.getHeader("Access-Control-Expose-Headers"))
                    .contains("X-Correlation-ID", "Retry-After", "X-Revision", "ETag", "Location", "X-Next-Cursor");
            assertThat(allowed.getHeader("Vary")).containsIgnoringCase("origin");

            var preflight = preflight(gateway, CONSOLE);
            assertThat(preflight.statusCode()).isEqualTo(204);
            assertThat(preflight.getHeader(ALLOW_ORIGIN)).isEqualTo(CONSOLE);
            assertThat(preflight.getHeader("Access-Control-Allow-Methods")).contains("PATCH");
            assertThat(preflight.getHeader("Access-Control-Allow-Headers"))
                    .contains("Authorization", "Idempotency-Key", "X-Correlation-ID", "X-Request-Id");
            assertThat(preflight.getHeader("Access-Control-Max-Age")).isEqualTo("600");
            assertThat(preflight.getHeader("X-Correlation-ID")).isNotBlank();

            var other = get(gateway, "https://evil.example.org");
            assertThat(other.statusCode()).isEqualTo(200);
            assertThat(other.getHeader(ALLOW_ORIGIN)).isNull();
            assertThat(other.getHeader("Vary")).containsIgnoringCase("origin");
            assertThat(preflight(gateway, "https://evil.example.org").getHeader(ALLOW_ORIGIN))
                    .isNull();
        }
    }

    @Test
    void responses_allowEveryOrigin_whenConfiguredSo() {
        try (var gateway = gateway(new Cors(List.of("*"), Duration.ofMinutes(10)))) {
            assertThat(get(gateway, CONSOLE).getHeader(ALLOW_ORIGIN)).isEqualTo("*");
        }
    }

    /** A browser hides a response without CORS headers from its page, and so the time to wait. */
    @Test
    void rateLimited_canBeReadByTheConsole_overTls() {
        var certificate = TestCertificate.in(directory, "127.0.0.1");
        var tls = new Tls(
                certificate.certificateFile().toString(), certificate.keyFile().toString());
        try (var gateway = limited(tls)) {
            var client = gateway.vertx()
                    .createHttpClient(new HttpClientOptions()
                            .setSsl(true)
                            .setTrustOptions(new PemTrustOptions()
                                    .addCertPath(certificate.certificateFile().toString())));

            var rejected = firstRejected(() -> await(client.request(
                            HttpMethod.GET, gateway.port(), "127.0.0.1", "/nowhere")
                    .compose(request -> request.putHeader("Origin", CONSOLE).send())));

            assertThat(rejected.getHeader(ALLOW_ORIGIN)).isEqualTo(CONSOLE);
            assertThat(rejected.getHeader("Access-Control-Expose-Headers")).contains("Retry-After");
            assertThat(rejected.getHeader("Retry-After")).isNotBlank();
            assertThat(rejected.getHeader("Strict-Transport-Security")).startsWith("max-age=");
            assertThat(rejected.getHeader("X-Content-Type-Options")).isEqualTo("nosniff");
        }
    }

    @Test
    void preflight_countsAgainstTheRateOfItsAddress() {
        try (var gateway = limited(null)) {
            var rejected = firstRejected(() -> preflight(gateway, CONSOLE));

            assertThat(rejected.getHeader("Retry-After")).isNotBlank();
        }
    }

    private static GatewayUnderTest limited(@Nullable Tls tls) {
        return new GatewayUnderTest(
                new Cors(List.of(CONSOLE), Duration.ofMinutes(10)), tls, new RequestRates(0, 5, 0), "cors.");
    }

    private static HttpClientResponse firstRejected(Supplier<HttpClientResponse> request) {
        return Stream.generate(request)
                .limit(1_000)
                .filter(response -> response.statusCode() == 429)
                .findFirst()
                .orElseThrow();
    }

    private static GatewayUnderTest gateway(Cors cors) {
        var gateway = new GatewayUnderTest(cors, null);
        gateway.serve("getJwks", call -> Reply.of(Json.object()));
        return gateway;
    }

    private static HttpClientResponse get(GatewayUnderTest gateway, String origin) {
        return await(request(gateway, HttpMethod.GET, "/.well-known/jwks.json")
                .putHeader("Origin", origin)
                .send());
    }

    private static HttpClientResponse preflight(GatewayUnderTest gateway, String origin) {
        return await(request(gateway, HttpMethod.OPTIONS, "/api/v1/iam/me")
                .putHeader("Origin", origin)
                .putHeader("Access-Control-Request-Method", "GET")
                .putHeader("Access-Control-Request-Headers", "authorization")
                .send());
    }

    private static HttpClientRequest request(GatewayUnderTest gateway, HttpMethod method, String path) {
        return await(gateway.vertx().createHttpClient().request(method, gateway.port(), "127.0.0.1", path));
    }
}

package dev.slipway.gateway;

import dev.slipway.contract.Json;
import dev.slipway.gateway.GatewayConfig.Cors;
import dev.slipway.service.Reply;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;

import static dev.slipway.gateway.GatewayUnderTest.await;
import static org.assertj.core.api.Assertions.assertThat;

class CorsTest {
    private static final String CONSOLE = "https://console.example.org";
    private static final String ALLOW_ORIGIN = "Access-Control-Allow-Origin";

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
            assertThat(allowed.getHeader("Access-Control-Expose-Headers")).contains("X-Correlation-ID", "Retry-After");
            assertThat(allowed.getHeader("Vary")).containsIgnoringCase("origin");

            var preflight = preflight(gateway, CONSOLE);
            assertThat(preflight.statusCode()).isEqualTo(204);
            assertThat(preflight.getHeader(ALLOW_ORIGIN)).isEqualTo(CONSOLE);
            assertThat(preflight.getHeader("Access-Control-Allow-Methods")).contains("PATCH");
            assertThat(preflight.getHeader("Access-Control-Allow-Headers"))
                    .contains("Authorization", "Idempotency-Key");
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

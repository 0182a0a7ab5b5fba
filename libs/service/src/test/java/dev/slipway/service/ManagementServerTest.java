package dev.slipway.service;

import dev.slipway.contract.Json;
import dev.slipway.service.HealthRegistry.Status;
import dev.slipway.telemetry.Telemetry;
import io.micrometer.core.instrument.Gauge;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

class ManagementServerTest {
    private final HealthRegistry healthRegistry = new HealthRegistry();
    private final Telemetry telemetry = Telemetry.start(Map.of());
    private final Vertx vertx =
            telemetry.vertx(new VertxOptions().setEventLoopPoolSize(1)).build();
    private int port;

    @BeforeEach
    void start() throws Exception {
        port = ManagementServer.start(vertx, "127.0.0.1", 0, healthRegistry, telemetry)
                .toCompletionStage()
                .toCompletableFuture()
                .get(30, TimeUnit.SECONDS)
                .actualPort();
    }

    @AfterEach
    void stop() throws Exception {
        vertx.close().toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
        telemetry.close();
    }

    @Test
    void server_returns404_forUnknownPath() throws Exception {
        assertThat(get("/").statusCode()).isEqualTo(404);
        assertThat(get("/health").statusCode()).isEqualTo(404);
    }

    /** Uses HTTP/1.1; Java's client tries HTTP/2 by default. */
    @Test
    void server_returnsCompleteBody_whenItIsLong() throws Exception {
        for (var i = 0; i < 600; i++) {
            Gauge.builder("test.gauge." + i, () -> 1)
                    .description("one of many, which together make a long page")
                    .register(telemetry.metrics());
        }

        for (var i = 0; i < 50; i++) {
            assertThat(get("/metrics").body()).contains("test_gauge_0 1.0").contains("test_gauge_599 1.0");
        }
    }

    @Test
    void ready_returns503_whenNothingIsRegistered() throws Exception {
        var answer = get("/health/ready");
        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.headers().firstValue("retry-after")).hasValue("1");
        assertThat(get("/health/live").statusCode()).isEqualTo(200);
    }

    @Test
    void ready_returns503AndNamesPart_whenAPartIsNotReady() throws Exception {
        healthRegistry.register("database", () -> new Status(true, "connected"));
        healthRegistry.register("authz", () -> new Status(false, "no heartbeat for 40 s"));

        var answer = get("/health/ready");

        assertThat(answer.statusCode()).isEqualTo(503);
        var body = Json.parse(answer.body().getBytes(StandardCharsets.UTF_8));
        assertThat(body.path("ready").asBoolean()).isFalse();
        assertThat(body.at("/parts/database/ready").asBoolean()).isTrue();
        assertThat(body.at("/parts/authz/message").asText()).isEqualTo("no heartbeat for 40 s");
    }

    @Test
    void ready_returns200_whenAllPartsAreReady() throws Exception {
        healthRegistry.register("a", () -> new Status(true, "fine"));
        assertThat(get("/health/ready").statusCode()).isEqualTo(200);
        assertThat(get("/health/ready").headers().firstValue("retry-after")).isEmpty();
        healthRegistry.register("b", () -> new Status(false, "broken"));
        assertThat(get("/health/ready").statusCode()).isEqualTo(503);

        healthRegistry.remove("b");

        assertThat(get("/health/ready").statusCode()).isEqualTo(200);
    }

    @Test
    void metrics_haveThePrometheusFormat() throws Exception {
        telemetry.metrics().counter("things.done").increment();

        var answer = get("/metrics");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("content-type"))
                .hasValueSatisfying(type -> assertThat(type).startsWith("text/plain; version=0.0.4"));
        assertThat(answer.body()).contains("things_done_total 1.0");
    }

    private HttpResponse<String> get(String path) throws Exception {
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .build();
        return HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
    }
}

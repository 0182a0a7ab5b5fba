package dev.slipway.service;

import dev.slipway.contract.Json;
import dev.slipway.telemetry.Telemetry;
import io.micrometer.core.instrument.Gauge;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;

/** Serves health and metrics on a separate port, for orchestrators and Prometheus. */
public final class ManagementServer {
    private ManagementServer() {}

    public static Future<HttpServer> start(
            Vertx vertx, String host, int port, HealthRegistry healthRegistry, Telemetry telemetry) {
        Gauge.builder("slipway.ready", healthRegistry, parts -> parts.isReady() ? 1 : 0)
                .description("1 if /health/ready returns 200")
                .register(telemetry.metrics());
        return vertx.createHttpServer(new HttpServerOptions().setHttp2ClearTextEnabled(false))
                .requestHandler(request -> handle(request, healthRegistry, telemetry))
                .listen(port, host);
    }

    private static void handle(HttpServerRequest request, HealthRegistry healthRegistry, Telemetry telemetry) {
        var response = request.response();
        var answered =
                switch (request.path()) {
                    case "/health/live" ->
                        response.putHeader("content-type", "application/json").end("{\"live\":true}");
                    case "/health/ready" -> {
                        var body = healthRegistry.describe();
                        response.putHeader("content-type", "application/json");
                        if (!body.ready()) {
                            response.setStatusCode(503).putHeader("retry-after", "1");
                        }
                        yield response.end(Buffer.buffer(Json.bytes(body)));
                    }
                    case "/metrics" ->
                        response.putHeader("content-type", "text/plain; version=0.0.4; charset=utf-8")
                                .end(telemetry.metrics().scrape());
                    default -> response.setStatusCode(404).end();
                };
        answered.onFailure(e -> request.connection().close());
    }
}

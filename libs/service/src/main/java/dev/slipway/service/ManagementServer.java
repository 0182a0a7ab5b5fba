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

/** Health and metrics, on a port of their own: for the orchestrator and Prometheus, not for tenants. */
public final class ManagementServer {
    private ManagementServer() {}

    public static Future<HttpServer> start(Vertx vertx, String host, int port, Health health, Telemetry telemetry) {
        Gauge.builder("slipway.ready", health, parts -> parts.ready() ? 1 : 0)
                .description("1 when /health/ready says so")
                .register(telemetry.metrics());
        return vertx.createHttpServer(new HttpServerOptions().setHttp2ClearTextEnabled(false))
                .requestHandler(request -> answer(request, health, telemetry))
                .listen(port, host);
    }

    private static void answer(HttpServerRequest request, Health health, Telemetry telemetry) {
        var response = request.response();
        var answered =
                switch (request.path()) {
                    case "/health/live" ->
                        response.putHeader("content-type", "application/json").end("{\"live\":true}");
                    case "/health/ready" -> {
                        var body = health.describe();
                        yield response.setStatusCode(body.path("ready").asBoolean() ? 200 : 503)
                                .putHeader("content-type", "application/json")
                                .end(Buffer.buffer(Json.bytes(body)));
                    }
                    case "/metrics" ->
                        response.putHeader("content-type", "text/plain; version=0.0.4; charset=utf-8")
                                .end(telemetry.metrics().scrape());
                    default -> response.setStatusCode(404).end();
                };
        answered.onFailure(e -> request.connection().close());
    }
}

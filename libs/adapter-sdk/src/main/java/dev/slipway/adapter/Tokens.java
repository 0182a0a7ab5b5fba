package dev.slipway.adapter;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Json;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/** Exchanges the adapter's own credential for a token that speaks for one task. */
final class Tokens {
    private static final int CONNECT_TIMEOUT_MS = 5_000;
    private static final int TIMEOUT_MS = 10_000;

    private final Vertx vertx;
    private final AdapterConfig config;
    private final HttpClient http;

    /** The platform did not hand out a token. The message holds its answer's code, nothing of what was sent. */
    static final class ExchangeException extends RuntimeException {
        private final int status;

        ExchangeException(int status, String code) {
            super("token exchange was answered with " + status + " " + code);
            this.status = status;
        }

        /** True when only a person can help: the credential is wrong. Everything else may pass by itself. */
        boolean isRefusal() {
            return status >= 400 && status < 500 && status != 409 && status != 408 && status != 429;
        }
    }

    Tokens(Vertx vertx, AdapterConfig config) {
        this.vertx = vertx;
        this.config = config;
        this.http = vertx.createHttpClient(new HttpClientOptions().setConnectTimeout(CONNECT_TIMEOUT_MS));
    }

    Future<Token> exchange(Message report) {
        var options = new RequestOptions()
                .setMethod(HttpMethod.POST)
                .setAbsoluteURI(config.baseUrl() + "/api/v1/auth/operator-token")
                .setTimeout(TIMEOUT_MS)
                .putHeader("content-type", "application/json")
                .putHeader("x-correlation-id", report.event().correlationId());
        return vertx.fileSystem()
                .readFile(config.secretFile().toString())
                .compose(secret -> http.request(options).compose(request -> request.send(body(report, secret))))
                .compose(answer -> answer.body().map(body -> read(answer.statusCode(), body, report.commandId())))
                .timeout(TIMEOUT_MS, TimeUnit.MILLISECONDS);
    }

    Future<Void> close() {
        return http.close();
    }

    private Buffer body(Message report, Buffer secret) {
        return Buffer.buffer(Json.bytes(Json.object()
                .put("adapter_id", config.adapterId().toString())
                .put("adapter_secret", secret.toString(StandardCharsets.UTF_8).strip())
                .put("app_instance_id", report.appInstanceId())
                .put("command_id", report.commandId())));
    }

    private static Token read(int status, Buffer body, String commandId) {
        var json = parse(body);
        if (status != 200) {
            throw new ExchangeException(status, json.path("code").asText());
        }
        if (!json.path("access_token").isTextual() || !json.path("expires_in").isInt()) {
            throw new ExchangeException(502, "without a token");
        }
        var seconds = json.path("expires_in").intValue();
        return new Token(
                json.path("access_token").textValue(), commandId, Instant.now().plusSeconds(seconds));
    }

    /** Something between us and the platform may answer with anything. */
    private static JsonNode parse(Buffer body) {
        try {
            return Json.parse(body.getBytes());
        } catch (IOException e) {
            return Json.object();
        }
    }
}

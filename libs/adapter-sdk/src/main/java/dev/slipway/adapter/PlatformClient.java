package dev.slipway.adapter;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
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
import java.util.concurrent.TimeUnit;

/** The platform's API, as far as an adapter calls it. */
final class PlatformClient {
    private static final int CONNECT_TIMEOUT_MS = 5_000;
    private static final int TIMEOUT_MS = 10_000;

    private final Vertx vertx;
    private final AdapterConfig config;
    private final HttpClient http;

    /** The platform said no, or nonsense. The message holds its answer's code, nothing of what was sent. */
    static final class AnswerException extends RuntimeException {
        private final int status;

        AnswerException(int status, String code) {
            super("the platform answered " + status + " " + code);
            this.status = status;
        }

        /** True when only a person can help: the credential is wrong. Everything else may pass by itself. */
        boolean isRefusal() {
            return status >= 400 && status < 500 && status != 409 && status != 408 && status != 429;
        }

        /** The platform hears of a task by another way than the adapter, and may do so a moment later. */
        boolean isEarly() {
            return status == 409;
        }

        /** The platform may be older than this adapter. */
        boolean isUnknownThere() {
            return status == 404;
        }
    }

    PlatformClient(Vertx vertx, AdapterConfig config) {
        this.vertx = vertx;
        this.config = config;
        this.http = vertx.createHttpClient(new HttpClientOptions().setConnectTimeout(CONNECT_TIMEOUT_MS));
    }

    /** Shows the adapter's credential, and says what is asked for beside it. */
    Future<JsonNode> postWithCredential(String path, ObjectNode asked, String correlationId) {
        var options = options(HttpMethod.POST, path)
                .putHeader("content-type", "application/json")
                .putHeader("x-correlation-id", correlationId);
        return vertx.fileSystem().readFile(config.secretFile().toString()).compose(secret -> {
            asked.put("adapter_id", config.adapterId().toString());
            asked.put("adapter_secret", secret.toString(StandardCharsets.UTF_8).strip());
            return send(options, Buffer.buffer(Json.bytes(asked)));
        });
    }

    Future<JsonNode> get(String path, Token token) {
        var options = options(HttpMethod.GET, path).putHeader("authorization", "Bearer " + token.value());
        return send(options, Buffer.buffer());
    }

    Future<Void> close() {
        return http.close();
    }

    private RequestOptions options(HttpMethod method, String path) {
        return new RequestOptions()
                .setMethod(method)
                .setAbsoluteURI(config.baseUrl() + path)
                .setTimeout(TIMEOUT_MS);
    }

    private Future<JsonNode> send(RequestOptions options, Buffer body) {
        return http.request(options)
                .compose(request -> body.length() == 0 ? request.send() : request.send(body))
                .compose(answer -> answer.body().map(bytes -> read(answer.statusCode(), bytes)))
                .timeout(TIMEOUT_MS, TimeUnit.MILLISECONDS);
    }

    /** Something between us and the platform may answer with anything. */
    private static JsonNode read(int status, Buffer body) {
        try {
            var json = Json.parseOwn(body.getBytes());
            if (status != 200) {
                throw new AnswerException(status, json.path("code").asText());
            }
            return json;
        } catch (IOException e) {
            throw new AnswerException(status == 200 ? 502 : status, "without JSON");
        }
    }
}

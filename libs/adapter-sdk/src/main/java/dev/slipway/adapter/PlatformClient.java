package dev.slipway.adapter;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Json;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Calls the platform's API. */
final class PlatformClient {
    private static final int CONNECT_TIMEOUT_MS = 5_000;
    private static final int TIMEOUT_MS = 10_000;

    private final Vertx vertx;
    private final AdapterConfig config;
    private final HttpClient http;

    /** The platform returned an error or an unreadable response. The message contains the response code and nothing of the request. */
    static final class PlatformResponseException extends RuntimeException {
        private final int status;
        private final String code;

        PlatformResponseException(int status, String code) {
            super("the platform returned " + status + " " + code);
            this.status = status;
            this.code = code;
        }

        /** Returns true if the credential is wrong, which only an operator can fix. All other errors may be temporary. */
        boolean isCredentialRejected() {
            return status >= 400 && status < 500 && status != 409 && status != 408 && status != 429;
        }

        /** The platform learns of a task through another topic than the adapter, possibly a moment later. */
        boolean isTaskUnknown() {
            return status == 409;
        }

        /** The command ended long ago, and the platform accepts no more reports on it. */
        boolean isTaskEnded() {
            return code.equals("task_ended");
        }

        /** The platform may be older than this adapter and lack the endpoint. */
        boolean isEndpointMissing() {
            return status == 404;
        }
    }

    PlatformClient(Vertx vertx, AdapterConfig config) {
        this.vertx = vertx;
        this.config = config;
        this.http = vertx.createHttpClient(new HttpClientOptions().setConnectTimeout(CONNECT_TIMEOUT_MS));
    }

    /** Requests a token for the reports on a command. */
    Future<JsonNode> postTaskTokenRequest(Message report, String correlationId) {
        return postTokenRequest(
                "/api/v1/auth/operator-token",
                secret -> TokenRequest.of(config.adapterId(), secret, report),
                correlationId);
    }

    /** Requests a token for the adapter itself: {@code api}, or {@code reports} for heartbeats. */
    Future<JsonNode> postAdapterTokenRequest(String audience, String correlationId) {
        return postTokenRequest(
                "/api/v1/auth/adapter-token",
                secret -> new TokenRequest(config.adapterId(), secret, null, null, null, null, audience),
                correlationId);
    }

    private Future<JsonNode> postTokenRequest(
            String path, Function<String, TokenRequest> toBody, String correlationId) {
        var options = options(HttpMethod.POST, path)
                .putHeader("content-type", "application/json")
                .putHeader("x-correlation-id", correlationId);
        return vertx.fileSystem().readFile(config.secretFile().toString()).compose(file -> {
            var secret = file.toString(StandardCharsets.UTF_8).strip();
            var body = toBody.apply(secret);
            return send(options, Buffer.buffer(Json.bytes(body)));
        });
    }

    @JsonInclude(JsonInclude.Include.NON_NULL)
    private record TokenRequest(
            UUID adapterId,
            String adapterSecret,
            @Nullable UUID appInstanceId,
            @Nullable String orgId,
            @Nullable UUID sharedRuntimeId,
            @Nullable String commandId,
            @Nullable String audience) {
        static TokenRequest of(UUID adapterId, String secret, Message report) {
            var subject = report.subject();
            return subject.kind() == TaskSubject.Kind.APP_INSTANCE
                    ? new TokenRequest(adapterId, secret, subject.id(), null, null, report.commandId(), null)
                    : new TokenRequest(
                            adapterId,
                            secret,
                            null,
                            report.event().payload().path("org_id").asText(),
                            subject.id(),
                            report.commandId(),
                            null);
        }
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
        // The body is read on the request's own event loop: a caller's thread can be late and miss its end.
        return http.request(options)
                .compose(request -> (body.length() == 0 ? request.send() : request.send(body))
                        .compose(response -> response.body().map(bytes -> read(response.statusCode(), bytes))))
                .timeout(TIMEOUT_MS, TimeUnit.MILLISECONDS);
    }

    /** A proxy in between can return anything. */
    private static JsonNode read(int status, Buffer body) {
        try {
            var json = Json.parseInternal(body.getBytes());
            if (status != 200) {
                throw new PlatformResponseException(status, json.path("code").asText());
            }
            return json;
        } catch (IOException e) {
            throw new PlatformResponseException(status == 200 ? 502 : status, "without JSON");
        }
    }
}

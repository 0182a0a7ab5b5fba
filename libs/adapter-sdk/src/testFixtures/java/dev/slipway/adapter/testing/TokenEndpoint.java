package dev.slipway.adapter.testing;

import dev.slipway.contract.Json;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Hands out tokens by real HTTP, or answers as it is told to. */
public final class TokenEndpoint {
    private final HttpServer server;
    private final AtomicInteger exchanges = new AtomicInteger();
    private volatile int status = 200;
    private volatile String code = "";

    TokenEndpoint(Vertx vertx) throws Exception {
        server = vertx.createHttpServer()
                .requestHandler(this::answer)
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .get(20, TimeUnit.SECONDS);
    }

    public void refuse(int status, String code) {
        this.code = code;
        this.status = status;
    }

    public void accept() {
        status = 200;
    }

    public int exchanges() {
        return exchanges.get();
    }

    String baseUrl() {
        return "http://127.0.0.1:" + server.actualPort();
    }

    /** A token names its task, so that a report sent under another's can be told. */
    static String token(String instanceId, String commandId) {
        return "token-for-" + instanceId + "-" + commandId;
    }

    private void answer(HttpServerRequest request) {
        exchanges.incrementAndGet();
        var answered = request.body().compose(body -> {
            var asked = Json.trusted(body.toString());
            var json = Json.object();
            if (!request.path().equals("/api/v1/auth/operator-token")
                    || !asked.path("adapter_secret").asText().equals(SimulatedPlatform.SECRET)) {
                request.response().setStatusCode(401);
                json.put("code", "unauthenticated");
            } else if (status == 200) {
                json.put("access_token", token(text(asked, "app_instance_id"), text(asked, "command_id")));
                json.put("token_type", "Bearer").put("expires_in", 300);
            } else {
                request.response().setStatusCode(status);
                json.put("code", code);
            }
            return request.response().end(Json.text(json));
        });
        answered.onFailure(e -> request.response().reset());
    }

    private static String text(com.fasterxml.jackson.databind.JsonNode node, String field) {
        return node.path(field).asText();
    }
}

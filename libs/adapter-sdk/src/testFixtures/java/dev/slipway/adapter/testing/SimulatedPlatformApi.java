package dev.slipway.adapter.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Simulates the platform's HTTP API for adapters: issues tokens and serves the desired state, or returns configured errors. */
public final class SimulatedPlatformApi {
    private static final int PAGE_SIZE = 2;

    private final HttpServer server;
    private final AtomicInteger taskTokenRequests = new AtomicInteger();
    private final AtomicInteger adapterTokenRequests = new AtomicInteger();
    private final AtomicInteger desiredStateRequests = new AtomicInteger();
    private final List<ObjectNode> desired = new CopyOnWriteArrayList<>();
    private volatile boolean reconciles;
    private volatile boolean malformedPages;
    private volatile int status = 200;
    private volatile String code = "";

    SimulatedPlatformApi(Vertx vertx) throws Exception {
        server = vertx.createHttpServer()
                .requestHandler(this::handle)
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .get(20, TimeUnit.SECONDS);
    }

    /** Rejects requests for command tokens. */
    public void rejectTaskTokens(int status, String code) {
        this.code = code;
        this.status = status;
    }

    public void acceptTaskTokens() {
        status = 200;
    }

    public int taskTokenRequests() {
        return taskTokenRequests.get();
    }

    public int adapterTokenRequests() {
        return adapterTokenRequests.get();
    }

    public int desiredStateRequests() {
        return desiredStateRequests.get();
    }

    /** Sets the desired state. Before the first call the endpoint returns 404, like a platform without this feature. */
    public void setDesiredState(List<ObjectNode> items) {
        desired.clear();
        desired.addAll(items);
        malformedPages = false;
        reconciles = true;
    }

    /** Returns unrelated JSON, as a proxy might. */
    public void returnMalformedPages() {
        malformedPages = true;
    }

    String baseUrl() {
        return "http://127.0.0.1:" + server.actualPort();
    }

    /** The value names the task, so that a report with another task's token is detected. */
    static String token(String instanceId, String commandId) {
        return "token-for-" + instanceId + "-" + commandId;
    }

    static String adapterTokenValue(String adapterId) {
        return "token-for-" + adapterId;
    }

    private void handle(HttpServerRequest request) {
        Future<Void> handled =
                switch (request.path()) {
                    case "/api/v1/auth/operator-token" -> taskToken(request);
                    case "/api/v1/auth/adapter-token" -> adapterToken(request);
                    case "/api/v1/runtime/desired-state" -> desiredState(request);
                    default -> end(request, 404, Json.object().put("code", "not_found"));
                };
        handled.onFailure(e -> request.response().reset());
    }

    private Future<Void> taskToken(HttpServerRequest request) {
        taskTokenRequests.incrementAndGet();
        return request.body().compose(body -> {
            var tokenRequest = Json.parseStoredObject(body.toString());
            if (!hasValidSecret(tokenRequest)) {
                return unauthenticated(request);
            }
            return status == 200
                    ? end(
                            request,
                            200,
                            token(token(text(tokenRequest, "app_instance_id"), text(tokenRequest, "command_id"))))
                    : end(request, status, Json.object().put("code", code));
        });
    }

    private Future<Void> adapterToken(HttpServerRequest request) {
        adapterTokenRequests.incrementAndGet();
        return request.body().compose(body -> {
            var tokenRequest = Json.parseStoredObject(body.toString());
            return hasValidSecret(tokenRequest)
                    ? end(request, 200, token(adapterTokenValue(text(tokenRequest, "adapter_id"))))
                    : unauthenticated(request);
        });
    }

    private Future<Void> desiredState(HttpServerRequest request) {
        desiredStateRequests.incrementAndGet();
        if (malformedPages) {
            return end(request, 200, Json.object().put("welcome", "to the proxy"));
        }
        if (!reconciles) {
            return end(request, 404, Json.object().put("code", "not_found"));
        }
        if (!String.valueOf(request.getHeader("authorization")).startsWith("Bearer token-for-")) {
            return unauthenticated(request);
        }
        var cursor = request.getParam("cursor");
        var from = cursor == null ? 0 : Integer.parseInt(cursor);
        var to = Math.min(desired.size(), from + PAGE_SIZE);
        var page = Json.object();
        page.putArray("items").addAll(desired.subList(from, to));
        page.put("next_cursor", to < desired.size() ? String.valueOf(to) : null);
        return end(request, 200, page);
    }

    private static boolean hasValidSecret(JsonNode tokenRequest) {
        return text(tokenRequest, "adapter_secret").equals(SimulatedPlatform.SECRET);
    }

    private static ObjectNode token(String value) {
        return Json.object()
                .put("access_token", value)
                .put("token_type", "Bearer")
                .put("expires_in", 300);
    }

    private static Future<Void> unauthenticated(HttpServerRequest request) {
        return end(request, 401, Json.object().put("code", "unauthenticated"));
    }

    private static Future<Void> end(HttpServerRequest request, int status, ObjectNode json) {
        return request.response().setStatusCode(status).end(Json.text(json));
    }

    private static String text(JsonNode node, String field) {
        return node.path(field).asText();
    }
}

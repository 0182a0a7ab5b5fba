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

/** The platform's API as far as adapters know it, by real HTTP: hands out tokens and the desired state, or answers as it is told to. */
public final class TokenEndpoint {
    private static final int PAGE = 2;

    private final HttpServer server;
    private final AtomicInteger exchanges = new AtomicInteger();
    private final AtomicInteger ownExchanges = new AtomicInteger();
    private final AtomicInteger listings = new AtomicInteger();
    private final List<ObjectNode> desired = new CopyOnWriteArrayList<>();
    private volatile boolean reconciles;
    private volatile boolean nonsense;
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

    /** Refuses tokens for tasks. */
    public void refuse(int status, String code) {
        this.code = code;
        this.status = status;
    }

    public void accept() {
        status = 200;
    }

    /** How many tokens for tasks were asked for. */
    public int exchanges() {
        return exchanges.get();
    }

    /** How many tokens of the adapter's own were asked for. */
    public int ownExchanges() {
        return ownExchanges.get();
    }

    /** How many pages of the desired state were asked for. */
    public int listings() {
        return listings.get();
    }

    /** What is wanted from now on; without it the platform is one that does not know of desired states. */
    public void desire(List<ObjectNode> items) {
        desired.clear();
        desired.addAll(items);
        nonsense = false;
        reconciles = true;
    }

    /** Answers as something between the adapter and the platform might. */
    public void answerNonsense() {
        nonsense = true;
    }

    String baseUrl() {
        return "http://127.0.0.1:" + server.actualPort();
    }

    /** A token names its task, so that a report sent under another's can be told. */
    static String token(String instanceId, String commandId) {
        return "token-for-" + instanceId + "-" + commandId;
    }

    static String ownToken(String adapterId) {
        return "token-for-" + adapterId;
    }

    private void answer(HttpServerRequest request) {
        Future<Void> answered =
                switch (request.path()) {
                    case "/api/v1/auth/operator-token" -> taskToken(request);
                    case "/api/v1/auth/adapter-token" -> adapterToken(request);
                    case "/api/v1/runtime/desired-state" -> desiredState(request);
                    default -> end(request, 404, Json.object().put("code", "not_found"));
                };
        answered.onFailure(e -> request.response().reset());
    }

    private Future<Void> taskToken(HttpServerRequest request) {
        exchanges.incrementAndGet();
        return request.body().compose(body -> {
            var asked = Json.trusted(body.toString());
            if (!knows(asked)) {
                return unauthenticated(request);
            }
            return status == 200
                    ? end(request, 200, token(token(text(asked, "app_instance_id"), text(asked, "command_id"))))
                    : end(request, status, Json.object().put("code", code));
        });
    }

    private Future<Void> adapterToken(HttpServerRequest request) {
        ownExchanges.incrementAndGet();
        return request.body().compose(body -> {
            var asked = Json.trusted(body.toString());
            return knows(asked)
                    ? end(request, 200, token(ownToken(text(asked, "adapter_id"))))
                    : unauthenticated(request);
        });
    }

    private Future<Void> desiredState(HttpServerRequest request) {
        listings.incrementAndGet();
        if (nonsense) {
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
        var to = Math.min(desired.size(), from + PAGE);
        var answer = Json.object();
        answer.putArray("items").addAll(desired.subList(from, to));
        answer.put("next_cursor", to < desired.size() ? String.valueOf(to) : null);
        return end(request, 200, answer);
    }

    private static boolean knows(JsonNode asked) {
        return text(asked, "adapter_secret").equals(SimulatedPlatform.SECRET);
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

package dev.slipway.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.slipway.contract.Json;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** What an adapter asks the platform over HTTP: tokens, and the desired state. */
final class PlatformApi implements AutoCloseable {
    /** Few, so that an adapter which reads only the first page shows. */
    private static final int PAGE = 2;

    private final Ledger ledger;
    private final TokenDesk tokens;
    private final UUID adapterId;
    private final String secret;
    private final HttpServer server;
    private final ExecutorService workers = Executors.newFixedThreadPool(4);
    private final AtomicInteger calls = new AtomicInteger();

    PlatformApi(Ledger ledger, TokenDesk tokens, UUID adapterId, String secret, int port) throws IOException {
        this.ledger = ledger;
        this.tokens = tokens;
        this.adapterId = adapterId;
        this.secret = secret;
        server = HttpServer.create(new InetSocketAddress(port), 0);
        server.createContext("/api/v1/auth/operator-token", exchange -> answer(exchange, this::operatorToken));
        server.createContext("/api/v1/auth/adapter-token", exchange -> answer(exchange, this::adapterToken));
        server.createContext("/api/v1/runtime/desired-state", exchange -> answer(exchange, this::desiredState));
        server.setExecutor(workers);
        server.start();
    }

    int port() {
        return server.getAddress().getPort();
    }

    /** How often anything was asked. */
    int calls() {
        return calls.get();
    }

    @Override
    public void close() {
        server.stop(0);
        workers.shutdownNow();
    }

    private record Answer(int status, ObjectNode body) {
        static Answer refused(int status, String code) {
            return new Answer(status, Json.object().put("code", code).put("message", code));
        }
    }

    private interface Handler {
        Answer apply(HttpExchange exchange) throws IOException;
    }

    private Answer operatorToken(HttpExchange exchange) throws IOException {
        var body = body(exchange);
        if (!isOurs(body)) {
            return Answer.refused(401, "unauthenticated");
        }
        var command = ledger.command(uuid(body, "command_id"));
        if (command == null
                || command.instance().isForgotten()
                || !command.instance().id().equals(uuid(body, "app_instance_id"))) {
            return Answer.refused(409, "task_unknown");
        }
        return tokens.isClosedTo(command.id()) ? Answer.refused(503, "unavailable") : token(tokens.issue(command.id()));
    }

    private Answer adapterToken(HttpExchange exchange) throws IOException {
        return isOurs(body(exchange)) ? token(tokens.issue(null)) : Answer.refused(401, "unauthenticated");
    }

    private Answer desiredState(HttpExchange exchange) {
        if (!tokens.isOwn(exchange.getRequestHeaders().getFirst("authorization"))) {
            return Answer.refused(401, "token_invalid");
        }
        var query = query(exchange.getRequestURI().getRawQuery());
        return new Answer(
                200,
                ledger.read(() -> page(
                        Integer.parseInt(query.getOrDefault("cursor", "0")),
                        Math.min(PAGE, Integer.parseInt(query.getOrDefault("limit", "50"))))));
    }

    private ObjectNode page(int from, int limit) {
        var answer = Json.object();
        var items = answer.putArray("items");
        var known = new ArrayList<>(ledger.known());
        known.removeIf(instance -> instance.last() == null);
        Collections.reverse(known); // newest first
        known.stream().skip(from).limit(limit).forEach(instance -> items.add(item(instance)));
        if (from + limit < known.size()) {
            answer.put("next_cursor", String.valueOf(from + limit));
        } else {
            answer.putNull("next_cursor");
        }
        return answer;
    }

    private static ObjectNode item(Instance instance) {
        var last = java.util.Objects.requireNonNull(instance.last());
        var deleting = last.kind() == Kind.DELETE;
        var shape = instance.commands().stream()
                .filter(command -> command.event().payload().has("manifest"))
                .reduce((first, second) -> second.generation() >= first.generation() ? second : first)
                .orElse(last);
        var item = Json.object()
                .put("app_instance_id", instance.id().toString())
                .put("org_id", instance.org().toString())
                .put("project_id", instance.project().toString())
                .put("app_slug", last.field("app_slug").asText())
                .put("app_version", shape.field("app_version").asText())
                .put("resource_name", last.field("resource_name").asText())
                .put("operator_service_account_id", instance.operator().toString())
                .put("generation", instance.generation())
                .put("desired", deleting ? "deleted" : "running")
                .put("status", deleting ? "deleting" : last.isOver() ? status(last) : "deploying")
                .put("command_id", last.id().toString());
        item.set("manifest", shape.event().payload().path("manifest"));
        item.set("config", shape.event().payload().path("config"));
        item.putObject("placement_intent");
        var members = item.putArray("members");
        instance.members().values().stream()
                .filter(instance::wants)
                .forEach(member -> members.add(member.json().put("desired_state", "ready")));
        var open = item.putArray("open_commands");
        instance.commands().stream()
                .filter(command -> command.isOpen() && command.generation() == instance.generation())
                .forEach(command -> open.add(Json.node(command.event().toBytes())));
        return item;
    }

    private static String status(Command last) {
        var end = java.util.Objects.requireNonNull(last.end());
        return end.is("failed") ? "failed" : "running";
    }

    private static Answer token(TokenDesk.Token token) {
        return new Answer(
                200,
                Json.object()
                        .put("access_token", token.value())
                        .put("token_type", "Bearer")
                        .put("expires_in", token.seconds()));
    }

    private boolean isOurs(JsonNode body) {
        return body.path("adapter_id").asText().toLowerCase(Locale.ROOT).equals(adapterId.toString())
                && body.path("adapter_secret").asText().equals(secret);
    }

    private void answer(HttpExchange exchange, Handler handler) throws IOException {
        calls.incrementAndGet();
        ledger.change(() -> {});
        try (exchange) {
            Answer answer;
            try {
                answer = handler.apply(exchange);
            } catch (IOException | RuntimeException e) {
                answer = Answer.refused(400, "invalid_request");
            }
            var bytes = Json.bytes(answer.body);
            exchange.getResponseHeaders().add("content-type", "application/json");
            exchange.sendResponseHeaders(answer.status, bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }

    private static JsonNode body(HttpExchange exchange) throws IOException {
        return Json.parse(exchange.getRequestBody().readAllBytes());
    }

    private static @Nullable UUID uuid(JsonNode body, String field) {
        var text = body.path(field).asText();
        return text.isEmpty() ? null : UUID.fromString(text);
    }

    private static Map<String, String> query(@Nullable String raw) {
        var values = new HashMap<String, String>();
        for (var pair : raw == null ? new String[0] : raw.split("&", -1)) {
            var at = pair.indexOf('=');
            if (at > 0 && at + 1 < pair.length()) {
                values.put(pair.substring(0, at), pair.substring(at + 1));
            }
        }
        return values;
    }
}

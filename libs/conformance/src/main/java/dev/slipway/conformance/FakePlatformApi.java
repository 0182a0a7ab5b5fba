package dev.slipway.conformance;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.slipway.conformance.ScenarioInstance.IssuedMember;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Json;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** Serves the platform's HTTP API for adapters: tokens and the desired state. */
final class FakePlatformApi implements AutoCloseable {
    /** Small, so that an adapter that reads only the first page is detected. */
    private static final int PAGE_SIZE = 2;

    private final RunState state;
    private final FakeTokenEndpoint tokens;
    private final UUID adapterId;
    private final String secret;
    private final HttpServer server;
    private final ExecutorService workers = Executors.newFixedThreadPool(4);
    private final AtomicInteger calls = new AtomicInteger();

    FakePlatformApi(RunState state, FakeTokenEndpoint tokens, UUID adapterId, String secret, int port)
            throws IOException {
        this.state = state;
        this.tokens = tokens;
        this.adapterId = adapterId;
        this.secret = secret;
        server = HttpServer.create(new InetSocketAddress(port), 0);
        server.createContext("/api/v1/auth/operator-token", exchange -> handle(exchange, this::operatorToken));
        server.createContext("/api/v1/auth/adapter-token", exchange -> handle(exchange, this::adapterToken));
        server.createContext(
                "/api/v1/runtime/desired-state", exchange -> handle(exchange, call -> desiredState(call, false)));
        server.createContext(
                "/api/v1/runtime/desired-shared-runtimes",
                exchange -> handle(exchange, call -> desiredState(call, true)));
        server.setExecutor(workers);
        server.start();
    }

    int port() {
        return server.getAddress().getPort();
    }

    /** Returns the number of requests. */
    int calls() {
        return calls.get();
    }

    @Override
    public void close() {
        server.stop(0);
        workers.shutdownNow();
    }

    private record ApiResponse(int status, Object body) {
        static ApiResponse error(int status, String code) {
            return new ApiResponse(status, new ErrorBody(code, code));
        }
    }

    private interface Handler {
        ApiResponse apply(HttpExchange exchange) throws IOException;
    }

    private ApiResponse operatorToken(HttpExchange exchange) throws IOException {
        var body = body(exchange);
        if (!hasValidCredential(body)) {
            return ApiResponse.error(401, "unauthenticated");
        }
        var command = state.command(uuid(body, "command_id"));
        if (command == null
                || command.instance().isForgotten()
                || !command.instance().id().toString().equals(SentCommand.subjectId(body))) {
            return ApiResponse.error(409, "task_unknown");
        }
        var rejection = tokens.nextRejection(command.id());
        return rejection == null
                ? token(tokens.issue(command.id()))
                : ApiResponse.error(rejection, rejection == 409 ? "task_unknown" : "unavailable");
    }

    private ApiResponse adapterToken(HttpExchange exchange) throws IOException {
        return hasValidCredential(body(exchange))
                ? token(tokens.issue(null))
                : ApiResponse.error(401, "unauthenticated");
    }

    private ApiResponse desiredState(HttpExchange exchange, boolean shared) {
        if (!tokens.isAdapterToken(exchange.getRequestHeaders().getFirst("authorization"))) {
            return ApiResponse.error(401, "token_invalid");
        }
        var query = query(exchange.getRequestURI().getRawQuery());
        return new ApiResponse(
                200,
                state.read(() -> page(
                        shared,
                        Integer.parseInt(query.getOrDefault("cursor", "0")),
                        Math.min(PAGE_SIZE, Integer.parseInt(query.getOrDefault("limit", "50"))))));
    }

    private DesiredStatePage page(boolean shared, int from, int limit) {
        var known = new ArrayList<>(state.knownInstances());
        known.removeIf(instance -> instance.lastGenerationCommand() == null || instance.isShared() != shared);
        Collections.reverse(known); // newest first
        return new DesiredStatePage(
                known.stream()
                        .skip(from)
                        .limit(limit)
                        .map(FakePlatformApi::toDesiredState)
                        .toList(),
                from + limit < known.size() ? String.valueOf(from + limit) : null);
    }

    private static DesiredState toDesiredState(ScenarioInstance instance) {
        var last = Objects.requireNonNull(instance.lastGenerationCommand());
        var deleting = last.kind() == CommandKind.DELETE;
        var shape = instance.commands().stream()
                .filter(command -> command.event().payload().has("manifest"))
                .reduce((first, second) -> second.generation() >= first.generation() ? second : first)
                .orElse(last);
        var isShared = instance.isShared();
        return new DesiredState(
                isShared ? null : instance.id(),
                isShared ? instance.id() : null,
                instance.org(),
                isShared ? null : instance.project(),
                last.field("app_slug").asText(),
                shape.field("app_version").asText(),
                last.field("resource_name").asText(),
                isShared ? null : instance.operator(),
                isShared ? instance.operator() : null,
                instance.generation(),
                deleting ? "deleted" : "running",
                deleting ? "deleting" : last.isFinished() ? status(last) : "deploying",
                last.id(),
                last.event().correlationId(),
                shape.event().payload().get("manifest"),
                shape.event().payload().get("config"),
                Map.of(),
                instance.members().values().stream()
                        .filter(instance::isWanted)
                        .map(member -> new DesiredMember(member, member.desired()))
                        .toList(),
                instance.commands().stream()
                        .filter(command -> command.isOpen() && command.generation() == instance.generation())
                        .map(command -> new OpenCommand(command.event(), null))
                        .toList());
    }

    private record DesiredStatePage(
            List<DesiredState> items, @Nullable String nextCursor) {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    private record DesiredState(
            @Nullable UUID appInstanceId,
            @Nullable UUID sharedRuntimeId,
            UUID orgId,
            @Nullable UUID projectId,
            String appSlug,
            String appVersion,
            String resourceName,
            @Nullable UUID operatorServiceAccountId,
            @Nullable UUID operatorId,
            int generation,
            String desired,
            String status,
            UUID commandId,
            String correlationId,
            @Nullable JsonNode manifest,
            @Nullable JsonNode config,
            Map<String, String> placementIntent,
            List<DesiredMember> members,
            List<OpenCommand> openCommands) {}

    /** A command as on the topic, with the trace of its header. */
    private record OpenCommand(
            @JsonUnwrapped Envelope event, @Nullable String traceparent) {}

    private record DesiredMember(@JsonUnwrapped IssuedMember member, ScenarioInstance.DesiredState desiredState) {}

    private record ErrorBody(String code, String message) {}

    private record TokenBody(String accessToken, String tokenType, long expiresIn) {}

    private static String status(SentCommand last) {
        var end = Objects.requireNonNull(last.finalReport());
        return end.is("failed") ? "failed" : "running";
    }

    private static ApiResponse token(FakeTokenEndpoint.TokenResponse tokenResponse) {
        return new ApiResponse(200, new TokenBody(tokenResponse.value(), "Bearer", tokenResponse.seconds()));
    }

    private boolean hasValidCredential(JsonNode body) {
        return body.path("adapter_id").asText().toLowerCase(Locale.ROOT).equals(adapterId.toString())
                && body.path("adapter_secret").asText().equals(secret);
    }

    private void handle(HttpExchange exchange, Handler handler) throws IOException {
        calls.incrementAndGet();
        state.update(() -> {});
        try (exchange) {
            ApiResponse apiResponse;
            try {
                apiResponse = handler.apply(exchange);
            } catch (IOException | RuntimeException e) {
                apiResponse = ApiResponse.error(400, "invalid_request");
            }
            var bytes = Json.bytes(apiResponse.body);
            exchange.getResponseHeaders().add("content-type", "application/json");
            exchange.sendResponseHeaders(apiResponse.status, bytes.length);
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

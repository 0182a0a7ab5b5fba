package dev.slipway.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.contract.ApiOperation;
import dev.slipway.contract.Contract;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem.FieldProblem;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

import static org.assertj.core.api.Assertions.assertThat;

/** Calls the API like a user, and validates every response against the contract. */
public final class ApiClient {
    private static final Contract CONTRACT = Contract.load();
    private static final HttpClient HTTP = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(5))
            .build();

    private static final Set<Integer> RETRYABLE = Set.of(503, 504);

    private final String baseUrl;
    private final @Nullable String token;

    /** A response that conforms to the contract. */
    public record ApiResponse(int status, JsonNode body, HttpHeaders headers) {
        public String header(String name) {
            return headers.firstValue(name).orElse("");
        }

        public String text(String field) {
            return body.path(field).asText();
        }

        /** Returns this response if it has the status; fails with its body otherwise. */
        @CanIgnoreReturnValue
        public ApiResponse expect(int expected) {
            assertThat(status).as("%s", body).isEqualTo(expected);
            return this;
        }
    }

    public ApiClient(String baseUrl, @Nullable String token) {
        this.baseUrl = baseUrl;
        this.token = token;
    }

    public ApiClient as(@Nullable String otherToken) {
        return new ApiClient(baseUrl, otherToken);
    }

    /** Builder of a call. */
    public final class Call {
        private final ApiOperation apiOperation;
        private final Map<String, String> headers = new HashMap<>();
        private String path;
        private String query = "";
        private byte @Nullable [] body;

        private Call(ApiOperation apiOperation) {
            this.apiOperation = apiOperation;
            this.path = apiOperation.path();
        }

        public Call path(String name, Object value) {
            path = path.replace("{" + name + "}", String.valueOf(value));
            return this;
        }

        /** Fills every path parameter that has no value yet. */
        public Call anyPath(Object value) {
            path = path.replaceAll("\\{[^}]+}", String.valueOf(value));
            return this;
        }

        public Call query(String raw) {
            query = "?" + raw;
            return this;
        }

        public Call header(String name, String value) {
            headers.put(name, value);
            return this;
        }

        public Call body(JsonNode json) {
            return raw(Json.bytes(json), "application/json");
        }

        public Call raw(byte[] bytes, @Nullable String contentType) {
            body = bytes;
            if (contentType != null) {
                headers.put("Content-Type", contentType);
            }
            return this;
        }

        /** Returns the response; for an event stream its first event, for NDJSON an array of its lines, for bytes their Base64. */
        public ApiResponse send() {
            try {
                var response = execute();
                if (hasType(response, "application/x-ndjson")) {
                    return lines(apiOperation.id(), response);
                }
                if (!isStream(response)) {
                    try (var body = response.body()) {
                        return validated(apiOperation.id(), response, parse(response, body.readAllBytes()));
                    }
                }
                try (var events = new ServerEvents(apiOperation.id(), response.body())) {
                    return validated(apiOperation.id(), response, events.next());
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /**
         * Sends the request as a client does in an outage: with an Idempotency-Key, again after a broken connection, a 503 or a 504, until there
         * is another response.
         *
         * @param onRetry receives the reason of each repetition
         */
        public ApiResponse sendUntilFinal(Consumer<String> onRetry) {
            assertThat(headers).containsKey("Idempotency-Key");
            return Eventually.repeat(() -> {
                try {
                    var response = send();
                    if (!RETRYABLE.contains(response.status)) {
                        return response;
                    }
                    onRetry.accept(response.status + " " + response.text("code"));
                    throw new IllegalStateException(response.status + " " + response.body);
                } catch (UncheckedIOException e) {
                    onRetry.accept("connection broken");
                    throw e;
                }
            });
        }

        /** Opens an event stream, and fails if the response is not one. */
        public ServerEvents stream() {
            var response = execute();
            assertThat(isStream(response))
                    .as("%s began a stream", apiOperation.id())
                    .isTrue();
            return new ServerEvents(apiOperation.id(), response.body());
        }

        private JsonNode parse(HttpResponse<InputStream> response, byte[] body) throws IOException {
            if (hasType(response, "text/plain") || hasType(response, "text/csv")) {
                return TextNode.valueOf(new String(body, StandardCharsets.UTF_8));
            }
            return hasType(response, "application/octet-stream")
                    ? TextNode.valueOf(Base64.getEncoder().encodeToString(body))
                    : Json.parse(body);
        }

        private boolean isStream(HttpResponse<InputStream> response) {
            return hasType(response, "text/event-stream");
        }

        private boolean hasType(HttpResponse<?> response, String type) {
            return response.headers().firstValue("Content-Type").orElse("").equals(type);
        }

        private HttpResponse<InputStream> execute() {
            Eventually.requireRepeatable(apiOperation);
            var request = HttpRequest.newBuilder(URI.create(baseUrl + path + query))
                    .timeout(Duration.ofSeconds(30))
                    .method(
                            apiOperation.method(),
                            body == null ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
            if (token != null) {
                request.setHeader("Authorization", "Bearer " + token);
            }
            headers.forEach(request::setHeader);
            try {
                return HTTP.send(request.build(), BodyHandlers.ofInputStream());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }
    }

    public Call call(String operationId) {
        return new Call(CONTRACT.operation(operationId));
    }

    static void validate(String operationId, int status, JsonNode body) {
        var problems = new ArrayList<FieldProblem>();
        CONTRACT.responseValidator(operationId, status).validate(body, problems);
        assertThat(problems).as("%s answered %s %s", operationId, status, body).isEmpty();
        assertThat(CONTRACT.declaresStatus(operationId, status))
                .as("%s declares the status of %s %s", operationId, status, body)
                .isTrue();
    }

    private static ApiResponse lines(String operationId, HttpResponse<InputStream> response) throws IOException {
        var lines = Json.array();
        try (var body = response.body()) {
            for (var line : new String(body.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList()) {
                lines.add(Json.parse(line.getBytes(StandardCharsets.UTF_8)));
                validate(operationId, response.statusCode(), lines.get(lines.size() - 1));
            }
        }
        return new ApiResponse(response.statusCode(), lines, response.headers());
    }

    private static ApiResponse validated(String operationId, HttpResponse<?> response, JsonNode body) {
        validate(operationId, response.statusCode(), body);
        assertThat(response.headers().firstValue("X-Correlation-ID")).isPresent();
        if (response.statusCode() >= 400) {
            assertThat(response.headers().firstValue("X-Correlation-ID"))
                    .hasValue(body.path("correlation_id").asText());
        }
        return new ApiResponse(response.statusCode(), body, response.headers());
    }
}

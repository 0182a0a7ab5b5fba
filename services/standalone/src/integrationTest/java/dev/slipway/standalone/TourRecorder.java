package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.contract.ApiOperation;
import dev.slipway.contract.Contract;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient;
import dev.slipway.testkit.ApiClient.ApiResponse;
import dev.slipway.testkit.ApiClient.Call;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Consumer;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Sends the calls of the tour and records their responses, chapter by chapter. Path parameters and {@code $name}s in bodies are filled from
 * the variables that earlier steps have set.
 */
final class TourRecorder {
    private static final List<String> HEADERS =
            List.of("Content-Type", "Location", "ETag", "X-Revision", "X-Correlation-ID", "Retry-After", "Allow");

    private final PlatformUnderTest platform;
    private final TourMask mask;
    private final Map<String, StringBuilder> chapters = new LinkedHashMap<>();
    private final Map<String, String> variables = new HashMap<>();
    private final Map<String, Integer> calls = new HashMap<>();
    private final List<SentCall> sent = new ArrayList<>();
    private StringBuilder chapter = new StringBuilder();

    TourRecorder(PlatformUnderTest platform, TourMask mask) {
        this.platform = platform;
        this.mask = mask;
    }

    /** A call of the tour and its response. */
    record SentCall(String operationId, String correlationId, ApiResponse response) {}

    /** Returns the calls in the order in which they were sent. */
    List<SentCall> sent() {
        return List.copyOf(sent);
    }

    PlatformUnderTest platform() {
        return platform;
    }

    void chapter(String name) {
        chapter = new StringBuilder();
        chapters.put(name, chapter);
    }

    Map<String, StringBuilder> chapters() {
        return chapters;
    }

    void set(String variable, Object value) {
        variables.put(variable, value.toString());
    }

    String get(String variable) {
        return variables.getOrDefault(variable, "");
    }

    Step step(String caller, String operationId) {
        return new Step(caller, client(caller), operationId);
    }

    Step stepWithToken(String caller, String token, String operationId) {
        return new Step(caller, platform.anonymous().as(token), operationId);
    }

    @CanIgnoreReturnValue
    ApiResponse call(String caller, String operationId) {
        return step(caller, operationId).send();
    }

    @CanIgnoreReturnValue
    ApiResponse call(String caller, String operationId, String body) {
        return step(caller, operationId).body(body).send();
    }

    /** Repeats a read without recording it until the field has the value; the caller records the final response. */
    void await(String caller, String operationId, String pointer, String value) {
        eventually(() -> {
            var apiResponse = filled(client(caller).call(operationId)).send().expect(200);
            assertThat(apiResponse.body().at(pointer).asText())
                    .as(apiResponse.body().toString())
                    .isEqualTo(value);
        });
    }

    /** Waits until the query on the platform's database returns {@code t}. */
    void awaitTrue(String query) {
        eventually(() -> assertThat(platform.database().query(query)).isEqualTo("t"));
    }

    void record(String title, JsonNode json) {
        chapter.append("### ").append(title).append('\n');
        chapter.append(mask.json(json).toPrettyString()).append("\n\n");
    }

    /** The operations of the contract that no step has called. */
    List<String> operationsNotCalled() {
        var all = new TreeSet<String>();
        Contract.load().operations().forEach(operation -> all.add(operation.id()));
        all.removeAll(calls.keySet());
        return List.copyOf(all);
    }

    Call filled(Call call) {
        var filled = call;
        for (var variable : variables.entrySet()) {
            filled = filled.path(variable.getKey(), variable.getValue());
        }
        return filled;
    }

    ApiClient client(String caller) {
        return caller.equals("anonymous") ? platform.anonymous() : platform.person(caller);
    }

    static boolean isRead(ApiOperation operation) {
        return operation.method().equals("GET");
    }

    /** One call of the tour. */
    final class Step {
        private final String caller;
        private final String operationId;
        private final Call call;
        private String detail = "";

        private Step(String caller, ApiClient client, String operationId) {
            this.caller = caller;
            this.operationId = operationId;
            this.call = client.call(operationId);
        }

        Step path(String name, Object value) {
            var ignored = call.path(name, value);
            return this;
        }

        Step query(String query) {
            var ignored = call.query(substituted(query));
            detail += " ?" + query;
            return this;
        }

        Step header(String name, String value) {
            var ignored = call.header(name, substituted(value));
            detail += " " + name + ": " + value;
            return this;
        }

        /** A JSON text with single quotes. */
        Step body(String json) {
            var ignored = call.body(Json.parseStoredObject(substituted(json).replace('\'', '"')));
            return this;
        }

        Step body(JsonNode json) {
            var ignored = call.body(json);
            return this;
        }

        /** Sends and records; waits until decisions know of a write. */
        @CanIgnoreReturnValue
        ApiResponse send() {
            var number = calls.merge(operationId, 1, Integer::sum);
            var correlationId = "tour-" + operationId + "-" + number;
            var apiResponse =
                    filled(call).header("X-Correlation-ID", correlationId).send();
            sent.add(new SentCall(operationId, correlationId, apiResponse));
            write(apiResponse);
            var revision = apiResponse.header("X-Revision");
            if (!revision.isEmpty() && apiResponse.status() < 300) {
                eventually(() -> assertThat(
                                platform.platform().serviceContext().authz().revision())
                        .isGreaterThanOrEqualTo(Long.parseLong(revision)));
            }
            return apiResponse;
        }

        /** Sends, records, and sets the variable to the response's {@code id}. */
        @CanIgnoreReturnValue
        ApiResponse sendAndSet(String variable) {
            return sendAndSet(variable, "id");
        }

        @CanIgnoreReturnValue
        ApiResponse sendAndSet(String variable, String field) {
            var apiResponse = send();
            assertThat(apiResponse.text(field)).as("%s", apiResponse.body()).isNotEmpty();
            set(variable, apiResponse.text(field));
            return apiResponse;
        }

        /** Opens a stream, lets the action run, and records the events up to the one of the type. */
        void stream(String lastType, Runnable action) {
            calls.merge(operationId, 1, Integer::sum);
            var recorded = Json.array();
            Consumer<JsonNode> add = recorded::add;
            try (var events = filled(call).stream()) {
                var event = events.next();
                add.accept(event);
                action.run();
                while (!event.path("event").asText().equals(lastType)) {
                    event = events.next();
                    add.accept(event);
                }
            }
            record("stream " + operationId + " as " + caller + detail, recorded);
        }

        private void write(ApiResponse apiResponse) {
            chapter.append("### ")
                    .append(operationId)
                    .append(" as ")
                    .append(caller)
                    .append(mask.text(detail))
                    .append('\n');
            chapter.append("HTTP ").append(apiResponse.status()).append('\n');
            for (var header : HEADERS) {
                apiResponse.headers().firstValue(header).ifPresent(value -> chapter.append(header)
                        .append(": ")
                        .append(mask.text(value))
                        .append('\n'));
            }
            chapter.append(mask.json(apiResponse.body()).toPrettyString()).append("\n\n");
        }

        private String substituted(String text) {
            var result = text;
            for (var variable : variables.entrySet()) {
                result = result.replace("$" + variable.getKey() + "$", variable.getValue());
            }
            return result;
        }
    }
}

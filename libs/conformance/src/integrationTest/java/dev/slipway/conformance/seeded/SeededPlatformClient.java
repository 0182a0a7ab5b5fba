package dev.slipway.conformance.seeded;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Platform client of the seeded adapter: tokens, desired state and reports. */
final class SeededPlatformClient {
    private static final int EXCHANGES_MAX = 100;

    private final SeededBug bug;
    private final Map<String, String> env;
    private final String secret;
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final KafkaProducer<String, byte[]> producer;
    private final Map<String, String> cachedTokens = new ConcurrentHashMap<>();
    private final Map<String, JsonNode> tasks = new ConcurrentHashMap<>();
    private final String startedAt = Instant.now().toString();

    SeededPlatformClient(SeededBug bug, Map<String, String> env) throws IOException {
        this.bug = bug;
        this.env = env;
        this.secret = Files.readString(Path.of(env.get("SLIPWAY_ADAPTER_SECRET_FILE")))
                .strip();
        this.producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", env.get("SLIPWAY_KAFKA_BOOTSTRAP")),
                new StringSerializer(),
                new ByteArraySerializer());
    }

    void close() {
        producer.close(Duration.ofSeconds(5));
    }

    /** Returns the id of the instance or shared runtime. */
    static String subject(JsonNode payload) {
        return payload.path("app_instance_id")
                .asText(payload.path("shared_runtime_id").asText());
    }

    String topic(String name) {
        return env.get("SLIPWAY_TOPIC_PREFIX") + name;
    }

    /** Sends a report. Terminal reports have a stable id; others get a new one. */
    void report(Envelope command, String type, boolean ends, ObjectNode detail) throws Exception {
        var task = command.payload();
        tasks.put(subject(task), task);
        var about = bug == SeededBug.REPORTS_FOR_ANOTHER_INSTANCE
                ? tasks.values().iterator().next()
                : task;
        var payload = Json.object();
        for (var field : List.of("org_id", "project_id", "app_instance_id", "shared_runtime_id")) {
            if (about.has(field)) {
                payload.set(field, about.get(field));
            }
        }
        payload.put("command_id", command.eventId().toString());
        List.of("generation", "operation_id").forEach(field -> payload.set(field, task.get(field)));
        if (bug == SeededBug.WRONG_OPERATION_ID) {
            payload.put("operation_id", Ids.next().toString());
        }
        payload.setAll(detail);
        var id =
                ends ? UUID.nameUUIDFromBytes((command.eventId() + type).getBytes(StandardCharsets.UTF_8)) : Ids.next();
        var key = subject(payload);
        var token = token(command);
        if (bug == SeededBug.STORES_A_TOKEN) {
            Files.writeString(Path.of(env.get("SLIPWAY_ADAPTER_DATA_DIR")).resolve("token"), token);
        }
        if (!token.isEmpty()) {
            send(
                    key,
                    new Envelope(id, "runtime.report." + type, Instant.now(), 1, command.correlationId(), payload),
                    token);
        }
    }

    void heartbeat() throws Exception {
        var payload = Json.object()
                .put("adapter_id", env.get("SLIPWAY_ADAPTER_ID"))
                .put("runtime_backend", "bare_metal")
                .put(
                        "started_at",
                        bug == SeededBug.WRONG_START_TIME ? Instant.now().toString() : startedAt);
        send(
                env.get("SLIPWAY_ADAPTER_ID"),
                new Envelope(Ids.next(), "runtime.report.heartbeat", Instant.now(), 1, "heartbeat", payload),
                exchange("adapter-token", Json.object()));
    }

    /** Reads all pages of the desired state. */
    List<JsonNode> desired() throws Exception {
        var items = new ArrayList<>(desired("desired-state"));
        if (bug != SeededBug.DELETES_SHARED_RUNTIMES) {
            items.addAll(desired("desired-shared-runtimes"));
        }
        return items;
    }

    private List<JsonNode> desired(String endpoint) throws Exception {
        var items = new ArrayList<JsonNode>();
        var token = exchange("adapter-token", Json.object());
        var cursor = "";
        do {
            var request = HttpRequest.newBuilder(
                            uri("/api/v1/runtime/" + endpoint + (cursor.isEmpty() ? "" : "?cursor=" + cursor)))
                    .header("authorization", "Bearer " + token)
                    .build();
            var page = Json.parse(http.send(request, BodyHandlers.ofByteArray()).body());
            page.path("items").forEach(items::add);
            cursor = page.path("next_cursor").asText("");
        } while (!cursor.isEmpty() && !cursor.equals("null"));
        return items;
    }

    private String token(Envelope command) throws Exception {
        var task = Json.object().put("command_id", command.eventId().toString());
        for (var field : List.of("app_instance_id", "shared_runtime_id")) {
            if (command.payload().has(field)) {
                task.set(field, command.payload().get(field));
            }
        }
        if (task.has("shared_runtime_id")) {
            task.set("org_id", command.payload().get("org_id"));
        }
        if (bug != SeededBug.REUSES_A_TOKEN && bug != SeededBug.EXPIRED_TOKEN) {
            return exchange("operator-token", task);
        }
        var key = bug == SeededBug.REUSES_A_TOKEN ? "any" : command.eventId().toString();
        if (!cachedTokens.containsKey(key)) {
            cachedTokens.put(key, exchange("operator-token", task));
        }
        return cachedTokens.get(key);
    }

    private String exchange(String endpoint, ObjectNode task) throws Exception {
        var body = task.put("adapter_id", env.get("SLIPWAY_ADAPTER_ID")).put("adapter_secret", secret);
        for (var i = 0; i < (bug == SeededBug.NO_TOKEN_RETRY ? 1 : EXCHANGES_MAX); i++) {
            var response = http.send(
                    HttpRequest.newBuilder(uri("/api/v1/auth/" + endpoint))
                            .header("content-type", "application/json")
                            .POST(BodyPublishers.ofByteArray(Json.bytes(body)))
                            .build(),
                    BodyHandlers.ofByteArray());
            if (response.statusCode() == 200) {
                return Json.parse(response.body()).path("access_token").asText();
            }
            if ((response.statusCode() == 409 && bug == SeededBug.DROPS_REPORTS_ON_409)
                    || (response.statusCode() == 503 && bug == SeededBug.DROPS_REPORTS_ON_503)) {
                return "";
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
        }
        throw new IOException("no token for " + task);
    }

    private void send(String key, Envelope report, String token) throws Exception {
        var sent = new ProducerRecord<>(topic("runtime.reports"), key, report.toBytes());
        sent.headers().add("authorization", ("Bearer " + token).getBytes(StandardCharsets.UTF_8));
        var ignored = producer.send(sent).get(30, TimeUnit.SECONDS);
    }

    private URI uri(String path) {
        return URI.create(env.get("SLIPWAY_BASE_URL") + path);
    }
}

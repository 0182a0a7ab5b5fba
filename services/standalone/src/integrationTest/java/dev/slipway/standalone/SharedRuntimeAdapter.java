package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An adapter that executes the commands on shared runtimes at once, on the real broker and with real operator tokens. While it holds, it accepts
 * worker commands and declared operations without ending them.
 */
final class SharedRuntimeAdapter implements AutoCloseable {
    private static final long TOKEN_TIMEOUT_NS = 60_000_000_000L;
    private static final long TOKEN_RETRY_NS = 50_000_000L;

    private final PlatformUnderTest platform;
    private final Thread thread = new Thread(this::run, "shared-runtime-adapter");
    private final List<JsonNode> held = new ArrayList<>();
    private final KafkaProducer<String, byte[]> producer;
    private final List<Throwable> failures = new CopyOnWriteArrayList<>();
    private volatile boolean holding;
    private volatile boolean failing;
    private volatile boolean closed;

    private SharedRuntimeAdapter(PlatformUnderTest platform) {
        this.platform = platform;
        this.producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", platform.kafkaBootstrap()),
                new StringSerializer(),
                new ByteArraySerializer());
    }

    static SharedRuntimeAdapter start(PlatformUnderTest platform) {
        var adapter = new SharedRuntimeAdapter(platform);
        adapter.thread.setDaemon(true);
        adapter.thread.start();
        return adapter;
    }

    void hold() {
        holding = true;
    }

    /** Makes deployments fail. */
    void fail(boolean whether) {
        failing = whether;
    }

    /** Executes the held commands. */
    void release() {
        List<JsonNode> commands;
        synchronized (held) {
            holding = false;
            commands = List.copyOf(held);
            held.clear();
        }
        commands.forEach(this::execute);
    }

    @Override
    public void close() throws InterruptedException {
        closed = true;
        thread.join(10_000);
        producer.close();
        assertThat(failures).isEmpty();
    }

    private void run() {
        try (var consumer = new KafkaConsumer<>(
                Map.<String, Object>of(
                        "bootstrap.servers",
                        platform.kafkaBootstrap(),
                        "group.id",
                        platform.topicPrefix() + "shared-runtime-adapter",
                        "auto.offset.reset",
                        "earliest"),
                new StringDeserializer(),
                new ByteArrayDeserializer())) {
            consumer.subscribe(List.of(platform.topicPrefix() + "runtime.commands.bare_metal"));
            while (!closed) {
                for (var record : consumer.poll(Duration.ofMillis(50))) {
                    try {
                        onRecord(record);
                    } catch (RuntimeException | AssertionError e) {
                        failures.add(e);
                    }
                }
            }
        }
    }

    private void onRecord(ConsumerRecord<String, byte[]> record) {
        var command = Json.parseTrusted(record.value());
        if (!command.path("payload").has("shared_runtime_id")) {
            return;
        }
        var type = command.path("event_type").asText();
        if (holding && (type.endsWith(".member") || type.endsWith(".operate"))) {
            report(command, "accepted", Json.object());
            synchronized (held) {
                if (holding) { // it may have been released meanwhile
                    held.add(command);
                    return;
                }
            }
        }
        execute(command);
    }

    private void execute(JsonNode command) {
        var payload = command.path("payload");
        switch (command.path("event_type").asText()) {
            case "runtime.command.deploy" -> {
                if (failing) {
                    report(command, "failed", Json.object().put("reason", "failure requested"));
                    return;
                }
                reportMembers(command, payload.path("members"), "ready");
                report(command, "running", endpoints(payload));
            }
            case "runtime.command.upgrade", "runtime.command.rollback" ->
                report(command, "operation", endpoints(payload).put("status", "succeeded"));
            case "runtime.command.member" -> {
                var state =
                        switch (payload.path("operation").asText()) {
                            case "remove", "replace" -> "removed";
                            case "drain" -> "draining";
                            default -> "ready";
                        };
                reportMembers(command, Json.array().add(payload.path("member")), state);
                if (payload.has("replacement")) {
                    reportMembers(command, Json.array().add(payload.path("replacement")), "ready");
                }
                report(command, "operation", Json.object().put("status", "succeeded"));
            }
            case "runtime.command.operate" -> {
                var result = Json.object().put("status", "succeeded");
                result.set("output", payload.path("input"));
                report(command, "operation", result);
            }
            case "runtime.command.delete" -> report(command, "deleted", Json.object());
            case "runtime.command.cancel" -> {
                var canceled = payload.path("canceled_command_id").asText();
                synchronized (held) {
                    held.removeIf(each -> each.path("event_id").asText().equals(canceled));
                }
                report(
                        command,
                        "operation",
                        Json.object().put("status", "canceled").put("reason", "canceled by the test's adapter"));
            }
            default -> throw new AssertionError(command.toString());
        }
    }

    private static ObjectNode endpoints(JsonNode payload) {
        var body = Json.object();
        body.putArray("endpoints")
                .addObject()
                .put("name", "http")
                .put(
                        "url",
                        "http://shared.invalid/"
                                + payload.path("shared_runtime_id").asText());
        return body;
    }

    private void reportMembers(JsonNode command, JsonNode members, String state) {
        if (members.isEmpty()) {
            return;
        }
        var body = Json.object();
        var states = body.putArray("members");
        members.forEach(member -> states.addObject()
                .put("member_id", member.path("member_id").asText())
                .put("generation", member.path("generation").asInt())
                .put("state", state));
        report(command, "members", body);
    }

    /** Reports usage of the runtime that a command is about, with further fields such as {@code project_id}. */
    void reportUsage(JsonNode command, String quantity, ObjectNode attribution) {
        var now = Instant.now();
        report(
                command,
                "usage",
                attribution
                        .put("usage_id", Ids.next().toString())
                        .put("unit", "app_runtime_hour")
                        .put("quantity", quantity)
                        .put("window_start", now.minusMillis(20).toString())
                        .put("window_end", now.toString()));
    }

    private void report(JsonNode command, String type, ObjectNode body) {
        var payload = command.path("payload");
        var runtime = payload.path("shared_runtime_id").asText();
        body.put("org_id", payload.path("org_id").asText())
                .put("shared_runtime_id", runtime)
                .put("command_id", command.path("event_id").asText())
                .put("generation", payload.path("generation").asInt())
                .put("operation_id", payload.path("operation_id").asText());
        if (type.equals("usage")) {
            body.remove("operation_id");
        }
        var event = new Envelope(
                Ids.next(),
                "runtime.report." + type,
                Instant.now(),
                1,
                command.path("correlation_id").asText(),
                body);
        var record = new ProducerRecord<>(platform.topicPrefix() + "runtime.reports", runtime, event.toBytes());
        record.headers().add("authorization", ("Bearer " + token(command)).getBytes(StandardCharsets.UTF_8));
        var unused = producer.send(record);
    }

    /** Requests a token until IAM knows the operator and the command: their events may arrive there after the command arrived here. */
    String token(JsonNode command) {
        var request = Json.object()
                .put("adapter_id", DemoData.ADAPTER.toString())
                .put("adapter_secret", PlatformUnderTest.ADAPTER_SECRET)
                .put("org_id", command.at("/payload/org_id").asText())
                .put(
                        "shared_runtime_id",
                        command.at("/payload/shared_runtime_id").asText())
                .put("command_id", command.path("event_id").asText());
        var end = System.nanoTime() + TOKEN_TIMEOUT_NS;
        var response =
                platform.anonymous().call("exchangeOperatorToken").body(request).send();
        while (response.text("code").equals("task_unknown") && System.nanoTime() < end) {
            LockSupport.parkNanos(TOKEN_RETRY_NS);
            response = platform.anonymous()
                    .call("exchangeOperatorToken")
                    .body(request)
                    .send();
        }
        return response.expect(200).text("access_token");
    }
}

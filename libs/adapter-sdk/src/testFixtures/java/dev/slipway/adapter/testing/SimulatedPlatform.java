package dev.slipway.adapter.testing;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.adapter.AdapterConfig;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.EventSchemas;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.testkit.Eventually;
import dev.slipway.testkit.TestInfrastructure;
import io.vertx.core.Vertx;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Simulates the platform on a real broker: sends commands and collects reports. Checks the schema, key and token of every report on
 * arrival.
 */
public final class SimulatedPlatform implements AutoCloseable {
    static final String SECRET = "s3cret-of-the-adapter";
    /** The trace id of every command. */
    public static final String TRACE_ID = "0af7651916cd43dd8448eb211c80319c";

    private static final long TIMEOUT_SECONDS = 60;

    private final Vertx vertx = Vertx.vertx();
    private final String broker = TestInfrastructure.shared().kafkaBootstrap();
    private final Path home;
    private final String backend;
    private final String prefix = "t" + Ids.next() + ".";
    private final SimulatedPlatformApi api;
    private final KafkaProducer<String, byte[]> producer;
    private final List<Report> reports = new CopyOnWriteArrayList<>();
    private final List<String> faults = new CopyOnWriteArrayList<>();
    private final EventSchemas schemas = EventSchemas.load();
    private final Thread reader = new Thread(this::read, "reports");
    private volatile boolean closed;

    /** A report received from the broker. */
    public record Report(Envelope event, Map<String, String> headers) {
        public String type() {
            return event.eventType().substring("runtime.report.".length());
        }

        /** Returns null for a heartbeat. */
        public @Nullable UUID instance() {
            var id = event.payload().path("app_instance_id");
            return id.isMissingNode() ? null : UUID.fromString(id.asText());
        }

        public boolean isAbout(Envelope command) {
            return text("command_id").equals(command.eventId().toString());
        }

        public String text(String field) {
            return event.payload().path(field).asText();
        }
    }

    public SimulatedPlatform(Path home, String backend) throws Exception {
        this.home = home;
        this.backend = backend;
        this.api = new SimulatedPlatformApi(vertx);
        var bootstrap = Map.<String, Object>of("bootstrap.servers", broker);
        try (var admin = Admin.create(bootstrap)) {
            admin.createTopics(List.of(
                            new NewTopic(prefix + "runtime.commands." + backend, 2, (short) 1),
                            new NewTopic(prefix + "runtime.reports", 1, (short) 1)))
                    .all()
                    .get(30, TimeUnit.SECONDS);
        }
        producer = new KafkaProducer<>(bootstrap, new StringSerializer(), new ByteArraySerializer());
        Files.writeString(home.resolve("adapter-secret"), SECRET + "\n");
        reader.start();
    }

    /** Creates a configuration with a short heartbeat interval, so that tests do not wait long. */
    public AdapterConfig adapterConfig(Path journal, int maxConcurrent) {
        return new AdapterConfig(
                URI.create(api.baseUrl()),
                broker,
                prefix,
                Map.of(),
                UUID.nameUUIDFromBytes(prefix.getBytes(StandardCharsets.UTF_8)),
                home.resolve("adapter-secret"),
                journal,
                maxConcurrent,
                Duration.ofSeconds(1),
                true);
    }

    public SimulatedPlatformApi api() {
        return api;
    }

    public Envelope deploy(UUID instance, ObjectNode manifest, ObjectNode config) {
        var payload = payload(instance);
        payload.set("manifest", manifest);
        payload.set("config", config);
        return command("runtime.command.deploy", payload);
    }

    public Envelope delete(UUID instance) {
        return command("runtime.command.delete", payload(instance));
    }

    /** Creates an upgrade or a rollback. */
    public Envelope upgrade(
            String kind, UUID instance, String from, String to, ObjectNode manifest, ObjectNode config) {
        var payload = operation(instance).put("from_version", from).put("app_version", to);
        payload.set("manifest", manifest);
        payload.set("config", config);
        return command("runtime.command." + kind, payload);
    }

    public Envelope member(UUID instance, String operation, ObjectNode member) {
        var payload = operation(instance).put("operation", operation);
        payload.set("member", member);
        return command("runtime.command.member", payload);
    }

    public Envelope operate(UUID instance, String operation, ObjectNode input) {
        var payload = operation(instance).put("operation", operation);
        payload.set("input", input);
        return command("runtime.command.operate", payload);
    }

    public Envelope cancel(Envelope command) {
        var payload = operation(
                UUID.fromString(command.payload().path("app_instance_id").asText()));
        payload.put("operation_id", command.payload().path("operation_id").asText());
        payload.put("canceled_command_id", command.eventId().toString());
        return command("runtime.command.cancel", payload);
    }

    public static ObjectNode newMember(String component) {
        return Json.object()
                .put("member_id", Ids.next().toString())
                .put("component", component)
                .put("generation", 1);
    }

    /** Creates the desired-state item of an instance that this command launched; {@code desired} is {@code running} or {@code deleted}. */
    public static ObjectNode desiredStateItem(Envelope command, String desired, String status) {
        var item = command.payload().deepCopy();
        item.remove(List.of("operation_id", "attempt", "deadline_at", "from_version", "runtime_backend"));
        item.put("desired", desired)
                .put("status", status)
                .put("command_id", command.eventId().toString());
        item.putArray("open_commands");
        return item;
    }

    public void send(Envelope command) throws Exception {
        var key = command.payload().path("app_instance_id").asText();
        send(key, command.toBytes());
    }

    public void send(String key, byte[] value) throws Exception {
        var command = new ProducerRecord<>(prefix + "runtime.commands." + backend, key, value);
        command.headers()
                .add("traceparent", ("00-" + TRACE_ID + "-b7ad6b7169203331-01").getBytes(StandardCharsets.UTF_8));
        producer.send(command).get(30, TimeUnit.SECONDS);
    }

    public List<Report> reports(UUID instance) {
        return reports.stream().filter(r -> instance.equals(r.instance())).toList();
    }

    public List<Report> heartbeats() {
        return reports.stream().filter(r -> r.type().equals("heartbeat")).toList();
    }

    @CanIgnoreReturnValue
    public Report awaitReport(UUID instance, String type) {
        return awaitReport(r -> instance.equals(r.instance()) && r.type().equals(type));
    }

    @CanIgnoreReturnValue
    public Report awaitReport(Predicate<Report> condition) {
        return Eventually.eventuallyGet(() -> {
            requireNoFaults();
            return reports.stream()
                    .filter(condition)
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("no matching report among " + reports));
        });
    }

    @Override
    public void close() throws Exception {
        closed = true;
        reader.join(TimeUnit.SECONDS.toMillis(TIMEOUT_SECONDS));
        producer.close();
        vertx.close().toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
        requireNoFaults();
    }

    private void requireNoFaults() {
        if (!faults.isEmpty()) {
            throw new AssertionError(String.join("; ", faults));
        }
    }

    private void read() {
        var settings = Map.<String, Object>of("bootstrap.servers", broker);
        try (var consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new ByteArrayDeserializer())) {
            var partition = List.of(new TopicPartition(prefix + "runtime.reports", 0));
            consumer.assign(partition);
            consumer.seekToBeginning(partition);
            while (!closed) {
                for (var record : consumer.poll(Duration.ofMillis(100))) {
                    var headers = new HashMap<String, String>();
                    record.headers().forEach(h -> headers.put(h.key(), new String(h.value(), StandardCharsets.UTF_8)));
                    recordReport(record.key(), record.value(), headers);
                }
            }
        } catch (RuntimeException e) {
            faults.add("the reports cannot be read: " + e);
        }
    }

    private void recordReport(String key, byte[] value, Map<String, String> headers) {
        try {
            schemas.validate(Json.parse(value))
                    .forEach(problem -> faults.add("a report is not as the contract says: " + problem));
        } catch (IOException e) {
            faults.add("a report is not JSON: " + e);
        }
        var report = new Report(Envelope.fromBytes(value), Map.copyOf(headers));
        var isHeartbeat = report.type().equals("heartbeat");
        if (!key.equals(report.text(isHeartbeat ? "adapter_id" : "app_instance_id"))) {
            faults.add("unexpected key of a report: " + key);
        }
        var token = isHeartbeat
                ? SimulatedPlatformApi.adapterTokenValue(key)
                : SimulatedPlatformApi.token(report.text("app_instance_id"), report.text("command_id"));
        if (!("Bearer " + token).equals(headers.get("authorization"))) {
            faults.add("report without the token of its command: " + report.type());
        }
        reports.add(report);
    }

    private ObjectNode operation(UUID instance) {
        return payload(instance).put("operation_id", Ids.next().toString());
    }

    private ObjectNode payload(UUID instance) {
        return Json.object()
                .put("org_id", Ids.next().toString())
                .put("project_id", Ids.next().toString())
                .put("app_slug", "sample")
                .put("app_instance_id", instance.toString())
                .put("generation", 1)
                .put("runtime_backend", backend)
                .put("app_version", "1.0.0")
                .put("resource_name", "slipway:local:o:p:app_instance:" + instance)
                .put("operator_service_account_id", Ids.next().toString());
    }

    private static Envelope command(String type, ObjectNode payload) {
        return new Envelope(Ids.next(), type, Instant.now(), 1, "corr-" + Ids.next(), payload);
    }
}

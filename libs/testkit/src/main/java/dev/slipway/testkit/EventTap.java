package dev.slipway.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.slipway.contract.EventSchemas;
import dev.slipway.contract.Json;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** Reads every record of every topic of one platform, and validates each against its schema. */
public final class EventTap implements AutoCloseable {
    private static final EventSchemas SCHEMAS = EventSchemas.load();

    private final KafkaConsumer<String, byte[]> consumer;
    private final Thread thread;
    private final List<ObservedRecord> records = new CopyOnWriteArrayList<>();
    private final List<String> violations = new CopyOnWriteArrayList<>();

    /** A record; the topic has no prefix, and the event is missing if the record is a tombstone. */
    public record ObservedRecord(String topic, String key, JsonNode event, Map<String, String> headers) {
        public String type() {
            return event.path("event_type").asText();
        }

        public JsonNode payload() {
            return event.path("payload");
        }
    }

    public EventTap(String bootstrap, String topicPrefix) {
        this(bootstrap, topicPrefix, Map.of(), null);
    }

    /** Reads from a broker with authentication; the settings are those of a principal that can read every topic. */
    public EventTap(String bootstrap, Map<String, String> client) {
        this(bootstrap, "", client, null);
    }

    /** Passes records to the listener on a separate thread instead of storing them, for more records than fit into memory. */
    public EventTap(
            String bootstrap,
            String topicPrefix,
            Map<String, String> client,
            @Nullable Consumer<ObservedRecord> listener) {
        Consumer<ObservedRecord> told = listener == null ? records::add : listener;
        var settings = new HashMap<String, Object>(client);
        settings.putAll(Map.of(
                "bootstrap.servers", bootstrap,
                "group.id", topicPrefix + "operator.tap-" + System.nanoTime(),
                "auto.offset.reset", "earliest",
                "metadata.max.age.ms", "3000", // it asks for all topics of all tests
                "metric.reporters", "", // nobody looks at the metrics of some sixty partitions
                "enable.auto.commit", "false"));
        consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new ByteArrayDeserializer());
        consumer.subscribe(Pattern.compile(Pattern.quote(topicPrefix) + ".*"));
        thread = new Thread(() -> pollUntilClosed(topicPrefix, told), "event-tap");
        thread.setDaemon(true);
        thread.start();
    }

    public List<ObservedRecord> find(Predicate<ObservedRecord> condition) {
        return records.stream().filter(condition).toList();
    }

    /** Returns the schema violations and dead letters seen so far. */
    public List<String> violations() {
        return List.copyOf(violations);
    }

    private void pollUntilClosed(String prefix, Consumer<ObservedRecord> told) {
        try (consumer) {
            while (!Thread.currentThread().isInterrupted()) {
                for (var record : consumer.poll(Duration.ofMillis(100))) {
                    var topic = record.topic().substring(prefix.length());
                    if (topic.endsWith(".dlq")) {
                        violations.add("dead letter on " + topic + ": " + record.headers());
                        continue;
                    }
                    var event = record.value() == null ? MissingNode.getInstance() : Json.parseTrusted(record.value());
                    if (!event.isMissingNode()) {
                        SCHEMAS.validate(event).forEach(p -> violations.add(topic + " " + event + ": " + p));
                    }
                    var headers = new HashMap<String, String>();
                    record.headers().forEach(h -> headers.put(h.key(), new String(h.value(), StandardCharsets.UTF_8)));
                    told.accept(new ObservedRecord(topic, String.valueOf(record.key()), event, headers));
                }
            }
        } catch (WakeupException e) {
            // close() was called.
        }
    }

    @Override
    public void close() {
        consumer.wakeup();
        thread.interrupt();
    }
}

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

/** Sees every record on every topic of one platform, and holds each against its schema. */
public final class EventTap implements AutoCloseable {
    private static final EventSchemas SCHEMAS = EventSchemas.load();

    private final KafkaConsumer<String, byte[]> consumer;
    private final Thread thread;
    private final List<Seen> seen = new CopyOnWriteArrayList<>();
    private final List<String> faults = new CopyOnWriteArrayList<>();

    /** A record that was seen; the topic is without prefix, and the event is missing where the record is a tombstone. */
    public record Seen(String topic, String key, JsonNode event, Map<String, String> headers) {
        public String type() {
            return event.path("event_type").asText();
        }

        public JsonNode payload() {
            return event.path("payload");
        }
    }

    public EventTap(String bootstrap, String topicPrefix) {
        this(bootstrap, topicPrefix, null);
    }

    /** One that keeps nothing and tells the listener instead, on a thread of its own: for more records than there is memory for. */
    public EventTap(String bootstrap, String topicPrefix, @Nullable Consumer<Seen> listener) {
        Consumer<Seen> told = listener == null ? seen::add : listener;
        consumer = new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers", bootstrap,
                        "group.id", topicPrefix + "tap-" + System.nanoTime(),
                        "auto.offset.reset", "earliest",
                        "metadata.max.age.ms", "3000", // it asks for all topics of all tests
                        "enable.auto.commit", "false"),
                new StringDeserializer(),
                new ByteArrayDeserializer());
        consumer.subscribe(Pattern.compile(Pattern.quote(topicPrefix) + ".*"));
        thread = new Thread(() -> follow(topicPrefix, told), "event-tap");
        thread.setDaemon(true);
        thread.start();
    }

    public List<Seen> where(Predicate<Seen> condition) {
        return seen.stream().filter(condition).toList();
    }

    /** What is wrong with any record that was seen. */
    public List<String> faults() {
        return List.copyOf(faults);
    }

    private void follow(String prefix, Consumer<Seen> told) {
        try (consumer) {
            while (!Thread.currentThread().isInterrupted()) {
                for (var record : consumer.poll(Duration.ofMillis(100))) {
                    var topic = record.topic().substring(prefix.length());
                    if (topic.endsWith(".dlq")) {
                        faults.add("dead letter on " + topic + ": " + record.headers());
                        continue;
                    }
                    var event = record.value() == null ? MissingNode.getInstance() : Json.node(record.value());
                    if (!event.isMissingNode()) {
                        SCHEMAS.check(event).forEach(p -> faults.add(topic + " " + event + ": " + p));
                    }
                    var headers = new HashMap<String, String>();
                    record.headers().forEach(h -> headers.put(h.key(), new String(h.value(), StandardCharsets.UTF_8)));
                    told.accept(new Seen(topic, String.valueOf(record.key()), event, headers));
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

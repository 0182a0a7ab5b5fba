package dev.slipway.messaging;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;

/** Lists the records that could not be applied, and sends mended ones back to where they came from. For tools: it blocks. */
public final class DeadLetters {
    static final String REASON = "slipway-dead-letter-reason";
    static final String CONSUMER = "slipway-dead-letter-consumer";
    static final String TOPIC = "slipway-dead-letter-topic";
    static final String POSITION = "slipway-dead-letter-position";

    private final KafkaSettings kafka;

    /** One dead letter; {@code position} names it within its dead-letter topic. */
    public record Letter(
            String topic,
            String position,
            Instant at,
            @Nullable String key,
            String consumer,
            String reason) {}

    /** The letters cannot be read or sent; the message says why, to a person. */
    public static final class DeadLettersException extends RuntimeException {
        DeadLettersException(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    public DeadLetters(KafkaSettings kafka) {
        this.kafka = kafka;
    }

    public List<Letter> list(String topic) {
        return read(topic).stream().map(this::letter).toList();
    }

    /**
     * Sends one letter back to its topic; false when there is none at the position. Consumers that applied it already know its event id
     * and pass over it.
     */
    public boolean replay(String topic, String position) {
        var found =
                read(topic).stream().filter(r -> position(r).equals(position)).findFirst();
        if (found.isEmpty()) {
            return false;
        }
        var record = found.get();
        var back = new ProducerRecord<>(kafka.topic(topic), null, record.key(), record.value());
        record.headers().forEach(h -> {
            if (!h.key().startsWith("slipway-dead-letter")) {
                back.headers().add(h);
            }
        });
        try (var producer = new KafkaProducer<String, byte[]>(kafka.relayProducer())) {
            return producer.send(back).get().offset() >= 0;
        } catch (ExecutionException | KafkaException e) {
            throw new DeadLettersException("the broker did not take it: " + reason(e), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DeadLettersException("interrupted", e);
        }
    }

    private List<ConsumerRecord<String, byte[]>> read(String topic) {
        Map<String, Object> config = new HashMap<>(kafka.consumer());
        try (var consumer = new KafkaConsumer<String, byte[]>(config)) {
            var name = kafka.topic(Topics.deadLetters(topic));
            var partitions = consumer.partitionsFor(name).stream()
                    .map(p -> new TopicPartition(name, p.partition()))
                    .collect(Collectors.toSet());
            if (partitions.isEmpty()) {
                throw new DeadLettersException("there is no topic " + name, null);
            }
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            var ends = consumer.endOffsets(partitions);
            var all = new ArrayList<ConsumerRecord<String, byte[]>>();
            while (ends.entrySet().stream().anyMatch(e -> consumer.position(e.getKey()) < e.getValue())) {
                consumer.poll(Duration.ofMillis(200)).forEach(all::add);
            }
            return all;
        } catch (KafkaException e) {
            throw new DeadLettersException("the broker at " + kafka.bootstrap() + " does not answer: " + reason(e), e);
        }
    }

    private static String reason(Throwable failure) {
        var cause = failure.getCause() == null ? failure : failure.getCause();
        return String.valueOf(cause.getMessage());
    }

    private Letter letter(ConsumerRecord<String, byte[]> record) {
        return new Letter(
                header(record.headers(), TOPIC),
                position(record),
                Instant.ofEpochMilli(record.timestamp()),
                record.key(),
                header(record.headers(), CONSUMER),
                header(record.headers(), REASON));
    }

    private static String position(ConsumerRecord<String, byte[]> record) {
        return record.partition() + "/" + record.offset();
    }

    private static String header(Headers headers, String name) {
        var header = headers.lastHeader(name);
        return header == null ? "" : new String(header.value(), StandardCharsets.UTF_8);
    }
}

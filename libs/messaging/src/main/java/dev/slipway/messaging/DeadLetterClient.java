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

/** Lists dead letters and replays them to their topics. Blocks; intended for command-line tools. */
public final class DeadLetterClient {
    static final String REASON = "slipway-dead-letter-reason";
    static final String CONSUMER = "slipway-dead-letter-consumer";
    static final String TOPIC = "slipway-dead-letter-topic";
    static final String POSITION = "slipway-dead-letter-position";

    private final KafkaSettings kafka;

    /** A dead letter, identified by its {@code position} in the dead-letter topic. */
    public record DeadLetter(
            String topic,
            String position,
            Instant at,
            @Nullable String key,
            String consumer,
            String reason) {}

    /** Dead letters cannot be read or replayed. The message is shown to the user. */
    public static final class DeadLetterException extends RuntimeException {
        DeadLetterException(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    public DeadLetterClient(KafkaSettings kafka) {
        this.kafka = kafka;
    }

    public List<DeadLetter> list(String topic) {
        return read(topic).stream().map(this::toDeadLetter).toList();
    }

    /**
     * Sends a dead letter to its original topic. Returns false if the position does not exist. Consumers that have already applied the event
     * ignore it.
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
            throw new DeadLetterException("the broker did not accept the record: " + reason(e), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DeadLetterException("interrupted while sending the record", e);
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
                throw new DeadLetterException("topic " + name + " does not exist", null);
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
            throw new DeadLetterException("the broker at " + kafka.bootstrap() + " does not answer: " + reason(e), e);
        }
    }

    private static String reason(Throwable failure) {
        var cause = failure.getCause() == null ? failure : failure.getCause();
        return String.valueOf(cause.getMessage());
    }

    private DeadLetter toDeadLetter(ConsumerRecord<String, byte[]> record) {
        return new DeadLetter(
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

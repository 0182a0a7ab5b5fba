package dev.slipway.messaging;

import dev.slipway.contract.Envelope;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/** A record that came in. The topic is without prefix; {@code appendedAt} is the broker's time where the topic says so. */
public record Incoming(
        String topic,
        int partition,
        long offset,
        Instant appendedAt,
        @Nullable String key,
        byte[] value,
        Map<String, String> headers) {

    static Incoming of(ConsumerRecord<String, byte[]> record, KafkaSettings kafka) {
        var headers = new HashMap<String, String>();
        record.headers().forEach(h -> headers.put(h.key(), new String(h.value(), StandardCharsets.UTF_8)));
        return new Incoming(
                record.topic().substring(kafka.topicPrefix().length()),
                record.partition(),
                record.offset(),
                Instant.ofEpochMilli(record.timestamp()),
                record.key(),
                record.value() == null ? new byte[0] : record.value(),
                headers);
    }

    public Envelope envelope() {
        return Envelope.fromBytes(value);
    }

    @Override
    public String toString() {
        return "Incoming[" + topic + ", " + partition + "/" + offset + "]"; // a report's token is among the headers
    }
}

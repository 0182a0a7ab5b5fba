package dev.slipway.messaging;

import dev.slipway.contract.Envelope;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/** A record read from Kafka. The topic has no prefix; {@code appendedAt} is the broker's time on topics with LogAppendTime. */
public record ReceivedRecord(
        String topic,
        int partition,
        long offset,
        Instant appendedAt,
        @Nullable String key,
        byte[] value,
        Map<String, String> headers) {

    static ReceivedRecord of(ConsumerRecord<String, byte[]> record, KafkaSettings kafka) {
        var headers = new HashMap<String, String>();
        record.headers().forEach(h -> {
            if (h.value() != null) { // allowed by Kafka
                headers.put(h.key(), new String(h.value(), StandardCharsets.UTF_8));
            }
        });
        return new ReceivedRecord(
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
        return "ReceivedRecord[" + topic + ", " + partition + "/" + offset + "]"; // headers can contain a token
    }
}

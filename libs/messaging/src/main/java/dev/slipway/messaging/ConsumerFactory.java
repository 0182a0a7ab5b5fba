package dev.slipway.messaging;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/** Creates consumers on a worker thread, because a consumer resolves the broker addresses when it is created. */
final class ConsumerFactory {
    private ConsumerFactory() {}

    /** Creates a consumer that calls back on the current context. */
    static Future<io.vertx.kafka.client.consumer.KafkaConsumer<String, byte[]>> create(
            Vertx vertx, Map<String, String> config) {
        return vertx.executeBlocking(
                () -> io.vertx.kafka.client.consumer.KafkaConsumer.create(vertx, new LongPollingConsumer(config)),
                false);
    }

    /**
     * Lets the broker delay empty fetches, so that an idle consumer costs little; data is returned at once. A partition that is assigned
     * while a fetch waits is fetched after it, so a process that takes over the work of another must not let it wait for long. Closing does
     * not wait for the answer to a pending fetch.
     */
    private static final class LongPollingConsumer extends KafkaConsumer<String, byte[]> {
        private static final int FETCH_MAX_WAIT_MS = 5_000;
        private static final Duration CLOSE_TIMEOUT = Duration.ofMillis(500);

        LongPollingConsumer(Map<String, String> config) {
            super(withLongPolling(config));
        }

        private static Map<String, Object> withLongPolling(Map<String, String> config) {
            var settings = new HashMap<String, Object>(config);
            settings.putIfAbsent(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, FETCH_MAX_WAIT_MS);
            return settings;
        }

        @Override
        public void subscribe(Collection<String> topics, ConsumerRebalanceListener listener) {
            super.subscribe(topics, new PositioningListener(this, listener));
        }

        @Override
        public void close() {
            close(CloseOptions.timeout(CLOSE_TIMEOUT));
        }
    }

    /**
     * Finds the positions of all partitions before the first fetch is sent. Otherwise the first fetch leaves out those whose group has not
     * committed an offset yet, and they wait until it is answered.
     */
    private record PositioningListener(KafkaConsumer<String, byte[]> consumer, ConsumerRebalanceListener delegate)
            implements ConsumerRebalanceListener {
        private static final Duration TIMEOUT = Duration.ofSeconds(2);

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            try {
                partitions.forEach(partition -> {
                    var unused = consumer.position(partition, TIMEOUT);
                });
            } catch (TimeoutException e) {
                // The following polls find them.
            }
            delegate.onPartitionsAssigned(partitions);
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            delegate.onPartitionsRevoked(partitions);
        }

        @Override
        public void onPartitionsLost(Collection<TopicPartition> partitions) {
            delegate.onPartitionsLost(partitions);
        }
    }
}

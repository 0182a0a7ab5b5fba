package dev.slipway.messaging;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;

import java.time.Duration;
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
     * Lets the broker delay empty fetches, so that an idle consumer costs little; data is returned at once. A partition that was assigned
     * or whose position was found meanwhile is fetched after that delay, so a longer one would slow down starts and takeovers. Closing does
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
            settings.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, FETCH_MAX_WAIT_MS);
            return settings;
        }

        @Override
        public void close() {
            close(CloseOptions.timeout(CLOSE_TIMEOUT));
        }
    }
}

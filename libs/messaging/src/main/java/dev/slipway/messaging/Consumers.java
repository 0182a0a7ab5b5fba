package dev.slipway.messaging;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.kafka.client.consumer.KafkaConsumer;

import java.util.Map;

/** Makes consumers on a worker, for the caller's context: each looks the brokers' names up, and may wait for that. */
final class Consumers {
    private Consumers() {}

    static Future<KafkaConsumer<String, byte[]>> make(Vertx vertx, Map<String, String> config) {
        return vertx.executeBlocking(() -> KafkaConsumer.create(vertx, config), false);
    }
}

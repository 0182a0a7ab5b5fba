package dev.slipway.messaging;

import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Instant;

/**
 * Publishes a heartbeat on a state topic, in order with its snapshots. A reader that has not received one for a while cannot rely on its
 * copy, whether the owner, its outbox or the reader itself is the cause.
 */
public final class StateHeartbeat {
    private static final Logger LOG = LoggerFactory.getLogger(StateHeartbeat.class);
    private static final long INTERVAL_MS = 10_000;

    private final Vertx vertx;
    private final Outbox outbox;
    private final String topic;
    private final String eventType;
    private long timer = -1;

    private record Heartbeat(Instant committedAt) {}

    public StateHeartbeat(Vertx vertx, Outbox outbox, String topic, String eventType) {
        this.vertx = vertx;
        this.outbox = outbox;
        this.topic = topic;
        this.eventType = eventType;
    }

    public Future<Void> start() {
        timer = vertx.setPeriodic(INTERVAL_MS, ignored -> publish().onFailure(e -> LOG.atWarn()
                .addKeyValue("topic", topic)
                .log(
                        "no heartbeat was published; readers refuse to rely on their copy if it lasts: {}",
                        e.toString())));
        return publish();
    }

    public void stop() {
        vertx.cancelTimer(timer);
    }

    private Future<Void> publish() {
        return outbox.transaction(new ChangeContext(Ids.next().toString(), Context.root()), unit -> {
            unit.publish(topic, Topics.HEARTBEAT_KEY, eventType, Json.toObject(new Heartbeat(unit.now())));
            return Future.succeededFuture();
        });
    }
}

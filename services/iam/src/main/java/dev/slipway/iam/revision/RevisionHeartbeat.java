package dev.slipway.iam.revision;

import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.messaging.CloudEvents;
import dev.slipway.messaging.KafkaSender;
import dev.slipway.messaging.KafkaSender.OutgoingRecord;
import dev.slipway.messaging.KafkaSettings;
import dev.slipway.messaging.Topics;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Clock;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;

/**
 * Publishes the committed revision every few seconds and bypasses the outbox: a reader that learns of a revision it has not received knows
 * that records are delayed, and treats its model as stale.
 */
public final class RevisionHeartbeat {
    private static final Logger LOG = LoggerFactory.getLogger(RevisionHeartbeat.class);
    private static final Duration MIN_INTERVAL = Duration.ofMillis(100);
    private static final Duration MAX_INTERVAL = Duration.ofSeconds(5);
    /** Some heartbeats may be late before decisions are refused. */
    private static final int HEARTBEATS_PER_BUDGET = 6;
    /** After that the next heartbeat is more accurate. */
    private static final Duration DEADLINE = Duration.ofSeconds(20);

    private final Vertx vertx;
    private final RevisionStore store;
    private final KafkaSender sender;
    private final Duration interval;
    private final Clock clock;
    private long timer = -1;
    private Future<Void> lastSend = Future.succeededFuture();

    private record Heartbeat(long revision) {}

    /**
     * @param freshnessBudget the maximum age of permissions for writes
     */
    public RevisionHeartbeat(
            Vertx vertx, RevisionStore store, KafkaSettings kafka, Duration freshnessBudget, Clock clock) {
        this.vertx = vertx;
        this.store = store;
        this.sender = KafkaSender.withDeadline(vertx, kafka, DEADLINE);
        this.interval = interval(freshnessBudget);
        this.clock = clock;
    }

    public Future<Void> start() {
        timer = vertx.setPeriodic(interval.toMillis(), ignored -> {
            if (lastSend.isComplete()) { // each send may occupy a worker while the broker is unavailable
                send().onFailure(e -> LOG.atWarn()
                        .log("heartbeat not sent; decisions will be refused if this continues: {}", e.toString()));
            }
        });
        return send();
    }

    public Future<Void> stop() {
        vertx.cancelTimer(timer);
        return sender.close();
    }

    static Duration interval(Duration freshnessBudget) {
        return Collections.max(List.of(
                MIN_INTERVAL,
                Collections.min(List.of(MAX_INTERVAL, freshnessBudget.dividedBy(HEARTBEATS_PER_BUDGET)))));
    }

    private Future<Void> send() {
        lastSend = store.current().compose(revision -> {
            var id = Ids.next();
            var event = new Envelope(
                    id, "state.heartbeat", clock.instant(), 1, id.toString(), Json.toObject(new Heartbeat(revision)));
            var headers = new HashMap<String, String>();
            CloudEvents.addHeaders(
                    headers,
                    "slipway/iam",
                    id,
                    event.eventType(),
                    Topics.HEARTBEAT_KEY,
                    event.occurredAt(),
                    id.toString());
            return sender.send(
                    List.of(new OutgoingRecord(Topics.AUTHZ_STATE, Topics.HEARTBEAT_KEY, event.toBytes(), headers)));
        });
        return lastSend;
    }
}

package dev.slipway.iam.tenancy;

import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.iam.revision.RevisionStore;
import dev.slipway.messaging.CloudEvents;
import dev.slipway.messaging.KafkaSender;
import dev.slipway.messaging.KafkaSender.Outgoing;
import dev.slipway.messaging.KafkaSettings;
import dev.slipway.messaging.Topics;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;

/**
 * Says again and again which revision is committed, past the outbox on purpose: a reader that hears of a revision it has not seen
 * knows that something is stuck, and stops trusting what it has.
 */
public final class Heartbeat {
    private static final Logger LOG = LoggerFactory.getLogger(Heartbeat.class);
    private static final long EVERY_MS = 2_000;
    /** One that is late says nothing that the next would not say better. */
    private static final Duration DEADLINE = Duration.ofSeconds(20);

    private final Vertx vertx;
    private final RevisionStore store;
    private final KafkaSender sender;
    private final Clock clock;
    private long timer = -1;
    private Future<Void> last = Future.succeededFuture();

    public Heartbeat(Vertx vertx, RevisionStore store, KafkaSettings kafka, Clock clock) {
        this.vertx = vertx;
        this.store = store;
        this.sender = KafkaSender.timely(vertx, kafka, DEADLINE);
        this.clock = clock;
    }

    public Future<Void> start() {
        timer = vertx.setPeriodic(EVERY_MS, ignored -> {
            if (last.isComplete()) { // each may hold a worker while the broker is away
                beat().onFailure(e -> LOG.atWarn()
                        .log("no heartbeat went out; decisions will be refused when it lasts: {}", e.toString()));
            }
        });
        return beat();
    }

    public Future<Void> stop() {
        vertx.cancelTimer(timer);
        return sender.close();
    }

    private Future<Void> beat() {
        last = store.current().compose(revision -> {
            var id = Ids.next();
            var event = new Envelope(
                    id,
                    "state.heartbeat",
                    clock.instant(),
                    1,
                    id.toString(),
                    Json.object().put("revision", revision));
            var headers = new HashMap<String, String>();
            CloudEvents.describe(
                    headers, "slipway/iam", id, event.eventType(), "heartbeat", event.occurredAt(), id.toString());
            return sender.send(List.of(new Outgoing(Topics.AUTHZ_STATE, "heartbeat", event.toBytes(), headers)));
        });
        return last;
    }
}

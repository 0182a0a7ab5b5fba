package dev.slipway.catalog;

import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.Topics;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Instant;

/**
 * Publishes a heartbeat on {@code catalog.state}, in order with the snapshots. A reader that has not received one for a while cannot rely on
 * its copy, whether the catalog, its outbox or the reader itself is the cause.
 */
final class CatalogHeartbeat {
    private static final Logger LOG = LoggerFactory.getLogger(CatalogHeartbeat.class);
    private static final long INTERVAL_MS = 10_000;

    private final Vertx vertx;
    private final Outbox outbox;
    private long timer = -1;

    private record Heartbeat(Instant committedAt) {}

    CatalogHeartbeat(Vertx vertx, Outbox outbox) {
        this.vertx = vertx;
        this.outbox = outbox;
    }

    Future<Void> start() {
        timer = vertx.setPeriodic(INTERVAL_MS, ignored -> publish().onFailure(e -> LOG.atWarn()
                .log("no heartbeat went out; launches will be refused when it lasts: {}", e.toString())));
        return publish();
    }

    void stop() {
        vertx.cancelTimer(timer);
    }

    private Future<Void> publish() {
        return outbox.transaction(new ChangeContext(Ids.next().toString(), Context.root()), unit -> {
            unit.publish(
                    Topics.CATALOG_STATE, "heartbeat", "catalog.heartbeat", Json.toObject(new Heartbeat(unit.now())));
            return Future.succeededFuture();
        });
    }
}

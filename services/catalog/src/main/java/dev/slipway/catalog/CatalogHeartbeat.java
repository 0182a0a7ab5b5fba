package dev.slipway.catalog;

import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.messaging.Cause;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.Topics;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says again and again that everything was told, in line with what is told: who has not heard it for long does not know what policy says
 * now, whether the catalog is away, its outbox stuck or its reader behind.
 */
final class CatalogHeartbeat {
    private static final Logger LOG = LoggerFactory.getLogger(CatalogHeartbeat.class);
    private static final long EVERY_MS = 10_000;

    private final Vertx vertx;
    private final Outbox outbox;
    private long timer = -1;

    CatalogHeartbeat(Vertx vertx, Outbox outbox) {
        this.vertx = vertx;
        this.outbox = outbox;
    }

    Future<Void> start() {
        timer = vertx.setPeriodic(EVERY_MS, ignored -> beat().onFailure(e ->
                LOG.atWarn().log("no heartbeat went out; launches will be refused when it lasts: {}", e.toString())));
        return beat();
    }

    void stop() {
        vertx.cancelTimer(timer);
    }

    private Future<Void> beat() {
        return outbox.transaction(new Cause(Ids.next().toString(), Context.root()), unit -> {
            var told = Json.object().put("committed_at", unit.now().toString());
            unit.announce(Topics.CATALOG_STATE, "heartbeat", "catalog.heartbeat", told);
            return Future.succeededFuture();
        });
    }
}

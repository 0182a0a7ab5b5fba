package dev.slipway.audit.log;

import dev.slipway.contract.Ids;
import dev.slipway.contract.RegistrySeeds;
import dev.slipway.contract.RegistrySnapshot;
import dev.slipway.contract.domain.RegistryKind;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.UnitOfWork;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;

/** Deletes the content of entries at the end of the retention that the registry defines for their class. */
public final class RetentionSweep {
    private static final Logger LOG = LoggerFactory.getLogger(RetentionSweep.class);
    private static final long INTERVAL_MS = 3_600_000;
    private static final int BATCH = 2_000;

    private final Vertx vertx;
    private final RetentionStore store;
    private final Outbox outbox;

    public RetentionSweep(Vertx vertx, RetentionStore store, Outbox outbox) {
        this.vertx = vertx;
        this.store = store;
        this.outbox = outbox;
    }

    /** Stores the built-in classes. The first sweep follows after an hour. */
    public Future<Void> start() {
        vertx.setPeriodic(INTERVAL_MS, timer -> sweep().onFailure(
                        e -> LOG.atWarn().setCause(e).log("expired audit entries not deleted; retrying in an hour")));
        return outbox.transaction(context(), unit -> {
            RegistrySeeds.load().entries().stream()
                    .filter(entry -> entry.kind() == RegistryKind.RETENTION_CLASS)
                    .forEach(entry -> store.upsertClass(
                            unit,
                            entry.id(),
                            entry.version(),
                            entry.body().path("retention_days").asInt()));
            return Future.succeededFuture();
        });
    }

    /** Applies records of the catalog's state topic; only retention classes count. */
    public Future<Void> apply(UnitOfWork unit, List<ReceivedEvent> events) {
        for (var event : events) {
            var entry = RegistrySnapshot.ofKind(event.envelope(), RegistryKind.RETENTION_CLASS);
            if (entry != null) {
                store.upsertClass(
                        unit,
                        entry.entryId(),
                        entry.entryVersion(),
                        entry.body().path("retention_days").asInt());
            }
        }
        return Future.succeededFuture();
    }

    /** Deletes everything that has expired, one transaction per batch; returns how many entries. */
    Future<Integer> sweep() {
        return outbox.transaction(context(), unit -> store.deleteExpired(unit, BATCH))
                .compose(deleted ->
                        deleted < BATCH ? Future.succeededFuture(deleted) : sweep().map(more -> more + deleted));
    }

    private static ChangeContext context() {
        return new ChangeContext(Ids.next().toString(), Context.root());
    }
}

package dev.slipway.operations;

import dev.slipway.contract.Ids;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.UnitOfWork;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Looks periodically for due items, and handles each in a transaction of its own. A sweep does not start while another one runs. */
public final class PeriodicSweep<T> {
    private static final Logger LOG = LoggerFactory.getLogger(PeriodicSweep.class);
    private static final int BATCH = 100;

    private final Vertx vertx;
    private final Outbox outbox;
    private final DueWork<T> work;
    private final Duration interval;
    private boolean busy;

    /** Work that becomes due. */
    public interface DueWork<T> {
        /** Names the work in log messages, such as {@code operation deadlines}. */
        String name();

        /** Lists due items, in a transaction of its own, which can also delete expired rows. */
        Future<List<T>> listDue(UnitOfWork unit, int limit);

        /** Handles an item. It may no longer be due: this has to be checked under the lock of its subject. */
        Future<Void> handle(UnitOfWork unit, T due);

        /** Returns the keys that identify an item in the log. */
        Map<String, Object> logKeys(T due);
    }

    public PeriodicSweep(Vertx vertx, Outbox outbox, DueWork<T> work, Duration interval) {
        this.vertx = vertx;
        this.outbox = outbox;
        this.work = work;
        this.interval = interval;
    }

    public void start() {
        vertx.setPeriodic(interval.toMillis(), timer -> {
            if (!busy) {
                busy = true;
                sweep().onFailure(e -> LOG.atWarn()
                                .addKeyValue("work", work.name())
                                .setCause(e)
                                .log("sweep failed; retrying at the next interval"))
                        .onComplete(done -> busy = false);
            }
        });
    }

    private Future<Void> sweep() {
        return outbox.transaction(newContext(), unit -> work.listDue(unit, BATCH))
                .compose(due -> {
                    Future<Void> chain = Future.succeededFuture();
                    for (var item : due) {
                        chain = chain.compose(ok -> handle(item));
                    }
                    return chain;
                });
    }

    /** In a transaction and with a correlation id of its own, so that a failure does not affect the other items. */
    private Future<Void> handle(T due) {
        return outbox.<Void>transaction(newContext(), unit -> work.handle(unit, due))
                .recover(e -> {
                    var log = LOG.atWarn().addKeyValue("work", work.name()).setCause(e);
                    for (var key : work.logKeys(due).entrySet()) {
                        log = log.addKeyValue(key.getKey(), key.getValue());
                    }
                    log.log("handling a due item failed; retrying at the next interval");
                    return Future.succeededFuture();
                });
    }

    private static ChangeContext newContext() {
        return new ChangeContext(Ids.next().toString(), Context.root());
    }
}

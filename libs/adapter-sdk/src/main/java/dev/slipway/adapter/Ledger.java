package dev.slipway.adapter;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.function.UnaryOperator;

/** One instance's log: changed in memory at once, on disk when the Future says so. */
final class Ledger {
    private static final Logger LOG = LoggerFactory.getLogger(Ledger.class);

    private final Vertx vertx;
    private final Journal journal;
    private final Stopping stopping;
    private InstanceLog log;
    private @Nullable InstanceLog written;
    private Future<Void> saved = Future.succeededFuture();

    Ledger(Vertx vertx, Journal journal, Stopping stopping, InstanceLog log) {
        this.vertx = vertx;
        this.journal = journal;
        this.stopping = stopping;
        this.log = log;
    }

    InstanceLog log() {
        return log;
    }

    /** Done when everything so far is on disk. */
    Future<Void> saved() {
        return saved;
    }

    /** A full disk is waited out: a change that is not on disk must not be acted on. Fails only when the host stops. */
    Future<Void> change(UnaryOperator<InstanceLog> change) {
        log = change.apply(log);
        saved = saved.transform(before -> save(1));
        return saved;
    }

    private Future<Void> save(int attempt) {
        var current = log;
        if (current.equals(written)) {
            return Future.succeededFuture();
        }
        return vertx.<Void>executeBlocking(
                        () -> {
                            journal.write(current);
                            return null;
                        },
                        false)
                .onSuccess(ok -> written = current)
                .recover(e -> stopping.begun() ? Future.failedFuture(e) : retry(attempt, e));
    }

    private Future<Void> retry(int attempt, Throwable failure) {
        LOG.atError()
                .addKeyValue("app_instance_id", log.appInstanceId())
                .setCause(failure)
                .log("cannot write the journal; will try again");
        return vertx.timer(Backoff.ms(attempt, 500, 10_000)).compose(ok -> save(attempt + 1));
    }
}

package dev.slipway.adapter;

import io.vertx.core.Future;
import io.vertx.core.Promise;
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
        saved = saved.transform(before -> save());
        return saved;
    }

    private Future<Void> save() {
        var done = Promise.<Void>promise();
        attempt(1, done);
        return done.future();
    }

    private void attempt(int attempt, Promise<Void> done) {
        var current = log;
        if (current.equals(written)) {
            done.complete();
            return;
        }
        vertx.executeBlocking(
                        () -> {
                            journal.write(current);
                            return current;
                        },
                        false)
                .onSuccess(now -> {
                    written = now;
                    done.complete();
                })
                .onFailure(e -> {
                    if (stopping.begun()) {
                        done.fail(e);
                    } else {
                        retry(attempt, e, done);
                    }
                });
    }

    private void retry(int attempt, Throwable failure, Promise<Void> done) {
        LOG.atError()
                .addKeyValue("app_instance_id", log.appInstanceId())
                .setCause(failure)
                .log("cannot write the journal; will try again");
        vertx.setTimer(Backoff.ms(attempt, 500, 10_000), timer -> attempt(attempt + 1, done));
    }
}

package dev.slipway.adapter;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.function.UnaryOperator;

/** Holds the log of one instance: updates apply in memory at once and on disk when the returned Future completes. */
final class InstanceLogWriter {
    private static final Logger LOG = LoggerFactory.getLogger(InstanceLogWriter.class);

    private final Vertx vertx;
    private final Journal journal;
    private final ShutdownFlag shutdown;
    private InstanceLog log;
    private @Nullable InstanceLog lastWritten;
    private Future<Void> pendingWrites = Future.succeededFuture();

    InstanceLogWriter(Vertx vertx, Journal journal, ShutdownFlag shutdownFlag, InstanceLog log) {
        this.vertx = vertx;
        this.journal = journal;
        this.shutdown = shutdownFlag;
        this.log = log;
    }

    InstanceLog log() {
        return log;
    }

    /** Completes when all updates so far are on disk. */
    Future<Void> awaitWrites() {
        return pendingWrites;
    }

    /**
     * Retries until the write succeeds, for example after a full disk, because an update must not take effect before it is on disk. Fails
     * only during shutdown.
     */
    Future<Void> update(UnaryOperator<InstanceLog> change) {
        log = change.apply(log);
        pendingWrites = pendingWrites.transform(previous -> save());
        return pendingWrites;
    }

    private Future<Void> save() {
        var done = Promise.<Void>promise();
        tryWrite(1, done);
        return done.future();
    }

    private void tryWrite(int attempt, Promise<Void> done) {
        var current = log;
        if (current.equals(lastWritten)) {
            done.complete();
            return;
        }
        vertx.executeBlocking(
                        () -> {
                            journal.write(current);
                            return current;
                        },
                        false)
                .onSuccess(saved -> {
                    lastWritten = saved;
                    done.complete();
                })
                .onFailure(e -> {
                    if (shutdown.isSet()) {
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
                .log("journal write failed; retrying");
        vertx.setTimer(Backoff.delayMs(attempt, 500, 10_000), timer -> tryWrite(attempt + 1, done));
    }
}

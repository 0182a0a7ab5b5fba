package dev.slipway.adapter;

import dev.slipway.adapter.PlatformClient.PlatformResponseException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Instant;

/** Sends the reports of one instance in order, each until the broker has acknowledged it. */
final class ReportQueue {
    private static final Logger LOG = LoggerFactory.getLogger(ReportQueue.class);
    static final long CREDENTIAL_RETRY_MS = 30_000;

    private final Vertx vertx;
    private final InstanceLogWriter writer;
    private final TokenClient tokenClient;
    private final ReportSender sender;
    private final ShutdownFlag shutdown;
    private @Nullable Token token;
    private boolean sending;
    private int failures;

    ReportQueue(
            Vertx vertx,
            InstanceLogWriter instanceLogWriter,
            TokenClient tokenClient,
            ReportSender sender,
            ShutdownFlag shutdownFlag) {
        this.vertx = vertx;
        this.writer = instanceLogWriter;
        this.tokenClient = tokenClient;
        this.sender = sender;
        this.shutdown = shutdownFlag;
    }

    /** Journals a report and sends it as soon as possible. Completes when it is on disk. */
    Future<Void> add(Message report) {
        return writer.update(log -> log.withReport(report)).onSuccess(ok -> flush());
    }

    void flush() {
        var reports = writer.log().reports();
        if (sending || shutdown.isSet() || reports.isEmpty()) {
            return;
        }
        sending = true;
        var report = reports.get(0);
        token(report)
                .compose(valid -> sender.send(report.subject().id().toString(), report, valid))
                .recover(failure -> isTaskEnded(failure) ? discard(report) : Future.failedFuture(failure))
                .compose(ok -> writer.update(log -> log.withoutReport(report)))
                .onComplete(done -> {
                    if (done.succeeded()) {
                        failures = 0;
                        sending = false;
                        flush();
                    } else {
                        scheduleRetry(report, done.cause());
                    }
                });
    }

    private Future<Token> token(Message report) {
        var current = token;
        if (current != null && current.isValidFor(report.commandId(), Instant.now())) {
            return Future.succeededFuture(current);
        }
        return tokenClient.exchangeForTask(report).onSuccess(fresh -> token = fresh);
    }

    /** Without this, a report that the platform will never accept would hold up all later ones. */
    private static Future<Void> discard(Message report) {
        LOG.atWarn()
                .addKeyValue("app_instance_id", report.subject().id())
                .addKeyValue("command_id", report.commandId())
                .addKeyValue("correlation_id", report.event().correlationId())
                .log("discarded {}: its command has ended", report.event().eventType());
        return Future.succeededFuture();
    }

    private void scheduleRetry(Message report, Throwable failure) {
        failures++;
        var expected = isTaskUnknown(failure) && failures == 1;
        if (!shutdown.isSet() && !expected && Integer.bitCount(failures) == 1) { // log the 1st, 2nd, 4th … failure only
            (isCredentialRejected(failure) ? LOG.atError() : LOG.atWarn())
                    .addKeyValue("app_instance_id", report.subject().id().toString())
                    .addKeyValue("command_id", report.commandId())
                    .addKeyValue("correlation_id", report.event().correlationId())
                    .addKeyValue("attempt", failures)
                    .log("sending {} failed; retrying: {}", report.event().eventType(), failure.toString());
        }
        vertx.timer(retryDelayMs(failure, failures)).onComplete(done -> {
            sending = false;
            flush();
        });
    }

    /** A rejected credential needs an operator; a task that the platform does not know yet takes a moment. */
    static long retryDelayMs(Throwable failure, int failures) {
        if (isCredentialRejected(failure)) {
            return CREDENTIAL_RETRY_MS;
        }
        return Backoff.delayMs(failures, isTaskUnknown(failure) ? 15 : 200, 20_000);
    }

    private static boolean isTaskEnded(Throwable failure) {
        return failure instanceof PlatformResponseException e && e.isTaskEnded();
    }

    private static boolean isTaskUnknown(Throwable failure) {
        return failure instanceof PlatformResponseException e && e.isTaskUnknown();
    }

    private static boolean isCredentialRejected(Throwable failure) {
        return failure instanceof PlatformResponseException e && e.isCredentialRejected();
    }
}

package dev.slipway.adapter;

import dev.slipway.adapter.PlatformClient.AnswerException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Instant;

/** Sends one instance's reports in order, each until the broker has it. */
final class ReportQueue {
    private static final Logger LOG = LoggerFactory.getLogger(ReportQueue.class);
    static final long REFUSED_RETRY_MS = 30_000;

    private final Vertx vertx;
    private final Ledger ledger;
    private final Tokens tokens;
    private final ReportSender sender;
    private final Stopping stopping;
    private @Nullable Token token;
    private boolean sending;
    private int failures;

    ReportQueue(Vertx vertx, Ledger ledger, Tokens tokens, ReportSender sender, Stopping stopping) {
        this.vertx = vertx;
        this.ledger = ledger;
        this.tokens = tokens;
        this.sender = sender;
        this.stopping = stopping;
    }

    /** Puts a report on record; done when it is on disk. It is sent as soon as possible. */
    Future<Void> add(Message report) {
        return ledger.change(log -> log.report(report)).onSuccess(ok -> flush());
    }

    void flush() {
        var reports = ledger.log().reports();
        if (sending || stopping.begun() || reports.isEmpty()) {
            return;
        }
        sending = true;
        var report = reports.get(0);
        token(report)
                .compose(valid -> sender.send(report.appInstanceId(), report, valid))
                .compose(ok -> ledger.change(log -> log.sent(report)))
                .onComplete(done -> {
                    if (done.succeeded()) {
                        failures = 0;
                        sending = false;
                        flush();
                    } else {
                        failed(report, done.cause());
                    }
                });
    }

    private Future<Token> token(Message report) {
        var current = token;
        if (current != null && current.serves(report.commandId(), Instant.now())) {
            return Future.succeededFuture(current);
        }
        return tokens.exchange(report).onSuccess(fresh -> token = fresh);
    }

    private void failed(Message report, Throwable failure) {
        failures++;
        var expected = isEarly(failure) && failures == 1;
        if (!stopping.begun()
                && !expected
                && Integer.bitCount(failures) == 1) { // the 1st, 2nd, 4th …: an outage is not worth a flood
            (isRefusal(failure) ? LOG.atError() : LOG.atWarn())
                    .addKeyValue("app_instance_id", report.appInstanceId())
                    .addKeyValue("command_id", report.commandId())
                    .addKeyValue("correlation_id", report.event().correlationId())
                    .addKeyValue("attempt", failures)
                    .log("could not send {}; will try again: {}", report.event().eventType(), failure.toString());
        }
        vertx.timer(pauseMs(failure, failures)).onComplete(done -> {
            sending = false;
            flush();
        });
    }

    /** A refused credential takes a person to mend it; a task that the platform has not heard of yet takes a moment. */
    static long pauseMs(Throwable failure, int failures) {
        if (isRefusal(failure)) {
            return REFUSED_RETRY_MS;
        }
        return Backoff.ms(failures, isEarly(failure) ? 15 : 200, 20_000);
    }

    private static boolean isEarly(Throwable failure) {
        return failure instanceof AnswerException e && e.isEarly();
    }

    private static boolean isRefusal(Throwable failure) {
        return failure instanceof AnswerException e && e.isRefusal();
    }
}

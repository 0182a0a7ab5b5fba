package dev.slipway.adapter;

import dev.slipway.adapter.Outcome.Canceled;
import dev.slipway.adapter.Outcome.Done;
import dev.slipway.adapter.Outcome.Failed;
import dev.slipway.contract.Json;
import dev.slipway.telemetry.Correlation;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.internal.ContextInternal;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.HashMap;
import java.util.Map;

/** Has the adapter carry out one command, and puts on record how that ended. */
final class Execution {
    private static final Logger LOG = LoggerFactory.getLogger(Execution.class);
    private static final int ATTEMPTS = 5;
    private static final String FAULT = "the runtime adapter had an internal error";

    private final Shop shop;
    private final Ledger ledger;
    private final ReportQueue reports;

    Execution(Shop shop, Ledger ledger, ReportQueue reports) {
        this.shop = shop;
        this.ledger = ledger;
        this.reports = reports;
    }

    Future<Void> run(Message command, Future<Void> cancel) {
        var task = command.task();
        var name = command.kind().word() + " " + task.appSlug();
        var parent = Correlation.with(shop.traces().extract(command.trace()), task.correlationId());
        var context = (ContextInternal) shop.vertx().getOrCreateContext();
        return shop.traces().within(context, parent, SpanKind.CONSUMER, name, () -> {
            var trace = new HashMap<String, String>();
            shop.traces().inject(Context.current(), trace::put);
            return begin(command, trace)
                    .compose(ok -> attempt(command, progress(command, trace, cancel), 1))
                    .compose(outcome -> finish(command, outcome, trace));
        });
    }

    Progress progress(Message command, Map<String, String> trace, Future<Void> cancel) {
        return new CommandProgress(ledger, reports, command, trace, cancel);
    }

    Future<Void> finish(Message command, Outcome ended, Map<String, String> trace) {
        if (ledger.log().isSuperseded()) {
            return ledger.change(log -> log.drop(command)); // the platform has moved on: a report would only confuse it
        }
        var outcome = judge(command, ended);
        LOG.atInfo()
                .addKeyValue("app_instance_id", ledger.log().appInstanceId())
                .addKeyValue("command_id", command.id())
                .addKeyValue("outcome", outcome.getClass().getSimpleName())
                .log("{} is over", command.event().eventType());
        if (command.isOrphan()) {
            // One that does not end is found again at the next start.
            return ledger.change(log -> outcome instanceof Failed ? log.drop(command) : log.forget(command));
        }
        var report = ReportMessages.outcome(command, outcome, trace);
        return ledger.change(log -> log.finish(command, outcome, report)).onSuccess(ok -> reports.flush());
    }

    /** Only what somebody canceled is canceled; and what does not fit into a record would never arrive. */
    private Outcome judge(Message command, Outcome outcome) {
        if (outcome instanceof Canceled canceled && !ledger.log().isCanceled(command)) {
            var deadline = command.task().deadlineAt();
            return new Failed(deadline == null ? canceled.reason() : "not done by its deadline, " + deadline);
        }
        if (outcome instanceof Done done && Json.bytes(done.output()).length > ReportMessages.OUTPUT_MAX_BYTES) {
            return new Failed("the output is longer than " + ReportMessages.OUTPUT_MAX_BYTES + " bytes");
        }
        return outcome;
    }

    private Future<Void> begin(Message command, Map<String, String> trace) {
        if (command.is(Kind.DEPLOY)) {
            var deploying = ReportMessages.deploying(command.task(), null, trace);
            return ledger.change(log -> log.begin(command).report(deploying)).onSuccess(ok -> reports.flush());
        }
        return command.id().equals(ledger.log().begun())
                ? Future.succeededFuture()
                : ledger.change(log -> log.begin(command));
    }

    private Future<Outcome> attempt(Message command, Progress progress, int attempt) {
        return call(command, progress).recover(e -> {
            if (shop.stopping().begun()) {
                return Future.failedFuture(e);
            }
            if (ledger.log().isSuperseded()) {
                return Future.succeededFuture(new Failed(FAULT)); // not reported: a delete follows
            }
            LOG.atError()
                    .addKeyValue("app_instance_id", ledger.log().appInstanceId())
                    .addKeyValue("command_id", command.id())
                    .addKeyValue("attempt", attempt)
                    .setCause(e)
                    .log("the adapter could not carry out a command");
            return attempt == ATTEMPTS
                    ? Future.succeededFuture(new Failed(FAULT))
                    : shop.vertx()
                            .timer(Backoff.ms(attempt, 500, 5_000))
                            .compose(ok -> attempt(command, progress, attempt + 1));
        });
    }

    /** Whatever thread the adapter ends on, what follows happens on ours. */
    private Future<Outcome> call(Message command, Progress progress) {
        var promise = ((ContextInternal) shop.vertx().getOrCreateContext()).<Outcome>promise();
        try {
            Calls.of(shop.adapter(), command, progress)
                    .expecting(outcome -> command.kind().canEndWith(outcome))
                    .onComplete(promise);
        } catch (RuntimeException e) {
            promise.fail(e);
        }
        return promise.future();
    }
}

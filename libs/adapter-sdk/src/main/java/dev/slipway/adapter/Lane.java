package dev.slipway.adapter;

import dev.slipway.adapter.Outcome.Failed;
import dev.slipway.telemetry.Correlation;
import dev.slipway.telemetry.Traces;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.HashMap;
import java.util.Map;

/** Has one instance's commands carried out, one after another. */
final class Lane {
    private static final Logger LOG = LoggerFactory.getLogger(Lane.class);
    private static final int ATTEMPTS = 5;
    private static final String FAULT = "the runtime adapter had an internal error";

    /** What the lanes of one host share. */
    record Shop(Vertx vertx, Traces traces, RuntimeAdapter adapter, Slots deploys, Slots deletes, Stopping stopping) {}

    private final Shop shop;
    private final Ledger ledger;
    private final ReportQueue reports;
    private Promise<Void> cancel = Promise.promise();
    private boolean busy;

    Lane(Shop shop, Ledger ledger, ReportQueue reports) {
        this.shop = shop;
        this.ledger = ledger;
        this.reports = reports;
    }

    Ledger ledger() {
        return ledger;
    }

    /** Goes on with what the journal holds. */
    void resume() {
        reports.flush();
        next();
    }

    /** Done when the command is on disk, so that Kafka may forget it. One that is known already changes nothing. */
    Future<Void> accept(Message command) {
        if (ledger.log().knows(command.id())) {
            return ledger.saved();
        }
        return ledger.change(log -> log.accept(command)).onSuccess(ok -> {
            if (ledger.log().isSuperseded()) {
                cancel.tryComplete();
            }
            next();
        });
    }

    /** A report that no command asked for: about the last deployment, in its trace. */
    Future<Void> report(Outcome outcome) {
        var deployed = ledger.log().deployed();
        if (deployed == null || ledger.log().isEnding() || outcome instanceof Outcome.Deleted) {
            return Future.succeededFuture();
        }
        return reports.add(Message.outcome(deployed.task(), outcome, deployed.trace()));
    }

    private void next() {
        var commands = ledger.log().commands();
        if (busy || shop.stopping.begun() || commands.isEmpty()) {
            return;
        }
        busy = true;
        cancel = Promise.promise();
        var command = commands.get(0);
        handle(command).onComplete(done -> {
            busy = false;
            if (done.failed() && !shop.stopping.begun()) {
                log(command).setCause(done.cause()).log("a command could not be handled; will try again");
                shop.vertx.timer(Backoff.ms(ATTEMPTS, 1_000, 10_000)).onComplete(later -> next());
            } else {
                next();
            }
        });
    }

    private Future<Void> handle(Message command) {
        if (ledger.log().isSuperseded()) {
            return supersede(command);
        }
        var slots = command.is(Message.DEPLOY) ? shop.deploys : shop.deletes; // a delete never waits behind deployments
        return place(slots, command)
                .compose(got -> got ? work(command).onComplete(done -> slots.release()) : supersede(command));
    }

    private Future<Boolean> place(Slots slots, Message command) {
        if (slots.tryAcquire()) {
            return Future.succeededFuture(true);
        }
        var said = Future.<Void>succeededFuture();
        if (command.is(Message.DEPLOY)) {
            var message = "waiting: " + slots.inUse() + " of " + slots.limit() + " deployments are in progress";
            said = reports.add(Message.deploying(command.task(), message, command.trace()));
        }
        return said.compose(ok -> slots.acquire(cancel.future()));
    }

    private Future<Void> supersede(Message command) {
        return ledger.change(log -> log.drop(command));
    }

    private Future<Void> work(Message command) {
        if (shop.stopping.begun()) {
            return Future.failedFuture("the adapter is stopping");
        }
        if (ledger.log().isSuperseded()) {
            return supersede(command);
        }
        var task = command.task();
        var name = (command.is(Message.DEPLOY) ? "deploy " : "delete ") + task.appSlug();
        var parent = Correlation.with(shop.traces.extract(command.trace()), task.correlationId());
        var context = (ContextInternal) shop.vertx.getOrCreateContext();
        return shop.traces.within(context, parent, SpanKind.CONSUMER, name, () -> {
            var trace = new HashMap<String, String>();
            shop.traces.inject(Context.current(), trace::put);
            return announce(command, trace)
                    .compose(ok -> attempt(command, progress(command, trace), 1))
                    .compose(outcome -> finish(command, outcome, trace));
        });
    }

    private Future<Void> announce(Message command, Map<String, String> trace) {
        return command.is(Message.DEPLOY)
                ? reports.add(Message.deploying(command.task(), null, trace))
                : Future.succeededFuture();
    }

    private Progress progress(Message command, Map<String, String> trace) {
        return new Progress() {
            @Override
            public Future<Void> say(String message) {
                return command.is(Message.DEPLOY) && !cancel.future().isComplete()
                        ? reports.add(Message.deploying(command.task(), message, trace))
                        : Future.succeededFuture();
            }

            @Override
            public Future<Void> cancelled() {
                return cancel.future();
            }
        };
    }

    private Future<Outcome> attempt(Message command, Progress progress, int attempt) {
        return call(command, progress).recover(e -> {
            if (shop.stopping.begun()) {
                return Future.failedFuture(e);
            }
            if (ledger.log().isSuperseded()) {
                return Future.succeededFuture(new Failed(FAULT)); // not reported: a delete follows
            }
            log(command).addKeyValue("attempt", attempt).setCause(e).log("the adapter could not carry out a command");
            return attempt == ATTEMPTS
                    ? Future.succeededFuture(new Failed(FAULT))
                    : shop.vertx
                            .timer(Backoff.ms(attempt, 500, 5_000))
                            .compose(ok -> attempt(command, progress, attempt + 1));
        });
    }

    /** Whatever thread the adapter ends on, what follows happens on ours. */
    private Future<Outcome> call(Message command, Progress progress) {
        var promise = ((ContextInternal) shop.vertx.getOrCreateContext()).<Outcome>promise();
        try {
            (command.is(Message.DEPLOY) ? deploy(command, progress) : delete(command, progress)).onComplete(promise);
        } catch (RuntimeException e) {
            promise.fail(e);
        }
        return promise.future();
    }

    private Future<Outcome> deploy(Message command, Progress progress) {
        var payload = command.event().payload();
        return shop.adapter
                .deploy(new DeployCommand(command.task(), payload.path("manifest"), payload.path("config")), progress)
                .expecting(outcome -> !(outcome instanceof Outcome.Deleted));
    }

    private Future<Outcome> delete(Message command, Progress progress) {
        return shop.adapter
                .delete(new DeleteCommand(command.task()), progress)
                .expecting(outcome -> !(outcome instanceof Outcome.Running));
    }

    private Future<Void> finish(Message command, Outcome outcome, Map<String, String> trace) {
        if (ledger.log().isSuperseded()) {
            return supersede(command); // the platform has moved on: a report of the deployment would only confuse it
        }
        LOG.atInfo()
                .addKeyValue("app_instance_id", ledger.log().appInstanceId())
                .addKeyValue("command_id", command.id())
                .addKeyValue("outcome", outcome)
                .log("{} is over", command.event().eventType());
        var report = Message.outcome(command.task(), outcome, trace);
        return ledger.change(log -> log.finish(command, outcome, report)).onSuccess(ok -> reports.flush());
    }

    private org.slf4j.spi.LoggingEventBuilder log(Message command) {
        return LOG.atError()
                .addKeyValue("app_instance_id", ledger.log().appInstanceId())
                .addKeyValue("command_id", command.id());
    }
}

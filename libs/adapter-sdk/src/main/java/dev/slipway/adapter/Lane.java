package dev.slipway.adapter;

import dev.slipway.adapter.Outcome.Canceled;
import dev.slipway.adapter.Outcome.Failed;
import dev.slipway.adapter.Progress.Step;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** One instance's commands, carried out one after another. A delete does not wait for those before it: it ends them. */
final class Lane {
    private static final Logger LOG = LoggerFactory.getLogger(Lane.class);
    private static final long AGAIN_FIRST_MS = 1_000;
    private static final long AGAIN_MAX_MS = 10_000;

    private final Shop shop;
    private final Ledger ledger;
    private final ReportQueue reports;
    private final Execution execution;
    private Promise<Void> cancel = Promise.promise();
    private @Nullable UUID called;
    private boolean busy;
    private int failures;

    Lane(Shop shop, Ledger ledger, ReportQueue reports) {
        this.shop = shop;
        this.ledger = ledger;
        this.reports = reports;
        this.execution = new Execution(shop, ledger, reports);
        this.called = ledger.log().begun(); // perhaps, by the process before this
    }

    InstanceLog log() {
        return ledger.log();
    }

    Future<Void> saved() {
        return ledger.saved();
    }

    /** Goes on with what the journal holds. */
    void resume() {
        reports.flush();
        next();
    }

    /**
     * Done when the command is on disk, so that Kafka may forget it. One that is known already is not carried out again, but whoever sent
     * it again wants to hear of it.
     */
    Future<Void> accept(Message command) {
        if (log().knows(command.id())) {
            return ledger.change(log -> log.repeat(command)).onSuccess(ok -> reports.flush());
        }
        if (command.generation() < log().generation()) {
            LOG.atInfo()
                    .addKeyValue("app_instance_id", log().appInstanceId())
                    .addKeyValue("command_id", command.id())
                    .log(
                            "{} is of an older generation and dropped",
                            command.event().eventType());
            return ledger.saved();
        }
        var begins = !busy && log().commands().isEmpty() && !command.is(Kind.CANCEL);
        // A deployment that begins at once is about to say so, and of an orphan's end nobody hears.
        var silent = command.isOrphan() || (begins && command.is(Kind.DEPLOY));
        var words = silent ? List.<Message>of() : List.of(ReportMessages.accepted(command));
        return ledger.change(log -> {
                    var accepted = log.accept(command, words);
                    return begins ? accepted.begin(command) : accepted;
                })
                .onSuccess(ok -> {
                    reports.flush();
                    if (busy && isUnwanted(log().commands().get(0))) {
                        cancel.tryComplete();
                    }
                    next();
                });
    }

    /** Carries a command out that was over, as its effect is lost. */
    Future<Void> again(Message command) {
        return ledger.change(log -> log.again(command)).onSuccess(ok -> next());
    }

    /** A report that no command asked for: about what was launched last, in its trace. */
    Future<Void> report(Outcome outcome) {
        var deployed = log().deployed();
        if (deployed == null || log().isEnding() || outcome instanceof Outcome.Deleted) {
            return Future.succeededFuture();
        }
        return reports.add(ReportMessages.later(deployed, log().runs(), outcome));
    }

    Future<Void> members(List<MemberState> states) {
        var commands = log().commands();
        var launching = !commands.isEmpty() && commands.get(0).kind().launches();
        var about = launching ? commands.get(0) : log().deployed();
        return about == null ? Future.succeededFuture() : reportMembers(reports, about, states, about.trace());
    }

    static Future<Void> reportMembers(
            ReportQueue reports, Message about, List<MemberState> states, Map<String, String> trace) {
        var added = new ArrayList<Future<Void>>();
        for (var from = 0; from < states.size(); from += ReportMessages.MEMBERS_MAX) {
            var some = states.subList(from, Math.min(states.size(), from + ReportMessages.MEMBERS_MAX));
            added.add(reports.add(ReportMessages.members(about.task(), some, trace)));
        }
        return added.isEmpty() ? Future.succeededFuture() : Future.join(added).mapEmpty();
    }

    Future<Void> usage(Usage usage) {
        var deployed = log().deployed();
        return deployed == null
                ? Future.succeededFuture()
                : reports.add(ReportMessages.usage(deployed.task(), usage, deployed.trace()));
    }

    private void next() {
        var commands = log().commands();
        if (busy || shop.stopping().begun() || commands.isEmpty()) {
            return;
        }
        busy = true;
        cancel = Promise.promise();
        var command = commands.get(0);
        var timer = watchDeadline(command);
        handle(command).onComplete(done -> {
            busy = false;
            shop.vertx().cancelTimer(timer);
            if (done.failed() && !shop.stopping().begun()) {
                failures++;
                LOG.atError()
                        .addKeyValue("app_instance_id", log().appInstanceId())
                        .addKeyValue("command_id", command.id())
                        .setCause(done.cause())
                        .log("a command could not be handled; will try again");
                shop.vertx()
                        .timer(Backoff.ms(failures, AGAIN_FIRST_MS, AGAIN_MAX_MS))
                        .onComplete(later -> next());
            } else {
                failures = 0;
                next();
            }
        });
    }

    /** A delete is carried out however late it is. */
    private long watchDeadline(Message command) {
        var deadline = command.is(Kind.DELETE) ? null : command.task().deadlineAt();
        if (deadline == null) {
            return -1;
        }
        var current = cancel;
        var left = Math.max(1, deadline.toEpochMilli() - System.currentTimeMillis());
        return shop.vertx().setTimer(left, timer -> current.tryComplete());
    }

    private Future<Void> handle(Message command) {
        if (isUnwanted(command)) {
            cancel.tryComplete();
        }
        if (log().isSuperseded()) {
            return supersede(command);
        }
        if (cancel.future().isComplete() && !command.id().equals(called)) {
            return endUnbegun(command);
        }
        var slots = shop.slots(command.kind());
        return place(slots, command).compose(got -> {
            if (!got) {
                return log().isSuperseded() ? supersede(command) : endUnbegun(command);
            }
            return work(command).onComplete(done -> slots.release());
        });
    }

    private Future<Boolean> place(Slots slots, Message command) {
        if (command.id().equals(called)) {
            slots.occupy(); // it may be half done: it has to be finished, or undone
            return Future.succeededFuture(true);
        }
        if (slots.tryAcquire()) {
            return Future.succeededFuture(true);
        }
        var message = "waiting: " + slots.inUse() + " of " + slots.limit()
                + (command.kind().launches() ? " deployments are in progress" : " operations are in progress");
        var step = new Step(null, message, List.of(Blocker.ofAdapter("adapter_busy", message)));
        return execution
                .progress(command, command.trace(), cancel.future())
                .say(step)
                .compose(ok -> slots.acquire(cancel.future()));
    }

    private Future<Void> work(Message command) {
        if (shop.stopping().begun()) {
            return Future.failedFuture("the adapter is stopping");
        }
        if (log().isSuperseded()) {
            return supersede(command);
        }
        called = command.id();
        return execution.run(command, cancel.future());
    }

    private Future<Void> supersede(Message command) {
        return ledger.change(log -> log.drop(command));
    }

    private Future<Void> endUnbegun(Message command) {
        return execution.finish(
                command,
                log().isCanceled(command)
                        ? new Canceled("canceled before it was begun")
                        : new Failed("its deadline passed before it was begun"),
                command.trace());
    }

    private boolean isUnwanted(Message command) {
        var deadline = command.is(Kind.DELETE) ? null : command.task().deadlineAt();
        return log().isSuperseded()
                || log().isCanceled(command)
                || (deadline != null && !Instant.now().isBefore(deadline));
    }
}

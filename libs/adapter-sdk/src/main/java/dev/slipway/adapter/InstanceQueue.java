package dev.slipway.adapter;

import dev.slipway.adapter.Outcome.Canceled;
import dev.slipway.adapter.Outcome.Failed;
import dev.slipway.adapter.Progress.ProgressUpdate;
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

/** Executes the commands of one instance in order. A delete does not wait for earlier commands: it stops them. */
final class InstanceQueue {
    private static final Logger LOG = LoggerFactory.getLogger(InstanceQueue.class);
    private static final long RETRY_FIRST_MS = 1_000;
    private static final long RETRY_MAX_MS = 10_000;

    private final HostResources resources;
    private final InstanceLogWriter writer;
    private final ReportQueue reports;
    private final CommandExecutor executor;
    private Promise<Void> cancel = Promise.promise();
    private @Nullable UUID startedCommandId;
    private boolean busy;
    private int failures;

    InstanceQueue(HostResources hostResources, InstanceLogWriter instanceLogWriter, ReportQueue reports) {
        this.resources = hostResources;
        this.writer = instanceLogWriter;
        this.reports = reports;
        this.executor = new CommandExecutor(hostResources, instanceLogWriter, reports);
        this.startedCommandId = instanceLogWriter.log().startedCommandId(); // possibly by an earlier process
    }

    InstanceLog log() {
        return writer.log();
    }

    Future<Void> awaitWrites() {
        return writer.awaitWrites();
    }

    /** Resumes the commands and reports from the journal. */
    void resume() {
        reports.flush();
        startNext();
    }

    /**
     * Completes when the command is on disk, so that its offset can be committed. A known command is not executed again; its last report is
     * repeated.
     */
    Future<Void> accept(Message command) {
        if (log().isKnown(command.id())) {
            return writer.update(log -> log.withRepeatedReport(command)).onSuccess(ok -> reports.flush());
        }
        if (command.generation() < log().generation()) {
            LOG.atInfo()
                    .addKeyValue("app_instance_id", log().appInstanceId())
                    .addKeyValue("command_id", command.id())
                    .log("dropped {} of an older generation", command.event().eventType());
            return writer.awaitWrites();
        }
        var startsNow = !busy && log().commands().isEmpty() && !command.is(CommandType.CANCEL);
        // A deploy that starts now sends `deploying` instead, and the delete of an orphan is not reported.
        var unacknowledged = command.isOrphan() || (startsNow && command.is(CommandType.DEPLOY));
        var acknowledgements = unacknowledged ? List.<Message>of() : List.of(ReportMessages.accepted(command));
        return writer.update(log -> {
                    var accepted = log.withCommand(command, acknowledgements);
                    return startsNow ? accepted.withStarted(command) : accepted;
                })
                .onSuccess(ok -> {
                    reports.flush();
                    if (busy && isObsolete(log().commands().get(0))) {
                        cancel.tryComplete();
                    }
                    startNext();
                });
    }

    /** Executes a finished command again, because its effect was lost. */
    Future<Void> rerun(Message command) {
        return writer.update(log -> log.withRequeued(command)).onSuccess(ok -> startNext());
    }

    /** Reports a later state change on the latest launch command, in its trace. */
    Future<Void> reportOutcome(Outcome outcome) {
        var deployed = log().deployed();
        if (deployed == null || log().isDeletePending() || outcome instanceof Outcome.Deleted) {
            return Future.succeededFuture();
        }
        return reports.add(ReportMessages.stateChange(deployed, log().runningVersion(), outcome));
    }

    Future<Void> reportMemberStates(List<MemberState> states) {
        var commands = log().commands();
        var launching = !commands.isEmpty() && commands.get(0).kind().isLaunch();
        var target = launching ? commands.get(0) : log().deployed();
        return target == null ? Future.succeededFuture() : reportMembers(reports, target, states, target.trace());
    }

    static Future<Void> reportMembers(
            ReportQueue reports, Message command, List<MemberState> states, Map<String, String> trace) {
        var added = new ArrayList<Future<Void>>();
        for (var from = 0; from < states.size(); from += ReportMessages.MEMBERS_MAX) {
            var some = states.subList(from, Math.min(states.size(), from + ReportMessages.MEMBERS_MAX));
            added.add(reports.add(ReportMessages.members(command.task(), some, trace)));
        }
        return added.isEmpty() ? Future.succeededFuture() : Future.join(added).mapEmpty();
    }

    Future<Void> reportUsage(UsageWindow usageWindow) {
        var deployed = log().deployed();
        return deployed == null
                ? Future.succeededFuture()
                : reports.add(ReportMessages.usage(deployed.task(), usageWindow, deployed.trace()));
    }

    private void startNext() {
        var commands = log().commands();
        if (busy || resources.shutdown().isSet() || commands.isEmpty()) {
            return;
        }
        busy = true;
        cancel = Promise.promise();
        var command = commands.get(0);
        var timer = watchDeadline(command);
        handle(command).onComplete(done -> {
            busy = false;
            resources.vertx().cancelTimer(timer);
            if (done.failed() && !resources.shutdown().isSet()) {
                failures++;
                LOG.atError()
                        .addKeyValue("app_instance_id", log().appInstanceId())
                        .addKeyValue("command_id", command.id())
                        .setCause(done.cause())
                        .log("command handling failed; retrying");
                resources
                        .vertx()
                        .timer(Backoff.delayMs(failures, RETRY_FIRST_MS, RETRY_MAX_MS))
                        .onComplete(later -> startNext());
            } else {
                failures = 0;
                startNext();
            }
        });
    }

    /** A delete has no deadline. */
    private long watchDeadline(Message command) {
        var deadline = command.is(CommandType.DELETE) ? null : command.task().deadlineAt();
        if (deadline == null) {
            return -1;
        }
        var current = cancel;
        var left = Math.max(1, deadline.toEpochMilli() - System.currentTimeMillis());
        return resources.vertx().setTimer(left, timer -> current.tryComplete());
    }

    private Future<Void> handle(Message command) {
        if (isObsolete(command)) {
            cancel.tryComplete();
        }
        if (log().isSuperseded()) {
            return dropSuperseded(command);
        }
        if (cancel.future().isComplete() && !command.id().equals(startedCommandId)) {
            return finishUnstarted(command);
        }
        var slots = resources.slotsFor(command.kind());
        return acquireSlot(slots, command).compose(acquired -> {
            if (!acquired) {
                return log().isSuperseded() ? dropSuperseded(command) : finishUnstarted(command);
            }
            return execute(command).onComplete(done -> slots.release());
        });
    }

    private Future<Boolean> acquireSlot(Slots slots, Message command) {
        if (command.id().equals(startedCommandId)) {
            slots.forceAcquire(); // it may be half done and has to be finished or undone
            return Future.succeededFuture(true);
        }
        if (slots.tryAcquire()) {
            return Future.succeededFuture(true);
        }
        var message = "waiting: " + slots.inUse() + " of " + slots.limit()
                + (command.kind().isLaunch() ? " deployments are in progress" : " operations are in progress");
        var progressUpdate = new ProgressUpdate(null, message, List.of(Blocker.ofAdapter("adapter_busy", message)));
        return executor.createProgress(command, command.trace(), cancel.future())
                .report(progressUpdate)
                .compose(ok -> slots.acquire(cancel.future()));
    }

    private Future<Void> execute(Message command) {
        if (resources.shutdown().isSet()) {
            return Future.failedFuture("the adapter is shutting down");
        }
        if (log().isSuperseded()) {
            return dropSuperseded(command);
        }
        startedCommandId = command.id();
        return executor.execute(command, cancel.future());
    }

    private Future<Void> dropSuperseded(Message command) {
        return writer.update(log -> log.withoutCommand(command));
    }

    private Future<Void> finishUnstarted(Message command) {
        return executor.finish(
                command,
                log().isCanceled(command)
                        ? new Canceled("canceled before it was started")
                        : new Failed("the deadline passed before it was started"),
                command.trace());
    }

    private boolean isObsolete(Message command) {
        var deadline = command.is(CommandType.DELETE) ? null : command.task().deadlineAt();
        return log().isSuperseded()
                || log().isCanceled(command)
                || (deadline != null && !Instant.now().isBefore(deadline));
    }
}

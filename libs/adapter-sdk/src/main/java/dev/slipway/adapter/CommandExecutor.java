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

/** Executes one command with the adapter and records its outcome. */
final class CommandExecutor {
    private static final Logger LOG = LoggerFactory.getLogger(CommandExecutor.class);
    private static final int MAX_ATTEMPTS = 5;
    private static final String INTERNAL_ERROR = "internal error of the runtime adapter";

    private final HostResources resources;
    private final InstanceLogWriter writer;
    private final ReportQueue reports;

    CommandExecutor(HostResources hostResources, InstanceLogWriter instanceLogWriter, ReportQueue reports) {
        this.resources = hostResources;
        this.writer = instanceLogWriter;
        this.reports = reports;
    }

    Future<Void> execute(Message command, Future<Void> cancel) {
        var task = command.task();
        var name = command.kind().text() + " " + task.appSlug();
        var parent = Correlation.with(resources.traces().extract(command.trace()), task.correlationId());
        var context = (ContextInternal) resources.vertx().getOrCreateContext();
        return resources.traces().runInSpan(context, parent, SpanKind.CONSUMER, name, () -> {
            var trace = new HashMap<String, String>();
            resources.traces().inject(Context.current(), trace::put);
            return markStarted(command, trace)
                    .compose(ok -> attempt(command, createProgress(command, trace, cancel), 1))
                    .compose(outcome -> finish(command, outcome, trace));
        });
    }

    Progress createProgress(Message command, Map<String, String> trace, Future<Void> cancel) {
        return new CommandProgress(writer, reports, command, trace, cancel);
    }

    Future<Void> finish(Message command, Outcome result, Map<String, String> trace) {
        if (writer.log().isSuperseded()) {
            return writer.update(log ->
                    log.withoutCommand(command)); // a delete follows, and the platform no longer expects this report
        }
        var outcome = normalize(command, result);
        LOG.atInfo()
                .addKeyValue("app_instance_id", writer.log().appInstanceId())
                .addKeyValue("command_id", command.id())
                .addKeyValue("outcome", outcome.getClass().getSimpleName())
                .addKeyValue("type", command.event().eventType())
                .log("command completed");
        if (command.isOrphan()) {
            // A failed delete of an orphan is repeated on the next start.
            return writer.update(
                    log -> outcome instanceof Failed ? log.withoutCommand(command) : log.withoutInstance(command));
        }
        var report = ReportMessages.outcome(command, outcome, trace);
        return writer.update(log -> log.withOutcome(command, outcome, report)).onSuccess(ok -> reports.flush());
    }

    /** Turns a cancellation that nobody requested, and an output that does not fit into a record, into a failure. */
    private Outcome normalize(Message command, Outcome outcome) {
        if (outcome instanceof Canceled canceled && !writer.log().isCanceled(command)) {
            var deadline = command.task().deadlineAt();
            return new Failed(deadline == null ? canceled.reason() : "not completed by its deadline, " + deadline);
        }
        if (outcome instanceof Done done && Json.bytes(done.output()).length > ReportMessages.OUTPUT_MAX_BYTES) {
            return new Failed("the output exceeds " + ReportMessages.OUTPUT_MAX_BYTES + " bytes");
        }
        return outcome;
    }

    private Future<Void> markStarted(Message command, Map<String, String> trace) {
        if (command.is(CommandType.DEPLOY)) {
            var deploying = ReportMessages.deploying(command.task(), null, trace);
            return writer.update(log -> log.withStarted(command).withReport(deploying))
                    .onSuccess(ok -> reports.flush());
        }
        return command.id().equals(writer.log().startedCommandId())
                ? Future.succeededFuture()
                : writer.update(log -> log.withStarted(command));
    }

    private Future<Outcome> attempt(Message command, Progress progress, int attempt) {
        return invoke(command, progress).recover(e -> {
            if (resources.shutdown().isSet()) {
                return Future.failedFuture(e);
            }
            if (writer.log().isSuperseded()) {
                return Future.succeededFuture(new Failed(INTERNAL_ERROR)); // not reported, because a delete follows
            }
            LOG.atError()
                    .addKeyValue("app_instance_id", writer.log().appInstanceId())
                    .addKeyValue("command_id", command.id())
                    .addKeyValue("attempt", attempt)
                    .setCause(e)
                    .log("command execution failed");
            return attempt == MAX_ATTEMPTS
                    ? Future.succeededFuture(new Failed(INTERNAL_ERROR))
                    : resources
                            .vertx()
                            .timer(Backoff.delayMs(attempt, 500, 5_000))
                            .compose(ok -> attempt(command, progress, attempt + 1));
        });
    }

    /** Continues on the host's event loop, regardless of the thread that completes the adapter's future. */
    private Future<Outcome> invoke(Message command, Progress progress) {
        var promise = ((ContextInternal) resources.vertx().getOrCreateContext()).<Outcome>promise();
        try {
            AdapterInvoker.invoke(resources.adapter(), command, progress)
                    .expecting(outcome -> command.kind().allowsOutcome(outcome))
                    .onComplete(promise);
        } catch (RuntimeException e) {
            promise.fail(e);
        }
        return promise.future();
    }
}

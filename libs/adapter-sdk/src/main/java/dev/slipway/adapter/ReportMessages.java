package dev.slipway.adapter;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.adapter.Outcome.Canceled;
import dev.slipway.adapter.Outcome.Deleted;
import dev.slipway.adapter.Outcome.Done;
import dev.slipway.adapter.Outcome.Endpoint;
import dev.slipway.adapter.Outcome.Failed;
import dev.slipway.adapter.Outcome.Running;
import dev.slipway.adapter.Progress.ProgressUpdate;
import dev.slipway.adapter.ReportPayload.Accepted;
import dev.slipway.adapter.ReportPayload.BlockerPayload;
import dev.slipway.adapter.ReportPayload.CommandFields;
import dev.slipway.adapter.ReportPayload.DeletedPayload;
import dev.slipway.adapter.ReportPayload.Deploying;
import dev.slipway.adapter.ReportPayload.FailedPayload;
import dev.slipway.adapter.ReportPayload.HeartbeatPayload;
import dev.slipway.adapter.ReportPayload.MemberPayload;
import dev.slipway.adapter.ReportPayload.MembersPayload;
import dev.slipway.adapter.ReportPayload.OperationResult;
import dev.slipway.adapter.ReportPayload.OperationStatus;
import dev.slipway.adapter.ReportPayload.ProgressPayload;
import dev.slipway.adapter.ReportPayload.RunningPayload;
import dev.slipway.adapter.ReportPayload.UsagePayload;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;

/**
 * Creates reports that match their schemas. Values from the adapter are truncated to the schema's limits, because an invalid report would
 * be rejected.
 */
final class ReportMessages {
    static final String ACCEPTED = "runtime.report.accepted";
    static final String DEPLOYING = "runtime.report.deploying";
    static final String PROGRESS = "runtime.report.progress";
    /** Maximum number of members per report, so that it fits into a record with all details. */
    static final int MEMBERS_MAX = 32;

    static final int OUTPUT_MAX_BYTES = 256 << 10;
    private static final int DETAIL_MAX_BYTES = 16 << 10;
    private static final int TEXT_MAX = 1024;
    private static final int BLOCKERS_MAX = 16;
    private static final int ENDPOINTS_MAX = 32;

    private ReportMessages() {}

    static Message accepted(Message command) {
        var task = command.task();
        return report(ACCEPTED, task, new Accepted(CommandFields.of(task)), command.trace());
    }

    static Message deploying(Task task, @Nullable String message, Map<String, String> trace) {
        var text = message == null ? null : truncate(message);
        return report(DEPLOYING, task, new Deploying(CommandFields.of(task), text), trace);
    }

    static Message progress(Task task, ProgressUpdate update, Map<String, String> trace) {
        var percent = update.percent();
        var message = update.message();
        var payload = new ProgressPayload(
                CommandFields.of(task),
                percent == null ? null : Math.max(0, Math.min(100, percent)),
                message == null || message.isBlank() ? null : truncate(message),
                update.blockers().stream()
                        .limit(BLOCKERS_MAX)
                        .map(b -> new BlockerPayload(b.code(), truncate(b.message()), b.turn()))
                        .toList());
        return report(PROGRESS, task, payload, trace);
    }

    /** Creates the terminal report of a command. */
    static Message outcome(Message command, Outcome outcome, Map<String, String> trace) {
        return command.kind().endsWithOperationReport()
                ? report("runtime.report.operation", command.task(), operationResult(command, outcome), trace)
                : instanceState(command.task(), null, outcome, trace);
    }

    /** Creates a later state report of an instance, on the command that launched it. */
    static Message stateChange(Message deployed, @Nullable String runningVersion, Outcome outcome) {
        return instanceState(deployed.task(), runningVersion, outcome, deployed.trace());
    }

    private static OperationResult operationResult(Message command, Outcome outcome) {
        var fields = CommandFields.of(command.task());
        if (outcome instanceof Running running) {
            return new OperationResult(fields, OperationStatus.SUCCEEDED, null, limit(running.endpoints()), null);
        }
        if (outcome instanceof Done done) {
            var output = command.is(CommandType.OPERATE) ? done.output() : null;
            return new OperationResult(fields, OperationStatus.SUCCEEDED, null, null, output);
        }
        if (outcome instanceof Canceled canceled) {
            return new OperationResult(
                    fields, OperationStatus.CANCELED, reasonOrDefault(canceled.reason()), null, null);
        }
        if (outcome instanceof Failed failed) {
            return new OperationResult(fields, OperationStatus.FAILED, reasonOrDefault(failed.reason()), null, null);
        }
        throw new IllegalStateException("not an outcome of an operation: " + outcome);
    }

    private static Message instanceState(
            Task task, @Nullable String runningVersion, Outcome outcome, Map<String, String> trace) {
        var fields = CommandFields.of(task);
        if (outcome instanceof Running running) {
            var version = task.appVersion().equals(runningVersion) ? null : runningVersion;
            var payload = new RunningPayload(fields, limit(running.endpoints()), version);
            return report("runtime.report.running", task, payload, trace);
        }
        if (outcome instanceof Failed failed) {
            var payload = new FailedPayload(fields, reasonOrDefault(failed.reason()));
            return report("runtime.report.failed", task, payload, trace);
        }
        if (outcome instanceof Canceled canceled) {
            var payload = new FailedPayload(fields, reasonOrDefault("canceled: " + canceled.reason()));
            return report("runtime.report.failed", task, payload, trace);
        }
        if (outcome instanceof Deleted) {
            return report("runtime.report.deleted", task, new DeletedPayload(fields), trace);
        }
        throw new IllegalStateException("not an instance state: " + outcome);
    }

    static Message members(Task task, List<MemberState> states, Map<String, String> trace) {
        var members = states.stream().map(ReportMessages::member).toList();
        return report("runtime.report.members", task, new MembersPayload(CommandFields.of(task), members), trace);
    }

    private static MemberPayload member(MemberState state) {
        var reason = state.reason();
        return new MemberPayload(
                state.memberId(),
                state.generation(),
                state.state(),
                state.componentKey(),
                reason == null ? null : reasonOrDefault(reason),
                limitSize(state.detail()));
    }

    static Message usage(Task task, UsageWindow usage, Map<String, String> trace) {
        return report("runtime.report.usage", task, UsagePayload.of(task, usage), trace);
    }

    static Message heartbeat(HeartbeatPayload payload) {
        var id = Ids.next();
        var event = new Envelope(id, "runtime.report.heartbeat", now(), 1, "heartbeat-" + id, Json.toObject(payload));
        return new Message(event, Map.of());
    }

    private static Message report(String type, Task task, ReportPayload payload, Map<String, String> trace) {
        var event = new Envelope(Ids.next(), type, now(), 1, task.correlationId(), Json.toObject(payload));
        return new Message(event, trace);
    }

    private static Instant now() {
        return Instant.now().truncatedTo(ChronoUnit.MILLIS);
    }

    private static List<Endpoint> limit(List<Endpoint> endpoints) {
        return endpoints.stream().limit(ENDPOINTS_MAX).toList();
    }

    private static ObjectNode limitSize(ObjectNode detail) {
        return Json.bytes(detail).length <= DETAIL_MAX_BYTES
                ? detail
                : Json.object().put("omitted", "larger than " + DETAIL_MAX_BYTES + " bytes");
    }

    private static String reasonOrDefault(String text) {
        return text.isBlank() ? "no reason given" : truncate(text);
    }

    private static String truncate(String text) {
        return text.length() <= TEXT_MAX ? text : text.substring(0, TEXT_MAX - 1) + "…";
    }
}

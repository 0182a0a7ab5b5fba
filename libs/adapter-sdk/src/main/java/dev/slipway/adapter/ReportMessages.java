package dev.slipway.adapter;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.adapter.Outcome.Canceled;
import dev.slipway.adapter.Outcome.Deleted;
import dev.slipway.adapter.Outcome.Done;
import dev.slipway.adapter.Outcome.Endpoint;
import dev.slipway.adapter.Outcome.Failed;
import dev.slipway.adapter.Outcome.Running;
import dev.slipway.adapter.Progress.Step;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;

/** Writes reports as the contract has them, whatever the adapter said: one that is too long would never get through. */
final class ReportMessages {
    static final String ACCEPTED = "runtime.report.accepted";
    static final String DEPLOYING = "runtime.report.deploying";
    static final String PROGRESS = "runtime.report.progress";
    /** How many members one report may speak of: with all their details it still fits into a record. */
    static final int MEMBERS_MAX = 32;

    static final int OUTPUT_MAX_BYTES = 256 << 10;
    private static final int DETAIL_MAX_BYTES = 16 << 10;
    private static final int TEXT_MAX = 1024;
    private static final int BLOCKERS_MAX = 16;
    private static final int ENDPOINTS_MAX = 32;

    private ReportMessages() {}

    static Message accepted(Message command) {
        var task = command.task();
        return report(ACCEPTED, task, payload(task), command.trace());
    }

    static Message deploying(Task task, @Nullable String message, Map<String, String> trace) {
        var payload = payload(task);
        if (message != null) {
            payload.put("message", shorten(message));
        }
        return report(DEPLOYING, task, payload, trace);
    }

    static Message progress(Task task, Step step, Map<String, String> trace) {
        var payload = payload(task);
        var percent = step.percent();
        if (percent != null) {
            payload.put("percent", Math.max(0, Math.min(100, percent)));
        }
        var message = step.message();
        if (message != null && !message.isBlank()) {
            payload.put("message", shorten(message));
        }
        var blockers = payload.putArray("blockers");
        step.blockers().stream().limit(BLOCKERS_MAX).forEach(b -> blockers.addObject()
                .put("code", b.code())
                .put("message", shorten(b.message()))
                .put("turn", b.turn().text()));
        return report(PROGRESS, task, payload, trace);
    }

    /** How a command ended. */
    static Message outcome(Message command, Outcome outcome, Map<String, String> trace) {
        return command.kind().endsAsOperation()
                ? operation(command, outcome, trace)
                : state(command.task(), null, outcome, trace);
    }

    /** What became of an instance later, as part of the command that it runs by. */
    static Message later(Message deployed, @Nullable String runs, Outcome outcome) {
        return state(deployed.task(), runs, outcome, deployed.trace());
    }

    private static Message operation(Message command, Outcome outcome, Map<String, String> trace) {
        var task = command.task();
        var payload = payload(task);
        if (outcome instanceof Running running) {
            payload.put("status", "succeeded");
            putEndpoints(payload, running.endpoints());
        } else if (outcome instanceof Done done) {
            payload.put("status", "succeeded");
            if (command.is(Kind.OPERATE)) {
                payload.set("output", done.output());
            }
        } else if (outcome instanceof Canceled canceled) {
            payload.put("status", "canceled").put("reason", reason(canceled.reason()));
        } else if (outcome instanceof Failed failed) {
            payload.put("status", "failed").put("reason", reason(failed.reason()));
        } else {
            throw new IllegalStateException("not the end of an operation: " + outcome);
        }
        return report("runtime.report.operation", task, payload, trace);
    }

    private static Message state(Task task, @Nullable String runs, Outcome outcome, Map<String, String> trace) {
        var payload = payload(task);
        if (outcome instanceof Running running) {
            putEndpoints(payload, running.endpoints());
            if (runs != null && !runs.equals(task.appVersion())) {
                payload.put("app_version", runs);
            }
            return report("runtime.report.running", task, payload, trace);
        }
        if (outcome instanceof Failed failed) {
            payload.put("reason", reason(failed.reason()));
            return report("runtime.report.failed", task, payload, trace);
        }
        if (outcome instanceof Canceled canceled) {
            payload.put("reason", reason("canceled: " + canceled.reason()));
            return report("runtime.report.failed", task, payload, trace);
        }
        if (outcome instanceof Deleted) {
            return report("runtime.report.deleted", task, payload, trace);
        }
        throw new IllegalStateException("not a state of an instance: " + outcome);
    }

    static Message members(Task task, List<MemberState> states, Map<String, String> trace) {
        var payload = payload(task);
        var members = payload.putArray("members");
        for (var state : states) {
            var member = members.addObject()
                    .put("member_id", state.memberId().toString())
                    .put("generation", state.generation())
                    .put("state", state.state().text());
            var key = state.componentKey();
            if (key != null) {
                member.put("component_key", key);
            }
            var reason = state.reason();
            if (reason != null) {
                member.put("reason", reason(reason));
            }
            member.set("adapter_detail", bounded(state.detail()));
        }
        return report("runtime.report.members", task, payload, trace);
    }

    static Message usage(Task task, Usage usage, Map<String, String> trace) {
        var payload = payload(task)
                .put("usage_id", usage.usageId().toString())
                .put("unit", usage.unit())
                .put("quantity", usage.quantity().toPlainString())
                .put("window_start", usage.windowStart().toString())
                .put("window_end", usage.windowEnd().toString());
        return report("runtime.report.usage", task, payload, trace);
    }

    private static Message report(String type, Task task, ObjectNode payload, Map<String, String> trace) {
        var now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
        return new Message(new Envelope(Ids.next(), type, now, 1, task.correlationId(), payload), trace);
    }

    private static ObjectNode payload(Task task) {
        var payload = Json.object()
                .put("org_id", task.orgId().toString())
                .put("project_id", task.projectId().toString())
                .put("app_instance_id", task.appInstanceId().toString())
                .put("command_id", task.commandId().toString())
                .put("generation", task.generation());
        var operation = task.operationId();
        if (operation != null) {
            payload.put("operation_id", operation.toString());
        }
        return payload;
    }

    private static void putEndpoints(ObjectNode payload, List<Endpoint> endpoints) {
        var array = payload.putArray("endpoints");
        endpoints.stream()
                .limit(ENDPOINTS_MAX)
                .forEach(e -> array.addObject().put("name", e.name()).put("url", e.url()));
    }

    private static ObjectNode bounded(ObjectNode detail) {
        return Json.bytes(detail).length <= DETAIL_MAX_BYTES
                ? detail
                : Json.object().put("omitted", "longer than " + DETAIL_MAX_BYTES + " bytes");
    }

    private static String reason(String text) {
        return text.isBlank() ? "no reason given" : shorten(text);
    }

    private static String shorten(String text) {
        return text.length() <= TEXT_MAX ? text : text.substring(0, TEXT_MAX - 1) + "…";
    }
}

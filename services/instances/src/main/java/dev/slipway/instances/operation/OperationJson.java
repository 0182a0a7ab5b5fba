package dev.slipway.instances.operation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import dev.slipway.contract.Json;
import dev.slipway.instances.appinstance.domain.AppInstance;
import dev.slipway.instances.operation.domain.Operation;
import dev.slipway.instances.operation.domain.Operation.Blocker;
import dev.slipway.instances.operation.domain.Operation.Progress;
import dev.slipway.instances.operation.domain.OperationEvent;
import dev.slipway.instances.operation.domain.Waiting;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Operations as the contract writes them: to callers and in events, and as reports tell of them. */
public final class OperationJson {
    private OperationJson() {}

    public static ObjectNode full(Operation operation) {
        return full(operation, operation.progress().blockers());
    }

    /** With all that it waits for, as far as anybody knows. */
    static ObjectNode full(Operation operation, List<Blocker> blockers) {
        var node = Json.object();
        node.put("id", operation.id().toString());
        node.put("app_instance_id", operation.appInstanceId().toString());
        node.put("org_id", operation.orgId().toString());
        node.put("project_id", operation.projectId().toString());
        node.put("kind", operation.kind().text());
        node.put("operation", operation.name());
        node.put("action", operation.action());
        node.put("status", operation.status().text());
        progress(node, operation, blockers);
        raw(node, "input", operation.input());
        raw(node, "output", operation.output());
        node.put("reason", operation.reason());
        node.put("member_id", text(operation.memberId()));
        node.put("from_version", operation.fromVersion());
        node.put("to_version", operation.toVersion());
        node.put("requested_by_user_id", operation.requestedByUserId().toString());
        node.put("requested_by_principal_id", operation.requestedByPrincipalId().toString());
        node.put("correlation_id", operation.correlationId());
        node.put("cancel_requested", operation.cancelCommandId() != null);
        node.put("created_at", operation.createdAt().toString());
        node.put("started_at", text(operation.startedAt()));
        node.put("ended_at", text(operation.endedAt()));
        node.put("deadline_at", operation.deadlineAt().toString());
        return node;
    }

    static String type(OperationEvent event) {
        return "apps.instance_operation." + event.text();
    }

    /** {@code instance} has the number of the event already. */
    static ObjectNode event(AppInstance instance, Operation operation) {
        var node = Json.object();
        node.put("org_id", instance.orgId().toString());
        node.put("project_id", instance.projectId().toString());
        node.put("app_slug", instance.app().slug());
        node.put("app_instance_id", instance.id().toString());
        node.put("sequence", instance.sequence());
        node.put("operation_id", operation.id().toString());
        node.put("kind", operation.kind().text());
        node.put("operation", operation.name());
        node.put("status", operation.status().text());
        node.put("requested_by_principal_id", operation.requestedByPrincipalId().toString());
        node.put("deadline_at", operation.deadlineAt().toString());
        node.put("generation", instance.generation());
        progress(node, operation, operation.progress().blockers());
        node.put("reason", operation.reason());
        node.put("member_id", text(operation.memberId()));
        return node;
    }

    /** What a report of progress says; what it leaves out is as it was. */
    public static Progress progress(JsonNode report, Progress before) {
        return new Progress(
                report.has("percent") ? (Integer) report.path("percent").intValue() : before.percent(),
                report.has("message") ? report.path("message").textValue() : before.message(),
                report.has("blockers") ? blockers(report.path("blockers")) : Waiting.withoutSilence(before.blockers()));
    }

    static List<Blocker> blockers(JsonNode array) {
        var blockers = new ArrayList<Blocker>();
        for (var each : array) {
            blockers.add(new Blocker(
                    each.path("code").asText(),
                    each.path("message").asText(),
                    each.path("turn").asText()));
        }
        return List.copyOf(blockers);
    }

    static ArrayNode blockers(List<Blocker> blockers) {
        var array = Json.array();
        for (var each : blockers) {
            array.addObject()
                    .put("code", each.code())
                    .put("message", each.message())
                    .put("turn", each.turn());
        }
        return array;
    }

    private static void progress(ObjectNode node, Operation operation, List<Blocker> blockers) {
        node.put("percent", operation.progress().percent());
        node.put("message", operation.progress().message());
        node.set("blockers", blockers(blockers));
    }

    private static void raw(ObjectNode node, String field, @Nullable String json) {
        if (json == null) {
            node.putNull(field);
        } else {
            node.putRawValue(field, new RawValue(json));
        }
    }

    private static @Nullable String text(@Nullable UUID id) {
        return id == null ? null : id.toString();
    }

    private static @Nullable String text(@Nullable Instant instant) {
        return instant == null ? null : instant.toString();
    }
}

package dev.slipway.gateway;

import dev.slipway.authz.AuthzModel;
import dev.slipway.authz.Principal;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Operation;
import dev.slipway.messaging.CloudEvents;
import dev.slipway.messaging.KafkaSender.Outgoing;
import dev.slipway.messaging.LossySender;
import dev.slipway.messaging.Topics;
import dev.slipway.telemetry.Traces;
import io.opentelemetry.context.Context;
import io.vertx.core.http.HttpServerRequest;
import org.jspecify.annotations.Nullable;

import java.time.Clock;
import java.util.HashMap;
import java.util.UUID;

/** One record per request, reads and refusals too, so that a timeline shows what a caller saw. Never waits: drops are counted. */
final class CallRecords {
    private final LossySender sender;
    private final AuthzModel model;
    private final Traces traces;
    private final Clock clock;

    CallRecords(LossySender sender, AuthzModel model, Traces traces, Clock clock) {
        this.sender = sender;
        this.model = model;
        this.traces = traces;
        this.clock = clock;
    }

    void keep(
            HttpServerRequest request,
            @Nullable Operation operation,
            @Nullable Principal principal,
            @Nullable String projectId,
            int status,
            @Nullable String code,
            String correlationId,
            Context trace,
            long durationUs) {
        var method = request.method().name();
        var path = request.path();
        var at = clock.instant();
        sender.offer(() -> {
            var id = Ids.next();
            var project = known(projectId);
            var orgId = project == null ? null : model.orgOf(project);
            var payload = Json.object();
            payload.put("method", method);
            payload.put("operation_id", operation == null ? null : operation.id());
            payload.put("path", path);
            payload.put("status", status);
            payload.put("code", code);
            payload.put(
                    "principal_id", principal == null ? null : principal.id().toString());
            payload.put(
                    "actor_type", principal == null ? null : principal.type().text());
            payload.put("org_id", orgId == null ? null : orgId.toString());
            payload.put("project_id", project == null ? null : project.toString());
            payload.put("duration_us", durationUs);
            var event = new Envelope(id, "gateway.call", at, 1, correlationId, payload);
            var headers = new HashMap<String, String>();
            CloudEvents.describe(
                    headers,
                    "slipway/gateway",
                    id,
                    event.eventType(),
                    correlationId,
                    event.occurredAt(),
                    correlationId);
            traces.inject(trace, headers::put);
            return new Outgoing(Topics.CALLS, correlationId, event.toBytes(), headers);
        });
    }

    /** A project that is not known is not put on record as one: the caller made it up. */
    private @Nullable UUID known(@Nullable String projectId) {
        try {
            var id = projectId == null ? null : UUID.fromString(projectId);
            return id == null || model.orgOf(id) == null ? null : id;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}

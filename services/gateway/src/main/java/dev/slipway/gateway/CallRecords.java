package dev.slipway.gateway;

import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.slipway.authz.AuthzModel;
import dev.slipway.authz.Principal;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Operation;
import dev.slipway.messaging.CloudEvents;
import dev.slipway.messaging.KafkaSender.Outgoing;
import dev.slipway.messaging.KafkaSettings;
import dev.slipway.messaging.LossySender;
import dev.slipway.messaging.Topics;
import io.opentelemetry.api.trace.SpanContext;
import io.vertx.core.http.HttpServerRequest;
import org.jspecify.annotations.Nullable;

import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Every request on record, reads and refusals too, so that a timeline shows what a caller saw. Never waits: drops are counted. */
final class CallRecords {
    /** No path of ours is longer; one that a caller made up must not crowd out the others of its record. */
    private static final int MAX_PATH = 1_000;

    private static final List<String> COLUMNS = List.of(
            "call_id",
            "occurred_at_us",
            "correlation_id",
            "trace_id",
            "method",
            "operation_id",
            "path",
            "status",
            "code",
            "principal_id",
            "actor_type",
            "org_id",
            "project_id",
            "duration_us");

    private final LossySender<CallRecord> sender;
    private final AuthzModel model;
    private final Clock clock;

    /** A request that was answered. */
    private record CallRecord(
            UUID id,
            Instant at,
            String correlationId,
            SpanContext span,
            String method,
            @Nullable String path,
            @Nullable Operation operation,
            @Nullable Principal principal,
            Map<String, String> place,
            int status,
            @Nullable String code,
            long durationUs) {}

    CallRecords(KafkaSettings kafka, AuthzModel model, Clock clock) {
        this.sender = new LossySender<>(kafka, "calls", this::encode);
        this.model = model;
        this.clock = clock;
    }

    long dropped() {
        return sender.dropped();
    }

    void stop() {
        sender.stop();
    }

    void keep(
            HttpServerRequest request,
            @Nullable Operation operation,
            @Nullable Principal principal,
            Map<String, String> place,
            int status,
            @Nullable String code,
            String correlationId,
            SpanContext span,
            long durationUs) {
        sender.offer(new CallRecord(
                Ids.next(),
                clock.instant(),
                correlationId,
                span,
                request.method().name(),
                request.path(),
                operation,
                principal,
                place,
                status,
                code,
                durationUs));
    }

    private List<Outgoing> encode(List<CallRecord> batch) {
        var id = Ids.next();
        var payload = Json.object();
        var columns = payload.putArray("columns");
        COLUMNS.forEach(columns::add);
        var rows = payload.putArray("rows");
        batch.forEach(record -> describe(rows.addArray(), record));
        var event = new Envelope(id, "gateway.calls", clock.instant(), 1, id.toString(), payload);
        var headers = new HashMap<String, String>();
        CloudEvents.describe(
                headers,
                "slipway/gateway",
                id,
                event.eventType(),
                id.toString(),
                event.occurredAt(),
                event.correlationId());
        return List.of(new Outgoing(Topics.CALLS, id.toString(), event.toBytes(), headers));
    }

    /** In the order of COLUMNS. */
    private void describe(ArrayNode row, CallRecord record) {
        var projectId = id(record.place.get("project_id"));
        var projectsOrg = projectId == null ? null : model.orgOf(projectId);
        var orgId = projectId == null ? organization(record.place.get("org_id")) : projectsOrg;
        var principal = record.principal;
        row.add(record.id.toString())
                .add(ChronoUnit.MICROS.between(Instant.EPOCH, record.at))
                .add(record.correlationId)
                .add(record.span.isValid() ? record.span.getTraceId() : null)
                .add(record.method)
                .add(record.operation == null ? null : record.operation.id())
                .add(cut(record.path))
                .add(record.status)
                .add(record.code)
                .add(principal == null ? null : principal.id().toString())
                .add(principal == null ? null : principal.type().text())
                .add(orgId == null ? null : orgId.toString())
                .add(projectsOrg == null ? null : String.valueOf(projectId))
                .add(record.durationUs);
    }

    private static String cut(@Nullable String path) {
        var text = String.valueOf(path);
        return text.length() > MAX_PATH ? text.substring(0, MAX_PATH) + "…" : text;
    }

    /** What is not known is not put on record: the caller made it up. */
    private @Nullable UUID organization(@Nullable String orgId) {
        var id = id(orgId);
        return id == null || !model.knowsOrganization(id) ? null : id;
    }

    private static @Nullable UUID id(@Nullable String text) {
        try {
            return text == null ? null : UUID.fromString(text);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}

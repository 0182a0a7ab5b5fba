package dev.slipway.gateway;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.slipway.authz.AuthzModel;
import dev.slipway.authz.Principal;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.messaging.BestEffortSender;
import dev.slipway.messaging.CloudEvents;
import dev.slipway.messaging.KafkaSender.OutgoingRecord;
import dev.slipway.messaging.KafkaSettings;
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
import java.util.regex.Pattern;

/**
 * Records every request, including rejected ones, for the timeline of its correlation id. Entries are encoded and sent to Kafka in batches
 * on another thread; if the buffer is full they are dropped and counted.
 */
final class AccessLog {
    private static final String EVENT_TYPE = "gateway.calls";
    private static final int EVENT_VERSION = 2;
    /** No path of the contract is longer; a longer one must not displace the other entries of its batch. */
    private static final int MAX_PATH = 1_000;

    private static final Pattern CONTROL_CHARACTERS = Pattern.compile("[\\p{Cntrl}\\x{80}-\\x{9f}]");

    private final BestEffortSender<CompletedRequest> sender;
    private final AuthzModel model;
    private final Clock clock;

    /** The data of a request that is kept until it is encoded; it does not hold on to the request. */
    private record CompletedRequest(
            Instant at,
            String correlationId,
            SpanContext span,
            String method,
            @Nullable String path,
            @Nullable String operationId,
            @Nullable Principal principal,
            Map<String, String> pathParameters,
            int status,
            @Nullable String code,
            long durationUs) {}

    /** One entry of the event. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record AccessLogEntry(
            UUID callId,
            long occurredAtUs,
            String correlationId,
            @Nullable String traceId,
            String method,
            @Nullable String operationId,
            String path,
            int status,
            @Nullable String code,
            @Nullable UUID principalId,
            @Nullable String actorType,
            @Nullable UUID orgId,
            @Nullable UUID projectId,
            long durationUs) {}

    AccessLog(KafkaSettings kafka, AuthzModel model, Clock clock) {
        this.sender = new BestEffortSender<>(kafka, "calls", this::encode);
        this.model = model;
        this.clock = clock;
    }

    long dropped() {
        return sender.droppedCount();
    }

    void stop() {
        sender.stop();
    }

    void record(RequestContext context) {
        var request = context.request();
        var operation = context.matchedOperation();
        sender.offer(new CompletedRequest(
                clock.instant(),
                context.correlationId(),
                context.span(),
                request.method().name(),
                request.path(),
                operation == null ? null : operation.id(),
                context.authenticatedPrincipal(),
                context.path(),
                request.response().getStatusCode(),
                context.errorCode(),
                (System.nanoTime() - context.startedNs()) / 1_000));
    }

    /** Records a request that could not be parsed as HTTP. */
    void recordInvalid(HttpServerRequest request, String correlationId, String code) {
        sender.offer(new CompletedRequest(
                clock.instant(),
                correlationId,
                SpanContext.getInvalid(),
                request.method().name(),
                request.path(),
                null,
                null,
                Map.of(),
                request.response().getStatusCode(),
                code,
                0));
    }

    private List<OutgoingRecord> encode(List<CompletedRequest> batch) {
        var id = Ids.next();
        var payload = Json.object();
        payload.putPOJO("calls", batch.stream().map(this::toEntry).toList());
        var event = new Envelope(id, EVENT_TYPE, clock.instant(), EVENT_VERSION, id.toString(), payload);
        var headers = new HashMap<String, String>();
        CloudEvents.addHeaders(
                headers,
                "slipway/gateway",
                id,
                event.eventType(),
                id.toString(),
                event.occurredAt(),
                event.correlationId());
        return List.of(new OutgoingRecord(Topics.CALLS, id.toString(), event.toBytes(), headers));
    }

    /** Ids of unknown organizations and projects are left out: the caller may have made them up. */
    private AccessLogEntry toEntry(CompletedRequest request) {
        var projectId = parseId(request.pathParameters.get("project_id"));
        var projectOrgId = projectId == null ? null : model.orgOf(projectId);
        var orgId = projectId == null ? knownOrganization(request.pathParameters.get("org_id")) : projectOrgId;
        var principal = request.principal;
        return new AccessLogEntry(
                Ids.next(),
                ChronoUnit.MICROS.between(Instant.EPOCH, request.at),
                request.correlationId,
                request.span.isValid() ? request.span.getTraceId() : null,
                sanitize(request.method),
                request.operationId,
                sanitize(String.valueOf(request.path)),
                request.status,
                request.code,
                principal == null ? null : principal.id(),
                principal == null ? null : principal.type().text(),
                orgId,
                projectOrgId == null ? null : projectId,
                request.durationUs);
    }

    /** PostgreSQL cannot store U+0000, and one such entry would fail its whole batch. */
    static String sanitize(String text) {
        var printable = CONTROL_CHARACTERS.matcher(text).replaceAll("\uFFFD");
        return printable.length() > MAX_PATH ? printable.substring(0, MAX_PATH) + "…" : printable;
    }

    private @Nullable UUID knownOrganization(@Nullable String orgId) {
        var id = parseId(orgId);
        return id == null || !model.hasOrganization(id) ? null : id;
    }

    private static @Nullable UUID parseId(@Nullable String text) {
        try {
            return text == null ? null : UUID.fromString(text);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}

package dev.slipway.gateway;

import dev.slipway.authz.Authorizer;
import dev.slipway.authz.AuthzModel;
import dev.slipway.authz.Decision.Verdict;
import dev.slipway.authz.Principal;
import dev.slipway.authz.ResourceScope;
import dev.slipway.contract.AccessLogEntry;
import dev.slipway.contract.ApiOperation;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.messaging.BestEffortSender;
import dev.slipway.messaging.CloudEvents;
import dev.slipway.messaging.KafkaSender.OutgoingRecord;
import dev.slipway.messaging.KafkaSettings;
import dev.slipway.messaging.Topics;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.opentelemetry.api.trace.SpanContext;
import io.vertx.core.http.HttpServerRequest;
import org.jspecify.annotations.Nullable;

import java.time.Clock;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Pattern;

/**
 * Records requests, including rejected ones, for the timeline of their correlation id. Entries are encoded and sent to Kafka in batches on
 * another thread; if the buffer is full they are dropped and counted.
 *
 * <p>Requests that are rejected without a principal or by a rate limit are sampled: a flood of them must not fill the disks. Of the same
 * kind, the first few in a window are recorded; the last entry of the window represents all others and has their number.
 */
final class AccessLog {
    private static final String EVENT_TYPE = "gateway.calls";
    private static final int EVENT_VERSION = 2;
    /** No path of the contract is longer; a longer one must not displace the other entries of its batch. */
    private static final int MAX_PATH = 1_000;

    private static final Pattern CONTROL_CHARACTERS = Pattern.compile("[\\p{Cntrl}\\x{80}-\\x{9f}]");

    static final long REFUSAL_WINDOW_MS = 10_000;
    /** The number of refusals of one kind that are recorded one by one in a window. */
    static final int SAMPLES_PER_WINDOW = 10;

    private static final int MAX_REFUSAL_KINDS = 1_000;

    private final BestEffortSender<CompletedRequest> sender;
    private final Map<RefusalKind, RefusalCount> refusals = new ConcurrentHashMap<>();
    private final LongAdder refused = new LongAdder();
    private final AuthzModel model;
    private final Authorizer authorizer;
    private final Clock clock;

    /** The data of a request that is kept until it is encoded; it does not hold on to the request. */
    private record CompletedRequest(
            Instant at,
            String correlationId,
            SpanContext span,
            String method,
            @Nullable String path,
            @Nullable ApiOperation operation,
            @Nullable Principal principal,
            Map<String, String> pathParameters,
            int status,
            @Nullable String code,
            long durationUs,
            int count) {

        private CompletedRequest withCount(int requests) {
            return new CompletedRequest(
                    at,
                    correlationId,
                    span,
                    method,
                    path,
                    operation,
                    principal,
                    pathParameters,
                    status,
                    code,
                    durationUs,
                    requests);
        }
    }

    /** Refusals that are aggregated. The principal is null unless a rate limit rejected it. */
    private record RefusalKind(
            int status, @Nullable String code, @Nullable UUID principalId) {}

    /** The refusals of one kind in the current window: those that were recorded, and the last of the others with their number. */
    private record RefusalCount(int recorded, @Nullable CompletedRequest unrecorded) {}

    AccessLog(KafkaSettings kafka, AuthzModel model, Clock clock) {
        this.sender = new BestEffortSender<>(kafka, "calls", this::encode);
        this.model = model;
        this.authorizer = new Authorizer(model);
        this.clock = clock;
    }

    long dropped() {
        return sender.droppedCount();
    }

    /** Returns how many refusals were sampled. */
    long refused() {
        return refused.sum();
    }

    void stop() {
        flushRefusals();
        sender.stop();
    }

    /** Ends the window: records the number of refusals that were not recorded one by one. */
    void flushRefusals() {
        for (var kind : List.copyOf(refusals.keySet())) {
            var count = refusals.remove(kind);
            if (count != null && count.unrecorded != null) {
                sender.offer(count.unrecorded);
            }
        }
    }

    void record(RequestContext context) {
        var request = context.request();
        record(new CompletedRequest(
                clock.instant(),
                context.correlationId(),
                context.span(),
                request.method().name(),
                request.path(),
                context.matchedOperation(),
                context.authenticatedPrincipal(),
                context.path(),
                request.response().getStatusCode(),
                context.errorCode(),
                (System.nanoTime() - context.startedNs()) / 1_000,
                1));
    }

    /** Records a request that could not be parsed as HTTP. */
    void recordInvalid(HttpServerRequest request, String correlationId, String code) {
        record(new CompletedRequest(
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
                0,
                1));
    }

    private void record(CompletedRequest request) {
        var kind = refusalKind(request);
        if (kind == null || isSample(kind, request)) {
            sender.offer(request);
        }
    }

    private @Nullable RefusalKind refusalKind(CompletedRequest request) {
        var principal = request.principal;
        if (request.status < HttpResponseStatus.BAD_REQUEST.code()
                || (principal != null && !ErrorCode.RATE_LIMITED.code().equals(request.code))) {
            return null;
        }
        refused.increment();
        return new RefusalKind(
                request.status,
                request.code,
                principal == null || refusals.size() >= MAX_REFUSAL_KINDS ? null : principal.id());
    }

    private boolean isSample(RefusalKind kind, CompletedRequest request) {
        var counted = refusals.merge(kind, new RefusalCount(1, null), (before, first) -> {
            if (before.recorded < SAMPLES_PER_WINDOW) {
                return new RefusalCount(before.recorded + 1, null);
            }
            var unrecorded = before.unrecorded;
            return new RefusalCount(before.recorded, request.withCount(unrecorded == null ? 1 : unrecorded.count + 1));
        });
        return counted.unrecorded == null;
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
                AccessLogEntry.toMicros(request.at),
                request.correlationId,
                request.span.isValid() ? request.span.getTraceId() : null,
                sanitize(request.method),
                request.operation == null ? null : request.operation.id(),
                sanitize(String.valueOf(request.path)),
                request.status,
                request.code,
                principal == null ? null : principal.id(),
                principal == null ? null : principal.type().text(),
                orgId,
                projectOrgId == null ? null : projectId,
                request.durationUs,
                hasCallerWithoutRole(request, orgId, projectOrgId == null ? null : projectId) ? true : null,
                request.count == 1 ? null : request.count);
    }

    /** Returns whether the request was rejected and its caller has no role in the organization or project of the path. */
    private boolean hasCallerWithoutRole(CompletedRequest request, @Nullable UUID orgId, @Nullable UUID projectId) {
        if (request.status < HttpResponseStatus.BAD_REQUEST.code() || request.operation == null || orgId == null) {
            return false;
        }
        if (request.principal == null) {
            return true;
        }
        var scope = projectId == null ? ResourceScope.organization(orgId) : ResourceScope.project(projectId);
        return authorizer
                        .decide(
                                request.principal,
                                request.operation.action(),
                                request.operation.isAdminVariant() ? scope.withBreakGlass() : scope,
                                request.at)
                        .verdict()
                == Verdict.NOT_BOUND;
    }

    /** PostgreSQL cannot store U+0000, and one such entry would fail its whole batch. */
    static String sanitize(String text) {
        var printable = text.chars().noneMatch(Character::isISOControl)
                ? text
                : CONTROL_CHARACTERS.matcher(text).replaceAll("\uFFFD");
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

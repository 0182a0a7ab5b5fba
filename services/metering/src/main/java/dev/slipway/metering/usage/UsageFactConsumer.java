package dev.slipway.metering.usage;

import dev.slipway.authz.Authorizer;
import dev.slipway.authz.AuthzModel;
import dev.slipway.authz.Principal;
import dev.slipway.authz.ResourceScope;
import dev.slipway.authz.TokenVerifier;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.messaging.Failures.NotReadyException;
import dev.slipway.messaging.InboxConsumer.PreparingHandler;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
import dev.slipway.messaging.ReceivedRecord;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.metering.usage.UsageFactJson.BatchBody;
import dev.slipway.metering.usage.UsageReports.ParsedBatch;
import dev.slipway.metering.usage.UsageReports.Reporter;
import dev.slipway.metering.usage.domain.FactResult;
import dev.slipway.metering.usage.domain.FactResult.Outcome;
import dev.slipway.metering.usage.domain.ReporterScope.ProjectReporter;
import dev.slipway.metering.usage.domain.ReporterScope.RuntimeReporter;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * Consumes usage facts from their topic. Each record carries a token for reports; one without a valid token, or that cannot be parsed, goes to
 * the dead-letter topic. The sender gets no response, so facts that are not counted are recorded.
 */
public final class UsageFactConsumer implements PreparingHandler {
    static final String EVENT_TYPE = "usage.facts.reported";
    private static final String ACTION = "usage.report";
    private static final String BEARER = "Bearer ";
    private static final Pattern SOURCE = Pattern.compile("[a-z0-9][a-z0-9._-]{0,62}");

    private final UsageReports reports;
    private final AuthzModel model;
    private final Authorizer authorizer;
    private final TokenVerifier tokens;
    private final Clock clock;
    private final Duration maxAuthzAge;

    public UsageFactConsumer(
            UsageReports reports, AuthzModel model, TokenVerifier tokens, Clock clock, Duration maxAuthzAge) {
        this.reports = reports;
        this.model = model;
        this.authorizer = new Authorizer(model);
        this.tokens = tokens;
        this.clock = clock;
        this.maxAuthzAge = maxAuthzAge;
    }

    /** The results of one reporter in a transaction, which has one audit entry. */
    private record ReporterResults(UUID auditEntryId, List<FactResult> results) {}

    @Override
    public int countItems(Envelope event) {
        return event.payload().path("facts").size();
    }

    @Override
    public Function<UnitOfWork, Future<Void>> prepare(List<ReceivedEvent> events) {
        if (model.age(clock.instant()).compareTo(maxAuthzAge) > 0) {
            throw new NotReadyException("permissions are stale");
        }
        var reporters = new LinkedHashMap<Reporter, ReporterResults>();
        var byToken = new HashMap<String, Reporter>();
        var batches = new ArrayList<ParsedBatch>(events.size());
        for (var event : events) {
            batches.add(parse(event, byToken, reporters));
        }
        var receivedAt =
                events.stream().map(event -> event.record().appendedAt()).toList();
        return unit -> apply(unit, batches, reporters, receivedAt);
    }

    private Future<Void> apply(
            UnitOfWork unit,
            List<ParsedBatch> batches,
            Map<Reporter, ReporterResults> reporters,
            List<Instant> receivedAt) {
        return reports.prepare(batches, unit.now())
                .compose(ok -> reports.apply(unit, batches, Set.of(Outcome.CONFLICT, Outcome.REJECTED)))
                .map(results -> {
                    for (var i = 0; i < batches.size(); i++) {
                        Objects.requireNonNull(reporters.get(batches.get(i).reporter()))
                                .results
                                .addAll(results.get(i));
                    }
                    reporters.forEach((reporter, of) -> reports.audit(unit, reporter, of.auditEntryId, of.results));
                    reports.recordIngest(unit, receivedAt);
                    return null;
                });
    }

    private ParsedBatch parse(
            ReceivedEvent event, Map<String, Reporter> byToken, Map<Reporter, ReporterResults> reporters) {
        var envelope = event.envelope();
        if (!envelope.eventType().equals(EVENT_TYPE)) {
            throw Problem.validationOf(ErrorCode.VALIDATION_ERROR, "event_type", "is not " + EVENT_TYPE)
                    .asException();
        }
        var reporter = authenticate(event.record(), byToken);
        var body = Json.toRecord(envelope.payload(), BatchBody.class);
        requireBatch(body);
        var of = reporters.computeIfAbsent(reporter, r -> new ReporterResults(Ids.next(), new ArrayList<>()));
        return reports.parse(body, reporter, envelope.correlationId(), traceId(event.record()), of.auditEntryId);
    }

    private static void requireBatch(BatchBody body) {
        if (body.source() == null || !SOURCE.matcher(body.source()).matches()) {
            throw Problem.validationOf(ErrorCode.VALIDATION_ERROR, "source", "is missing or not valid")
                    .asException();
        }
        if (body.facts() == null || body.facts().isEmpty() || body.facts().size() > UsageFactJson.MAX_FACTS) {
            throw Problem.validationOf(
                            ErrorCode.VALIDATION_ERROR,
                            "facts",
                            "must contain 1 to " + UsageFactJson.MAX_FACTS + " facts")
                    .asException();
        }
    }

    /** The token must have been valid when the broker received the record, however long the record waited. */
    private Reporter authenticate(ReceivedRecord record, Map<String, Reporter> byToken) {
        var header = record.headers().get("authorization");
        if (header == null || !header.startsWith(BEARER)) {
            throw Problem.of(ErrorCode.TOKEN_MISSING, "The record carries no token.")
                    .asException();
        }
        var principal = tokens.verify(header.substring(BEARER.length()), record.appendedAt());
        var known = byToken.get(header);
        if (known != null) {
            return known;
        }
        var reporter = reporter(principal, record);
        byToken.put(header, reporter);
        return reporter;
    }

    private Reporter reporter(Principal principal, ReceivedRecord record) {
        var orgId = principal.orgId();
        var projectId = principal.projectId();
        var runtimeId = principal.sharedRuntimeId();
        if (orgId == null || (projectId == null && runtimeId == null)) {
            throw Problem.of(
                            ErrorCode.INSUFFICIENT_PERMISSIONS,
                            "Only service accounts and shared-runtime operators can report usage by topic.")
                    .asException();
        }
        var scope = projectId != null
                ? ResourceScope.project(projectId)
                : ResourceScope.sharedRuntime(orgId, Objects.requireNonNull(runtimeId));
        var decision = authorizer.decide(principal, ACTION, scope, record.appendedAt());
        if (!decision.allowed()) {
            throw decision.toProblem(ACTION).asException();
        }
        return new Reporter(
                principal,
                projectId != null
                        ? new ProjectReporter(orgId, projectId)
                        : new RuntimeReporter(orgId, Objects.requireNonNull(runtimeId)));
    }

    /** Returns the trace id of a W3C traceparent header. */
    static @Nullable String traceId(ReceivedRecord record) {
        var parent = record.headers().get("traceparent");
        var parts = parent == null ? new String[0] : parent.split("-", -1);
        return parts.length == 4 && parts[1].length() == 32 ? parts[1] : null;
    }
}

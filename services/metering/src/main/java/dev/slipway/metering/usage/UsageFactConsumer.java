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
import dev.slipway.contract.ProblemException;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.Failures.NotReadyException;
import dev.slipway.messaging.InboxConsumer.PreparingHandler;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
import dev.slipway.messaging.ReceivedRecord;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.metering.usage.UsageFactJson.BatchBody;
import dev.slipway.metering.usage.UsageReports.ParsedBatch;
import dev.slipway.metering.usage.UsageReports.RefusedRecord;
import dev.slipway.metering.usage.UsageReports.Reporter;
import dev.slipway.metering.usage.domain.FactResult;
import dev.slipway.metering.usage.domain.FactResult.Outcome;
import dev.slipway.metering.usage.domain.ReporterScope.ProjectReporter;
import dev.slipway.metering.usage.domain.ReporterScope.RuntimeReporter;
import io.opentelemetry.context.Context;
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
 * Consumes usage facts from their topic. Each record carries a token for reports; one without a valid token goes to the dead-letter topic. The
 * sender gets no response, so facts and records that are not counted are recorded as refusals.
 */
public final class UsageFactConsumer implements PreparingHandler {
    static final String EVENT_TYPE = "usage.facts.reported";
    private static final String ACTION = "usage.report";
    private static final String BEARER = "Bearer ";
    private static final Pattern TRACE_ID = Pattern.compile("[0-9a-f]{32}");
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

    /**
     * The results of one reporter in a transaction, which has one audit entry.
     *
     * @param correlationId that of the first event of this reporter: the audit entry must not have the context of another one
     */
    private record ReporterResults(UUID auditEntryId, String correlationId, List<FactResult> results) {}

    /** The parsed records of a transaction. */
    private record ParsedRecords(
            List<ParsedBatch> batches,
            List<Instant> receivedAt,
            List<RefusedRecord> refused,
            Map<Reporter, ReporterResults> reporters) {
        ParsedRecords() {
            this(new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new LinkedHashMap<>());
        }
    }

    /** A valid record whose reporter is known, but whose facts cannot be counted. */
    private static final class RefusedException extends RuntimeException {
        private final String field;
        private final String problem;

        RefusedException(String field, String problem) {
            super(field + " " + problem, null, false, false);
            this.field = field;
            this.problem = problem;
        }
    }

    @Override
    public int countItems(Envelope event) {
        return event.payload().path("facts").size();
    }

    @Override
    public Function<UnitOfWork, Future<Void>> prepare(List<ReceivedEvent> events) {
        if (model.age(clock.instant()).compareTo(maxAuthzAge) > 0) {
            throw new NotReadyException("permissions are stale");
        }
        var parsed = new ParsedRecords();
        var byToken = new HashMap<String, Reporter>();
        for (var event : events) {
            parse(event, byToken, parsed);
        }
        return unit -> apply(unit, parsed);
    }

    private Future<Void> apply(UnitOfWork unit, ParsedRecords parsed) {
        parsed.refused.forEach(refused -> reports.refuse(unit, refused));
        var batches = parsed.batches;
        return reports.prepare(batches, unit.now())
                .compose(ok -> reports.apply(unit, batches, Set.of(Outcome.CONFLICT, Outcome.REJECTED)))
                .map(results -> {
                    for (var i = 0; i < batches.size(); i++) {
                        Objects.requireNonNull(
                                        parsed.reporters.get(batches.get(i).reporter()))
                                .results
                                .addAll(results.get(i));
                    }
                    parsed.reporters.forEach((reporter, of) -> reports.audit(
                            unit.withContext(new ChangeContext(of.correlationId, Context.root())),
                            reporter,
                            of.auditEntryId,
                            of.results));
                    reports.recordIngest(unit, parsed.receivedAt);
                    return null;
                });
    }

    private void parse(ReceivedEvent event, Map<String, Reporter> byToken, ParsedRecords parsed) {
        var envelope = event.envelope();
        var reporter = authenticate(event.record(), byToken);
        try {
            var body = requireBatch(envelope);
            authorize(reporter, event.record());
            var of = parsed.reporters.computeIfAbsent(
                    reporter, r -> new ReporterResults(Ids.next(), envelope.correlationId(), new ArrayList<>()));
            parsed.batches.add(
                    reports.parse(body, reporter, envelope.correlationId(), traceId(event.record()), of.auditEntryId));
            parsed.receivedAt.add(event.record().appendedAt());
        } catch (RefusedException refused) {
            parsed.refused.add(new RefusedRecord(
                    reporter,
                    reporter.scope().qualify(source(envelope)),
                    envelope.eventId(),
                    envelope.correlationId(),
                    refused.field,
                    refused.problem));
        }
    }

    private static BatchBody requireBatch(Envelope envelope) {
        if (!envelope.eventType().equals(EVENT_TYPE)) {
            throw new RefusedException("event_type", "is not " + EVENT_TYPE);
        }
        try {
            var body = Json.toRecord(envelope.payload(), BatchBody.class);
            if (body.source() == null || !SOURCE.matcher(body.source()).matches()) {
                throw new RefusedException("source", "is missing or not valid");
            }
            if (body.facts() == null || body.facts().isEmpty() || body.facts().size() > UsageFactJson.MAX_FACTS) {
                throw new RefusedException("facts", "must contain 1 to " + UsageFactJson.MAX_FACTS + " facts");
            }
            return body;
        } catch (IllegalArgumentException e) {
            throw new RefusedException("payload", "is not a batch of facts as the contract describes it");
        }
    }

    /** Returns the source of a record, also of one that is refused. */
    private static String source(Envelope envelope) {
        var source = envelope.payload().path("source").asText();
        return SOURCE.matcher(source).matches() ? source : "";
    }

    /** The token must have been valid when the broker received the record, however long the record waited. */
    private Reporter authenticate(ReceivedRecord record, Map<String, Reporter> byToken) {
        var header = record.headers().get("authorization");
        if (header == null || !header.startsWith(BEARER)) {
            throw Problem.of(ErrorCode.TOKEN_MISSING, "The record carries no token.")
                    .asException();
        }
        try {
            var principal = tokens.verify(header.substring(BEARER.length()), record.appendedAt());
            return byToken.computeIfAbsent(header, h -> reporter(principal));
        } catch (ProblemException rejected) {
            var code = rejected.problem().code();
            if (code == ErrorCode.TOKEN_INVALID || code == ErrorCode.INSUFFICIENT_PERMISSIONS) {
                requireReplicated(record);
            }
            throw rejected;
        }
    }

    /** IAM may have created the reporter or its grant a moment ago: only a model that is as new as the record knows that there is none. */
    private void requireReplicated(ReceivedRecord record) {
        if (!model.isConfirmedSince(record.appendedAt())) {
            throw new NotReadyException("the permissions of the reporter may not be replicated yet");
        }
    }

    private static Reporter reporter(Principal principal) {
        var orgId = principal.orgId();
        var projectId = principal.projectId();
        var runtimeId = principal.sharedRuntimeId();
        if (orgId == null || (projectId == null && runtimeId == null)) {
            throw Problem.of(
                            ErrorCode.INSUFFICIENT_PERMISSIONS,
                            "Only service accounts and shared-runtime operators can report usage by topic.")
                    .asException();
        }
        return new Reporter(
                principal,
                projectId != null
                        ? new ProjectReporter(orgId, projectId)
                        : new RuntimeReporter(orgId, Objects.requireNonNull(runtimeId)));
    }

    private void authorize(Reporter reporter, ReceivedRecord record) {
        var scope = reporter.scope() instanceof RuntimeReporter runtime
                ? ResourceScope.sharedRuntime(runtime.orgId(), runtime.sharedRuntimeId())
                : ResourceScope.project(Objects.requireNonNull(reporter.scope().defaultProject()));
        var decision = authorizer.decide(reporter.principal(), ACTION, scope, record.appendedAt());
        if (!decision.allowed()) {
            requireReplicated(record);
            throw new RefusedException(
                    "authorization", decision.toProblem(ACTION).message());
        }
    }

    /** Returns the trace id of a W3C traceparent header. */
    static @Nullable String traceId(ReceivedRecord record) {
        var parent = record.headers().get("traceparent");
        var parts = parent == null ? new String[0] : parent.split("-", -1);
        return parts.length == 4 && TRACE_ID.matcher(parts[1]).matches() ? parts[1] : null;
    }
}

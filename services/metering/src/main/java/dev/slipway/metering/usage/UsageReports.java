package dev.slipway.metering.usage;

import dev.slipway.authz.Principal;
import dev.slipway.contract.Json;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.metering.usage.UsageFactJson.BatchBody;
import dev.slipway.metering.usage.UsageFactJson.InvalidFactException;
import dev.slipway.metering.usage.UsageFactJson.OutcomeCounts;
import dev.slipway.metering.usage.domain.FactKey;
import dev.slipway.metering.usage.domain.FactResult;
import dev.slipway.metering.usage.domain.FactResult.Outcome;
import dev.slipway.metering.usage.domain.ReportedFact;
import dev.slipway.metering.usage.domain.ReporterScope;
import dev.slipway.metering.usage.domain.ScopedFact;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;

/** Applies the batches of facts that products report, by API or topic: parses, counts, audits, and records what was not counted. */
public final class UsageReports {
    private static final String ACTION = "usage.report";

    private final UsageIngest ingest;
    private final UsageFactStore store;
    private final UsageMetrics metrics;

    public UsageReports(UsageIngest ingest, UsageFactStore store, UsageMetrics metrics) {
        this.ingest = ingest;
        this.store = store;
        this.metrics = metrics;
    }

    /** The authenticated sender of a batch. */
    record Reporter(Principal principal, ReporterScope scope) {}

    /** A fact, or the reason why it could not be parsed. */
    private record ParsedFact(
            @Nullable ReportedFact fact, @Nullable FactResult rejection) {}

    /** A parsed request or record. */
    record ParsedBatch(
            Reporter reporter,
            String source,
            String correlationId,
            @Nullable String traceId,
            UUID auditEntryId,
            List<ParsedFact> facts) {

        List<ReportedFact> validFacts() {
            return facts.stream().map(ParsedFact::fact).filter(Objects::nonNull).toList();
        }
    }

    /** A record of an authenticated reporter of which no fact is counted. */
    record RefusedRecord(
            Reporter reporter, String source, UUID eventId, String correlationId, String field, String problem) {}

    ParsedBatch parse(
            BatchBody body, Reporter reporter, String correlationId, @Nullable String traceId, UUID auditEntryId) {
        var source = reporter.scope.qualify(body.source());
        var facts = new ArrayList<ParsedFact>(body.facts().size());
        for (var fact : body.facts()) {
            try {
                facts.add(new ParsedFact(fact.toFact(source, correlationId), null));
            } catch (InvalidFactException e) {
                facts.add(new ParsedFact(null, e.toResult(new FactKey(source, fact.shownId()))));
            }
        }
        return new ParsedBatch(reporter, source, correlationId, traceId, auditEntryId, facts);
    }

    /** Prepares the transaction in which the batches are applied. */
    Future<Void> prepare(List<ParsedBatch> batches, Instant now) {
        return ingest.prepare(
                batches.stream().flatMap(batch -> batch.validFacts().stream()).toList(), now);
    }

    /** Records how long the batches waited until they were counted. */
    void recordIngest(UnitOfWork unit, Collection<Instant> receivedAt) {
        metrics.recordIngest(unit, receivedAt);
    }

    /** Counts the facts of all batches, and records those that have one of the given outcomes. Returns the results per batch. */
    Future<List<List<FactResult>>> apply(UnitOfWork unit, List<ParsedBatch> batches, Set<Outcome> recorded) {
        var scoped = new ArrayList<ScopedFact>();
        for (var batch : batches) {
            batch.validFacts()
                    .forEach(fact -> scoped.add(new ScopedFact(
                            fact,
                            batch.reporter.scope,
                            batch.reporter.principal.id().toString(),
                            batch.traceId,
                            batch.auditEntryId)));
        }
        return ingest.apply(unit, scoped).map(counted -> {
            var next = counted.iterator();
            var results = new ArrayList<List<FactResult>>();
            for (var batch : batches) {
                var own = batch.facts.stream()
                        .map(fact -> fact.rejection == null ? next.next() : fact.rejection)
                        .toList();
                recordRefusals(unit, batch, own, recorded);
                metrics.count(unit, own);
                results.add(own);
            }
            return results;
        });
    }

    private void recordRefusals(UnitOfWork unit, ParsedBatch batch, List<FactResult> results, Set<Outcome> recorded) {
        var refusals = results.stream()
                .filter(result -> recorded.contains(result.outcome()))
                .toList();
        var scope = batch.reporter.scope;
        store.insertRefusals(unit, refusals, scope.org(), scope.defaultProject(), batch.correlationId);
    }

    /** Records that a whole record was refused, whose sender gets no response. */
    void refuse(UnitOfWork unit, RefusedRecord refused) {
        var scope = refused.reporter.scope;
        var result = FactResult.rejected(
                new FactKey(refused.source, refused.eventId.toString()), refused.field, refused.problem);
        store.insertRefusals(unit, List.of(result), scope.org(), scope.defaultProject(), refused.correlationId);
    }

    /** Records the report of a principal in the audit trail. */
    void audit(UnitOfWork unit, Reporter reporter, UUID auditEntryId, List<FactResult> results) {
        var scope = reporter.scope;
        var metadata = Json.toObject(OutcomeCounts.of(results));
        AuditTrail.recordSuccess(
                unit,
                auditEntryId,
                reporter.principal,
                AuditEntry.ofScope(ACTION, scope.org(), scope.defaultProject(), metadata));
    }
}

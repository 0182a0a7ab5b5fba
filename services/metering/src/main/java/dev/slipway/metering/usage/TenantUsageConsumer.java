package dev.slipway.metering.usage;

import dev.slipway.contract.Json;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.metering.usage.domain.FactAttribution;
import dev.slipway.metering.usage.domain.FactResult;
import dev.slipway.metering.usage.domain.FactResult.Outcome;
import dev.slipway.metering.usage.domain.ReportedFact;
import dev.slipway.metering.usage.domain.ReporterScope.PlatformReporter;
import dev.slipway.metering.usage.domain.ScopedFact;
import io.vertx.core.Future;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import static java.util.Objects.requireNonNull;

/** Counts the usage of tenants that the tenants service reports. A tenant belongs to its organization, so the facts have no project. */
public final class TenantUsageConsumer {
    private static final String SOURCE = "tenants";
    private static final String EVENT = "tenants.usage.reported";

    private final UsageIngest ingest;
    private final UsageFactStore store;
    private final UsageMetrics metrics;

    public TenantUsageConsumer(UsageIngest ingest, UsageFactStore store, UsageMetrics metrics) {
        this.ingest = ingest;
        this.store = store;
        this.metrics = metrics;
    }

    /** The usage of a tenant in a window. */
    private record TenantUsage(
            UUID orgId,
            String resourceType,
            String resourceId,
            Instant windowStart,
            Instant windowEnd,
            List<Quantity> facts) {}

    private record Quantity(String id, String unit, BigDecimal quantity) {
        ReportedFact toFact(TenantUsage usage, String correlationId) {
            return new ReportedFact(
                    SOURCE,
                    id,
                    unit,
                    null,
                    quantity,
                    null,
                    usage.windowStart,
                    usage.windowEnd,
                    usage.orgId,
                    FactAttribution.ofResource(usage.resourceType, usage.resourceId),
                    correlationId,
                    null);
        }
    }

    public Future<Void> apply(UnitOfWork unit, List<ReceivedEvent> events) {
        var facts = new ArrayList<ScopedFact>();
        var received = new ArrayList<Instant>();
        for (var event : events) {
            if (event.envelope().eventType().equals(EVENT)) {
                received.add(event.envelope().occurredAt());
                var usage = Json.toRecord(event.envelope().payload(), TenantUsage.class);
                var traceId = UsageFactConsumer.traceId(event.record());
                for (var quantity : usage.facts) {
                    var fact = quantity.toFact(usage, event.envelope().correlationId());
                    facts.add(new ScopedFact(fact, new PlatformReporter(), SOURCE, traceId, null));
                }
            }
        }
        return ingest.prepareAndApply(unit, facts).map(results -> {
            for (var i = 0; i < results.size(); i++) {
                recordRefusal(unit, results.get(i), facts.get(i).fact());
            }
            metrics.count(unit, results);
            metrics.recordIngest(unit, received);
            return null;
        });
    }

    private void recordRefusal(UnitOfWork unit, FactResult result, ReportedFact fact) {
        if (result.outcome() == Outcome.REJECTED || result.outcome() == Outcome.CONFLICT) {
            store.insertRefusals(unit, List.of(result), fact.orgId(), null, requireNonNull(fact.correlationId()));
        }
    }
}

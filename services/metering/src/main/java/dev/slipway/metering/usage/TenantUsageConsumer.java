package dev.slipway.metering.usage;

import dev.slipway.contract.Json;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.metering.usage.UsageIngest.ScopedFact;
import dev.slipway.metering.usage.domain.FactAttribution;
import dev.slipway.metering.usage.domain.FactResult;
import dev.slipway.metering.usage.domain.FactResult.Outcome;
import dev.slipway.metering.usage.domain.ReportedFact;
import dev.slipway.metering.usage.domain.ReporterScope.PlatformReporter;
import io.vertx.core.Future;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Counts the requests to the data API of tenants, which the tenants service reports. Its other measurements are levels, not usage. A tenant belongs
 * to its organization, so the facts have no project.
 */
public final class TenantUsageConsumer {
    private static final String SOURCE = "tenants";
    private static final String EVENT = "tenants.usage.reported";
    private static final String UNIT = "tenant_api_request";

    private final UsageIngest ingest;
    private final UsageFactStore store;
    private final UsageMetrics metrics;

    public TenantUsageConsumer(UsageIngest ingest, UsageFactStore store, UsageMetrics metrics) {
        this.ingest = ingest;
        this.store = store;
        this.metrics = metrics;
    }

    /** The fields of a report that are counted: the requests since the previous report. */
    private record TenantUsage(UUID usageId, UUID orgId, UUID tenantId, Instant measuredAt, long apiRequests) {
        /** The report does not say when the previous one was made: the requests belong to the time of the measurement. */
        ReportedFact toFact(String correlationId) {
            var end = measuredAt.truncatedTo(ChronoUnit.MILLIS);
            return new ReportedFact(
                    SOURCE,
                    usageId.toString(),
                    UNIT,
                    null,
                    BigDecimal.valueOf(apiRequests),
                    null,
                    end.minusMillis(1),
                    end,
                    orgId,
                    FactAttribution.ofResource("tenant", tenantId.toString()),
                    correlationId,
                    null);
        }
    }

    public Future<Void> apply(UnitOfWork unit, List<ReceivedEvent> events) {
        var records = new ArrayList<ReceivedEvent>();
        var facts = new ArrayList<ScopedFact>();
        for (var event : events) {
            if (event.envelope().eventType().equals(EVENT)) {
                var usage = Json.toRecord(event.envelope().payload(), TenantUsage.class);
                if (usage.apiRequests > 0) {
                    records.add(event);
                    facts.add(new ScopedFact(
                            usage.toFact(event.envelope().correlationId()),
                            new PlatformReporter(),
                            SOURCE,
                            UsageFactConsumer.traceId(event.record()),
                            null));
                }
            }
        }
        return ingest.prepare(facts.stream().map(ScopedFact::fact).toList(), unit.now())
                .compose(ok -> ingest.apply(unit, facts))
                .map(results -> {
                    for (var i = 0; i < results.size(); i++) {
                        recordRefusal(unit, results.get(i), facts.get(i).fact(), records.get(i));
                    }
                    metrics.count(results);
                    return null;
                });
    }

    private void recordRefusal(UnitOfWork unit, FactResult result, ReportedFact fact, ReceivedEvent event) {
        if (result.outcome() == Outcome.REJECTED || result.outcome() == Outcome.CONFLICT) {
            store.insertRefusals(
                    unit, List.of(result), fact.orgId(), null, event.envelope().correlationId());
        }
    }
}

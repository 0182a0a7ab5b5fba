package dev.slipway.metering.usage;

import dev.slipway.contract.Envelope;
import dev.slipway.contract.Json;
import dev.slipway.messaging.Failures.NotReadyException;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.metering.usage.domain.FactAttribution;
import dev.slipway.metering.usage.domain.FactResult;
import dev.slipway.metering.usage.domain.FactResult.Outcome;
import dev.slipway.metering.usage.domain.ReportedFact;
import dev.slipway.metering.usage.domain.ReporterScope.PlatformReporter;
import dev.slipway.metering.usage.domain.ScopedFact;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** Counts the usage that adapters report. The instances service has authorized the reports and checked their windows. */
public final class AdapterUsageConsumer {
    static final String SOURCE = "adapter";
    private static final Set<String> TYPES =
            Set.of("apps.instance_usage.reported", "apps.shared_runtime_usage.reported");
    /** A report can arrive before the events of its instance, but not much. */
    private static final Duration MAX_REPLICATION_DELAY = Duration.ofMinutes(5);

    private final UsageIngest ingest;
    private final UsageFactStore store;
    private final UsageMetrics metrics;

    public AdapterUsageConsumer(UsageIngest ingest, UsageFactStore store, UsageMetrics metrics) {
        this.ingest = ingest;
        this.store = store;
        this.metrics = metrics;
    }

    /** The payload of a usage report; which of the nullable fields it has depends on whom the usage belongs to. */
    private record UsageReport(
            @Nullable UUID appInstanceId,
            @Nullable UUID sharedRuntimeId,
            UUID usageId,
            UUID orgId,
            @Nullable UUID projectId,
            @Nullable UUID attachmentId,
            @Nullable UUID sourceProjectId,
            String appSlug,
            String unit,
            BigDecimal quantity,
            String windowStart,
            String windowEnd) {

        ReportedFact toFact(String correlationId) {
            var subject = appInstanceId == null ? sharedRuntimeId : appInstanceId;
            return new ReportedFact(
                    SOURCE,
                    subject + "/" + usageId,
                    unit,
                    null,
                    quantity,
                    null,
                    time(windowStart),
                    time(windowEnd),
                    orgId,
                    new FactAttribution(
                            projectId,
                            appInstanceId,
                            sharedRuntimeId,
                            attachmentId,
                            sourceProjectId,
                            appSlug,
                            null,
                            null,
                            null,
                            null,
                            null,
                            null),
                    correlationId,
                    null);
        }

        private static Instant time(String text) {
            return OffsetDateTime.parse(text).toInstant().truncatedTo(ChronoUnit.MICROS);
        }
    }

    public Future<Void> apply(UnitOfWork unit, List<ReceivedEvent> events) {
        var records = new ArrayList<ReceivedEvent>();
        var facts = new ArrayList<ScopedFact>();
        for (var event : events) {
            if (TYPES.contains(event.envelope().eventType())) {
                records.add(event);
                facts.add(new ScopedFact(
                        fact(event.envelope()),
                        new PlatformReporter(),
                        SOURCE,
                        UsageFactConsumer.traceId(event.record()),
                        null));
            }
        }
        return ingest.prepareAndApply(unit, facts).map(results -> {
            for (var i = 0; i < results.size(); i++) {
                record(unit, results.get(i), facts.get(i).fact(), records.get(i));
            }
            metrics.count(unit, results);
            // Since the report entered the outbox of the service that received it.
            metrics.recordIngest(
                    unit,
                    records.stream().map(each -> each.envelope().occurredAt()).toList());
            return null;
        });
    }

    private static ReportedFact fact(Envelope event) {
        return Json.toRecord(event.payload(), UsageReport.class).toFact(event.correlationId());
    }

    private void record(UnitOfWork unit, FactResult result, ReportedFact fact, ReceivedEvent event) {
        var rejected = result.outcome() == Outcome.REJECTED;
        var age = Duration.between(event.record().appendedAt(), unit.now());
        if (result.isUnknown() && age.compareTo(MAX_REPLICATION_DELAY) < 0) {
            throw new NotReadyException(result.field() + " of a usage report is not replicated yet");
        }
        if (rejected || result.outcome() == Outcome.CONFLICT) {
            store.insertRefusals(
                    unit,
                    List.of(result),
                    fact.orgId(),
                    fact.attribution().projectId(),
                    event.envelope().correlationId());
        }
    }
}

package dev.slipway.metering.runtimehours;

import dev.slipway.contract.Ids;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.metering.runtimehours.RuntimeHoursStore.DueInterval;
import dev.slipway.metering.runtimehours.domain.RuntimeHours;
import dev.slipway.metering.runtimehours.domain.RuntimeHours.Emission;
import dev.slipway.metering.runtimehours.domain.RuntimeHours.HourBucket;
import dev.slipway.metering.runtimehours.domain.RuntimeHours.Outage;
import dev.slipway.metering.usage.domain.FactAttribution;
import dev.slipway.metering.usage.domain.FactResult;
import dev.slipway.metering.usage.domain.FactResult.Outcome;
import dev.slipway.metering.usage.domain.ReportedFact;
import dev.slipway.metering.usage.domain.ReporterScope.PlatformReporter;
import dev.slipway.metering.usage.domain.ScopedFact;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.stream.Collectors;

/**
 * Counts running time as usage facts, one per clock hour and interval. The ids of the facts depend only on resource, interval and hour, so
 * counting an interval again changes nothing.
 */
public final class RuntimeHoursEmitter {
    private static final Logger LOG = LoggerFactory.getLogger(RuntimeHoursEmitter.class);
    /** The registered unit of running time. It differs from {@code app_runtime_hour}, which adapters measure and report. */
    static final String UNIT = "app_uptime_hour";

    static final String SOURCE = "lifecycle";
    private static final long INTERVAL_MS = 15_000;
    private static final int BATCH = 200;

    private final Vertx vertx;
    private final RuntimeHoursStore store;
    private final BiFunction<UnitOfWork, List<ScopedFact>, Future<List<FactResult>>> ingest;
    private final Outbox outbox;
    private long timer;

    /** Takes the function that counts facts. */
    public RuntimeHoursEmitter(
            Vertx vertx,
            RuntimeHoursStore store,
            BiFunction<UnitOfWork, List<ScopedFact>, Future<List<FactResult>>> ingest,
            Outbox outbox) {
        this.vertx = vertx;
        this.store = store;
        this.ingest = ingest;
        this.outbox = outbox;
    }

    /** Starts to emit periodically. */
    public void start() {
        timer = vertx.setPeriodic(INTERVAL_MS, fired -> emit().onFailure(
                        e -> LOG.atWarn().setCause(e).log("runtime hours not emitted; retrying in 15 seconds")));
    }

    public void stop() {
        vertx.cancelTimer(timer);
    }

    /** Emits all running time that can be emitted now; returns the number of facts. */
    public Future<Integer> emit() {
        var context = new ChangeContext(Ids.next().toString(), Context.root());
        return outbox.transaction(context, this::emitBatch)
                .compose(batch -> batch.intervals < BATCH
                        ? Future.succeededFuture(batch.facts)
                        : emit().map(more -> more + batch.facts));
    }

    private record EmittedBatch(int intervals, int facts) {}

    private Future<EmittedBatch> emitBatch(UnitOfWork unit) {
        return store.lockDue(unit, BATCH).compose(due -> {
            if (due.isEmpty()) {
                return Future.succeededFuture(new EmittedBatch(0, 0));
            }
            var backends = due.stream()
                    .map(DueInterval::runtimeBackend)
                    .filter(Objects::nonNull)
                    .collect(Collectors.toSet());
            return store.findOutages(unit, backends).compose(outages -> emit(unit, due, outages));
        });
    }

    private Future<EmittedBatch> emit(UnitOfWork unit, List<DueInterval> due, Map<String, List<Outage>> outages) {
        var facts = new ArrayList<ScopedFact>();
        for (var interval : due) {
            var emission = RuntimeHours.emit(
                    interval.interval(),
                    interval.confirmedUntil(),
                    interval.runtimeBackend() == null
                            ? List.of()
                            : outages.getOrDefault(interval.runtimeBackend(), List.of()));
            addFacts(facts, interval, emission);
            store.updateEmitted(unit, interval, emission.emittedUntil());
        }
        return ingest.apply(unit, facts).map(results -> {
            results.forEach(RuntimeHoursEmitter::requireCounted);
            return new EmittedBatch(due.size(), results.size());
        });
    }

    private static void addFacts(List<ScopedFact> facts, DueInterval interval, Emission emission) {
        emission.buckets()
                .forEach(bucket ->
                        facts.add(new ScopedFact(fact(interval, bucket), new PlatformReporter(), SOURCE, null, null)));
    }

    private static ReportedFact fact(DueInterval interval, HourBucket bucket) {
        var id = interval.subjectId() + "/" + interval.sequence() + "/" + bucket.hour();
        return new ReportedFact(
                SOURCE,
                bucket.correction() ? id + "/end" : id,
                UNIT,
                null,
                bucket.correction() ? null : bucket.quantity(),
                bucket.correction() ? bucket.quantity() : null,
                bucket.start(),
                bucket.end(),
                null,
                interval.isInstance()
                        ? FactAttribution.ofInstance(interval.subjectId())
                        : FactAttribution.ofSharedRuntime(interval.subjectId()),
                null,
                bucket.correction() ? id : null);
    }

    /** Fails the transaction, so that running time is not lost: the unit may not be replicated yet. */
    private static void requireCounted(FactResult result) {
        if (result.outcome() == Outcome.REJECTED || result.outcome() == Outcome.CONFLICT) {
            throw new IllegalStateException(
                    "runtime hours " + result.factId() + " not counted: " + result.field() + " " + result.problem());
        }
    }
}

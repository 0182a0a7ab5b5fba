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
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BiFunction;

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
    /** The time for which an interval is put aside if its hours are not counted. */
    private static final Duration ASIDE = Duration.ofMinutes(15);

    private final Vertx vertx;
    private final RuntimeHoursStore store;
    private final BiFunction<UnitOfWork, List<ScopedFact>, Future<List<FactResult>>> ingest;
    private final Outbox outbox;
    private long timer;
    private volatile double oldestSeconds;

    /** Takes the function that counts facts. */
    public RuntimeHoursEmitter(
            Vertx vertx,
            RuntimeHoursStore store,
            BiFunction<UnitOfWork, List<ScopedFact>, Future<List<FactResult>>> ingest,
            Outbox outbox,
            MeterRegistry meters) {
        this.vertx = vertx;
        this.store = store;
        this.ingest = ingest;
        this.outbox = outbox;
        Gauge.builder("slipway.usage.runtime.hours.age", this, emitter -> emitter.oldestSeconds)
                .description("Time since the start of the oldest hour of running time that could be counted but is not")
                .baseUnit("seconds")
                .register(meters);
    }

    /** Identifies an interval. */
    private record IntervalKey(UUID subjectId, long sequence) {
        static IntervalKey of(DueInterval interval) {
            return new IntervalKey(interval.subjectId(), interval.sequence());
        }
    }

    /** Some hours of intervals are not counted, so that the batch is emitted again without these intervals. */
    private static final class NotCountedException extends RuntimeException {
        private final Map<IntervalKey, String> problems;

        NotCountedException(Map<IntervalKey, String> problems) {
            super("runtime hours not counted: " + problems, null, false, false);
            this.problems = problems;
        }
    }

    private record EmittedBatch(boolean complete, int facts) {}

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
        return emitBatch(Map.of())
                .compose(batch -> batch.complete ? measure().map(batch.facts) : emit().map(more -> more + batch.facts));
    }

    /** Measures how long the oldest hour waits. */
    private Future<Void> measure() {
        return outbox.transaction(
                newContext(), unit -> store.findOldestDue(unit).map(oldest -> {
                    oldestSeconds = oldest == null
                            ? 0
                            : Duration.between(oldest, unit.now()).toMillis() / 1e3;
                    return null;
                }));
    }

    private static ChangeContext newContext() {
        return new ChangeContext(Ids.next().toString(), Context.root());
    }

    /** Emits a batch without the failing intervals, which are put aside: they must not block those of others. */
    private Future<EmittedBatch> emitBatch(Map<IntervalKey, String> failing) {
        return outbox.transaction(newContext(), unit -> emitBatch(unit, failing))
                .recover(e -> {
                    if (e instanceof NotCountedException notCounted) {
                        var all = new HashMap<>(failing);
                        all.putAll(notCounted.problems);
                        return emitBatch(all);
                    }
                    return Future.failedFuture(e);
                });
    }

    private Future<EmittedBatch> emitBatch(UnitOfWork unit, Map<IntervalKey, String> failing) {
        return store.lockDue(unit, BATCH).compose(found -> {
            var due = new ArrayList<DueInterval>();
            for (var interval : found) {
                var problem = failing.get(IntervalKey.of(interval));
                if (problem == null) {
                    due.add(interval);
                } else {
                    putAside(unit, interval, problem);
                }
            }
            return due.isEmpty()
                    ? Future.succeededFuture(new EmittedBatch(found.size() < BATCH, 0))
                    : store.findOutages(unit, due)
                            .compose(outages -> emit(unit, due, outages))
                            .map(facts -> new EmittedBatch(facts == 0 && found.size() < BATCH, facts));
        });
    }

    private void putAside(UnitOfWork unit, DueInterval interval, String problem) {
        LOG.atError()
                .addKeyValue("subject_id", interval.subjectId())
                .addKeyValue("sequence", interval.sequence())
                .log(
                        "runtime hours of an interval are not counted: {}; retrying in {} minutes",
                        problem,
                        ASIDE.toMinutes());
        store.putAside(unit, interval, unit.now().plus(ASIDE));
    }

    /** Returns the number of facts. */
    private Future<Integer> emit(UnitOfWork unit, List<DueInterval> due, Map<String, List<Outage>> outages) {
        var facts = new ArrayList<ScopedFact>();
        var intervals = new ArrayList<IntervalKey>();
        for (var interval : due) {
            var emission = RuntimeHours.emit(
                    interval.interval(),
                    interval.confirmedUntil(),
                    interval.runtimeBackend() == null
                            ? List.of()
                            : outages.getOrDefault(interval.runtimeBackend(), List.of()));
            addFacts(facts, interval, emission);
            intervals.addAll(Collections.nCopies(emission.buckets().size(), IntervalKey.of(interval)));
            store.updateEmitted(unit, interval, emission.emittedUntil());
        }
        return ingest.apply(unit, facts).map(results -> {
            requireCounted(intervals, results);
            return results.size();
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
    private static void requireCounted(List<IntervalKey> intervals, List<FactResult> results) {
        var problems = new HashMap<IntervalKey, String>();
        for (var i = 0; i < results.size(); i++) {
            var result = results.get(i);
            if (result.outcome() == Outcome.REJECTED || result.outcome() == Outcome.CONFLICT) {
                problems.putIfAbsent(intervals.get(i), result.factId() + " " + result.field() + " " + result.problem());
            }
        }
        if (!problems.isEmpty()) {
            throw new NotCountedException(problems);
        }
    }
}

package dev.slipway.audit.consistency;

import dev.slipway.contract.Json;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import dev.slipway.service.consistency.ConsistencyJson;
import dev.slipway.service.consistency.ConsistencyJson.CheckCompleted;
import dev.slipway.service.consistency.ConsistencyJson.Difference;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Collects the results of the consistency checks of all services, and serves them. */
public final class ConsistencyReportApi {
    private final ConsistencyResultStore store;
    private final Clock clock;
    private final Map<String, Long> differences = new ConcurrentHashMap<>();

    /** A check in the response body. */
    record CheckResponse(
            String service,
            String check,
            String description,
            Instant startedAt,
            Instant completedAt,
            long ageSeconds,
            long checked,
            long differences,
            List<Difference> examples) {
        static CheckResponse of(CheckCompleted result, Instant now) {
            return new CheckResponse(
                    result.service(),
                    result.check(),
                    result.description(),
                    result.startedAt(),
                    result.completedAt(),
                    Math.max(0, Duration.between(result.completedAt(), now).toSeconds()),
                    result.checked(),
                    result.differences(),
                    result.examples());
        }
    }

    /**
     * The response body.
     *
     * @param consistent null before the first result
     * @param ageSeconds the age of the oldest result
     */
    record ReportResponse(
            @Nullable Boolean consistent, @Nullable Long ageSeconds, List<CheckResponse> checks) {}

    public ConsistencyReportApi(ConsistencyResultStore store, Clock clock) {
        this.store = store;
        this.clock = clock;
    }

    public Future<Reply> get(Request request) {
        return store.list().map(results -> Reply.ofRecord(report(results, clock.instant())));
    }

    static ReportResponse report(List<CheckCompleted> results, Instant now) {
        var checks =
                results.stream().map(result -> CheckResponse.of(result, now)).toList();
        return checks.isEmpty()
                ? new ReportResponse(null, null, checks)
                : new ReportResponse(
                        checks.stream().allMatch(check -> check.differences() == 0),
                        checks.stream()
                                .mapToLong(CheckResponse::ageSeconds)
                                .max()
                                .orElseThrow(),
                        checks);
    }

    /** Returns the number of differences in the newest results that this process has seen. */
    public long countDifferences() {
        return differences.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Stores results; an older one does not replace a newer one. */
    public Future<Void> apply(UnitOfWork unit, List<ReceivedEvent> events) {
        for (var event : events) {
            if (event.envelope().eventType().equals(ConsistencyJson.CHECK_COMPLETED)) {
                var result = Json.toRecord(event.envelope().payload(), CheckCompleted.class);
                store.upsert(unit, result);
                differences.put(result.service() + "." + result.check(), result.differences());
            }
        }
        return Future.succeededFuture();
    }
}

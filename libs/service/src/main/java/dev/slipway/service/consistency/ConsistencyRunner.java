package dev.slipway.service.consistency;

import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.consistency.ConsistencyJson.CheckCompleted;
import dev.slipway.service.consistency.ConsistencyJson.Claim;
import dev.slipway.service.consistency.ConsistencyJson.ClaimsStated;
import dev.slipway.service.consistency.ConsistencyJson.Difference;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.StreamSupport;

/**
 * Runs the checks of a service and publishes its claims, one after the other, in slices with pauses. A pass starts at intervals. If a service
 * has several processes, each of them makes its passes.
 */
public final class ConsistencyRunner {
    private static final Logger LOG = LoggerFactory.getLogger(ConsistencyRunner.class);
    private static final int SLICE_ROWS = 500;
    private static final long MAX_PAUSE_MS = 1_000;
    private static final long MAX_FIRST_DELAY_MS = 60_000;

    private final Vertx vertx;
    private final String service;
    private final SqlClient reads;
    private final Outbox outbox;
    private final Duration interval;
    private final List<ConsistencyCheck> checks = new ArrayList<>();
    private final List<ConsistencyClaim> claims = new ArrayList<>();
    private boolean stopped;

    public ConsistencyRunner(Vertx vertx, String service, SqlClient reads, Outbox outbox, Duration interval) {
        this.vertx = vertx;
        this.service = service;
        this.reads = reads;
        this.outbox = outbox;
        this.interval = interval;
    }

    public void add(ConsistencyCheck check) {
        checks.add(check);
    }

    public void add(ConsistencyClaim claim) {
        claims.add(claim);
    }

    public void start() {
        if (!checks.isEmpty() || !claims.isEmpty()) {
            schedule(Math.min(MAX_FIRST_DELAY_MS, interval.toMillis()));
        }
    }

    public void stop() {
        stopped = true;
    }

    private void schedule(long delayMs) {
        vertx.setTimer(delayMs, timer -> {
            if (!stopped) {
                run().onFailure(e -> LOG.atWarn()
                                .addKeyValue("service", service)
                                .setCause(e)
                                .log("consistency check not completed; retrying at the next interval"))
                        .onComplete(done -> schedule(interval.toMillis()));
            }
        });
    }

    /** Runs one pass of every check and claim. */
    public Future<Void> run() {
        var chain = Future.<Void>succeededFuture();
        for (var check : checks) {
            chain = chain.compose(ok -> run(check));
        }
        for (var claim : claims) {
            chain = chain.compose(ok -> outbox.transaction(context(), unit -> Future.succeededFuture(unit.now()))
                    .compose(startedAt -> publish(claim, Ids.next(), startedAt, 0, "")));
        }
        return chain;
    }

    private Future<Void> run(ConsistencyCheck check) {
        return outbox.transaction(context(), unit -> Future.succeededFuture(new Tally(unit.now())))
                .compose(tally -> checkSlices(check, "", tally).map(tally))
                .compose(tally -> outbox.transaction(context(), unit -> {
                    publish(unit, tally.toResult(service, check.name(), check.description(), unit.now()));
                    return Future.succeededFuture();
                }));
    }

    private Future<Void> checkSlices(ConsistencyCheck check, String after, Tally tally) {
        return reads.preparedQuery(check.slice())
                .execute(Tuple.of(after, SLICE_ROWS))
                .compose(rows -> {
                    tally.add(rows.size(), differences(rows, check.verdict()));
                    return rows.size() < SLICE_ROWS || stopped
                            ? Future.succeededFuture()
                            : pause().compose(ok -> checkSlices(check, lastKey(rows), tally));
                });
    }

    private Future<Void> publish(ConsistencyClaim claim, UUID passId, Instant startedAt, int slice, String after) {
        return reads.preparedQuery(claim.slice())
                .execute(Tuple.of(after, SLICE_ROWS))
                .compose(rows -> {
                    var last = rows.size() < SLICE_ROWS;
                    var payload = new ClaimsStated(claim.name(), passId, startedAt, slice, last, claims(rows));
                    return outbox.<Void>transaction(context(), unit -> {
                                unit.publish(
                                        Topics.CONSISTENCY_EVENTS,
                                        claim.name(),
                                        ConsistencyJson.CLAIMS_STATED,
                                        Json.toObject(payload));
                                return Future.succeededFuture();
                            })
                            .compose(ok -> last || stopped
                                    ? Future.succeededFuture()
                                    : pause().compose(paused ->
                                            publish(claim, passId, startedAt, slice + 1, lastKey(rows))));
                });
    }

    /** Publishes a result. */
    static void publish(UnitOfWork unit, CheckCompleted result) {
        if (result.differences() > 0) {
            LOG.atError()
                    .addKeyValue("service", result.service())
                    .addKeyValue("check", result.check())
                    .addKeyValue("differences", result.differences())
                    .addKeyValue("example", result.examples().get(0))
                    .log("consistency check found differences");
        }
        unit.publish(
                Topics.CONSISTENCY_EVENTS,
                result.service() + "." + result.check(),
                ConsistencyJson.CHECK_COMPLETED,
                Json.toObject(result));
    }

    static List<Difference> differences(RowSet<Row> rows, Function<Row, @Nullable String> verdict) {
        var found = new ArrayList<Difference>();
        for (var row : rows) {
            var difference = verdict.apply(row);
            if (difference != null) {
                found.add(new Difference(row.getString("key"), difference));
            }
        }
        return found;
    }

    private static List<Claim> claims(RowSet<Row> rows) {
        return StreamSupport.stream(rows.spliterator(), false)
                .map(row -> new Claim(row.getString("key"), row.getString("value")))
                .toList();
    }

    private static String lastKey(RowSet<Row> rows) {
        String last = null;
        for (var row : rows) {
            last = row.getString("key");
        }
        return Objects.requireNonNull(last, "an empty slice has no last key");
    }

    private Future<Void> pause() {
        return vertx.timer(Math.max(1, Math.min(MAX_PAUSE_MS, interval.toMillis() / 100)))
                .mapEmpty();
    }

    private static ChangeContext context() {
        return new ChangeContext(Ids.next().toString(), Context.root());
    }
}

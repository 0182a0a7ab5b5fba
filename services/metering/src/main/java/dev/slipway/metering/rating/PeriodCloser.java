package dev.slipway.metering.rating;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.metering.rating.StatementStore.FinalStatement;
import dev.slipway.metering.rating.StatementStore.PeriodState;
import dev.slipway.metering.rating.StatementStore.UnfinishedStatement;
import dev.slipway.service.AuditResult;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Closes periods, on request and some days after their end, and finalizes the statement of each organization once all its facts are rated: in a
 * transaction per organization, so that rating continues and one that cannot be rated does not keep the others waiting.
 */
public final class PeriodCloser {
    private static final Logger LOG = LoggerFactory.getLogger(PeriodCloser.class);
    private static final String ACTION = "billing.period.close";
    private static final long INTERVAL_MS = 3_600_000;
    private static final long MEASURE_MS = 60_000;
    /** Statements that a request waits for; more are finalized in the background. */
    private static final int PAGE = 200;

    private final Vertx vertx;
    private final Outbox outbox;
    private final StatementStore store;
    private final Mutations mutations;
    private final Duration closeAfter;
    private final Clock clock;
    private final AtomicLong unfinalMs = new AtomicLong();

    private record ClosedPeriod(
            String period,
            Instant closedAt,
            @JsonProperty("final") boolean isFinal,
            int statements,
            long unrated) {}

    private record StatementEvent(UUID orgId, String period, String currency, String total) {}

    private record CloseMetadata(String period, int statements) {}

    public PeriodCloser(
            Vertx vertx,
            Outbox outbox,
            StatementStore store,
            Mutations mutations,
            Duration closeAfter,
            Clock clock,
            MeterRegistry meters) {
        this.vertx = vertx;
        this.outbox = outbox;
        this.store = store;
        this.mutations = mutations;
        this.closeAfter = closeAfter;
        this.clock = clock;
        Gauge.builder("slipway.billing.unfinal", unfinalMs, each -> each.get() / 1e3)
                .description(
                        "Time for which a closed period has had no final statements for all organizations; 0 if none")
                .baseUnit("seconds")
                .register(meters);
    }

    public void start() {
        closeInBackground();
        vertx.setPeriodic(INTERVAL_MS, timer -> closeInBackground());
        vertx.setPeriodic(MEASURE_MS, timer -> measure()
                .onFailure(e -> LOG.atWarn().setCause(e).log("cannot measure the age of periods that are not final")));
    }

    private void closeInBackground() {
        closeDue().onFailure(e -> LOG.atWarn().setCause(e).log("cannot close a billing period; retrying in an hour"));
    }

    public Future<Reply> close(Request request) {
        var period = StatementApi.period(request);
        if (!clock.instant().isAfter(end(period))) {
            throw Problem.of(ErrorCode.PERIOD_NOT_ENDED, "The month has not ended. Close it after " + end(period) + ".")
                    .asException();
        }
        var context = request.changeContext();
        return outbox.transaction(context, unit -> store.close(unit, period))
                .compose(closedNow -> finalizePage(context))
                .compose(found -> outbox.transaction(context, store::markFinal).map(becameFinal -> found))
                .compose(found -> {
                    if (found == PAGE) {
                        closeInBackground();
                    }
                    return mutations.run(
                            request, unit -> store.findState(unit, period).map(state -> {
                                var closed = closed(period, state);
                                AuditTrail.recordSuccess(unit, request.principal(), audit(closed));
                                return Reply.ofRecord(closed);
                            }));
                });
    }

    /**
     * Closes the last month that ended longer ago than the configured time, if it has usage, and finalizes statements that were not complete before.
     * Records it if there was anything to do.
     */
    Future<Void> closeDue() {
        var due = LocalDate.ofInstant(clock.instant().minus(closeAfter), ZoneOffset.UTC)
                .withDayOfMonth(1)
                .minusMonths(1);
        var context = new ChangeContext(Ids.next().toString(), Context.root());
        return store.findWork(due).compose(work -> {
            if (!work.due() && !work.unfinished()) {
                return Future.succeededFuture();
            }
            return (work.due()
                            ? outbox.transaction(context, unit -> store.close(unit, due))
                            : Future.succeededFuture(false))
                    .compose(closedNow -> finalizeAll(context)
                            .compose(becameFinal -> closedNow || becameFinal
                                    ? outbox.transaction(context, unit -> recordClosed(unit, due))
                                    : Future.succeededFuture()));
        });
    }

    private Future<Void> recordClosed(UnitOfWork unit, LocalDate period) {
        return store.findState(unit, period).map(state -> {
            AuditTrail.recordSystemAction(
                    unit, "system", "billing", null, audit(closed(period, state)), AuditResult.SUCCESS, null);
            return null;
        });
    }

    /** Returns whether a period has become final. */
    private Future<Boolean> finalizeAll(ChangeContext context) {
        return finalizePage(context)
                .compose(found -> found == PAGE ? finalizeAll(context) : outbox.transaction(context, store::markFinal));
    }

    /** Returns how many statements could be finalized before. */
    private Future<Integer> finalizePage(ChangeContext context) {
        return store.findUnfinished(PAGE).compose(found -> {
            var chain = Future.<Void>succeededFuture();
            for (var unfinished : found) {
                chain = chain.compose(ok -> outbox.transaction(context, unit -> finalizeStatement(unit, unfinished)));
            }
            return chain.map(ok -> found.size());
        });
    }

    private Future<Void> finalizeStatement(UnitOfWork unit, UnfinishedStatement unfinished) {
        return store.finalizeStatement(unit, unfinished).map(statement -> {
            if (statement != null) {
                publish(unit, statement);
            }
            return null;
        });
    }

    /** Updates the exposed age. */
    Future<Void> measure() {
        return store.findUnfinalAge()
                .onSuccess(age -> unfinalMs.set((long) (age * 1e3)))
                .mapEmpty();
    }

    private static ClosedPeriod closed(LocalDate period, PeriodState state) {
        return new ClosedPeriod(
                YearMonth.from(period).toString(),
                state.closedAt(),
                state.isFinal(),
                state.statements(),
                state.unrated());
    }

    private static void publish(UnitOfWork unit, FinalStatement statement) {
        unit.publish(
                Topics.BILLING_EVENTS,
                statement.orgId().toString(),
                "billing.statement.finalized",
                Json.toObject(new StatementEvent(
                        statement.orgId(),
                        statement.period().toString(),
                        statement.currency(),
                        statement.total().toPlainString())));
    }

    private static AuditEntry audit(ClosedPeriod closed) {
        return new AuditEntry(
                ACTION,
                "billing_period",
                closed.period,
                null,
                null,
                Json.toObject(new CloseMetadata(closed.period, closed.statements)));
    }

    private static Instant end(LocalDate period) {
        return period.plusMonths(1).atStartOfDay(ZoneOffset.UTC).toInstant();
    }
}

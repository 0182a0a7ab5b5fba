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
import dev.slipway.service.AuditResult;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
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

/** Closes periods, on request and some days after their end, and finalizes their statements once all their facts are rated. */
public final class PeriodCloser {
    private static final Logger LOG = LoggerFactory.getLogger(PeriodCloser.class);
    private static final String ACTION = "billing.period.close";
    private static final long INTERVAL_MS = 3_600_000;

    private final Vertx vertx;
    private final Outbox outbox;
    private final StatementStore store;
    private final Mutations mutations;
    private final Duration closeAfter;
    private final Clock clock;

    private record ClosedPeriod(
            String period,
            Instant closedAt,
            @JsonProperty("final") boolean isFinal,
            int statements,
            long unrated) {}

    private record StatementEvent(UUID orgId, String period, String currency, String total) {}

    private record CloseMetadata(String period, int statements) {}

    public PeriodCloser(
            Vertx vertx, Outbox outbox, StatementStore store, Mutations mutations, Duration closeAfter, Clock clock) {
        this.vertx = vertx;
        this.outbox = outbox;
        this.store = store;
        this.mutations = mutations;
        this.closeAfter = closeAfter;
        this.clock = clock;
    }

    public void start() {
        vertx.setPeriodic(INTERVAL_MS, timer -> closeDue()
                .onFailure(e -> LOG.atWarn().setCause(e).log("cannot close a billing period; retrying in an hour")));
    }

    public Future<Reply> close(Request request) {
        var period = StatementApi.period(request);
        return mutations.run(request, unit -> {
            if (!unit.now().isAfter(end(period))) {
                throw Problem.of(
                                ErrorCode.PERIOD_NOT_ENDED,
                                "The month has not ended. Close it after " + end(period) + ".")
                        .asException();
            }
            return close(unit, period).map(closed -> {
                AuditTrail.recordSuccess(unit, request.principal(), audit(closed));
                return Reply.ofRecord(closed);
            });
        });
    }

    /** Closes the last month that ended longer ago than the configured time, and finalizes statements that were not complete before. */
    Future<Void> closeDue() {
        var due = LocalDate.ofInstant(clock.instant().minus(closeAfter), ZoneOffset.UTC)
                .withDayOfMonth(1)
                .minusMonths(1);
        var context = new ChangeContext(Ids.next().toString(), Context.root());
        return outbox.transaction(context, unit -> close(unit, due).map(closed -> {
            if (closed.statements > 0) {
                AuditTrail.recordSystemAction(
                        unit, "system", "billing", null, audit(closed), AuditResult.SUCCESS, null);
            }
            return null;
        }));
    }

    private Future<ClosedPeriod> close(UnitOfWork unit, LocalDate period) {
        var month = YearMonth.from(period).toString();
        return store.close(unit, period).compose(closedAt -> store.lockRating(unit)
                .compose(ok -> store.countUnrated(unit, period))
                .compose(unrated -> unrated > 0
                        ? Future.succeededFuture(new ClosedPeriod(month, closedAt, false, 0, unrated))
                        : finalizeStatements(unit, period)
                                .map(count -> new ClosedPeriod(month, closedAt, true, count, 0))));
    }

    private Future<Integer> finalizeStatements(UnitOfWork unit, LocalDate period) {
        return store.finalizeStatements(unit, period).compose(created -> {
            created.forEach(statement -> publish(unit, statement));
            return store.countStatements(unit, period);
        });
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

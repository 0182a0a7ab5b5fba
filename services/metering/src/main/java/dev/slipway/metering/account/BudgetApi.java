package dev.slipway.metering.account;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.messaging.QueryExecutor;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.metering.ledger.AccountStore;
import dev.slipway.metering.ledger.LedgerStore;
import dev.slipway.metering.ledger.LedgerWriter;
import dev.slipway.metering.ledger.domain.Budget;
import dev.slipway.metering.ledger.domain.Freshness;
import dev.slipway.metering.ledger.domain.LimitAction;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
import dev.slipway.service.ETags;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;

/** Serves the monthly budgets of projects. */
public final class BudgetApi {
    private static final List<Integer> DEFAULT_THRESHOLDS = List.of(80, 100);
    private static final int DEFAULT_RESERVATION_HOURS = 24;
    private static final long DEFAULT_GRACE_SECONDS = 86_400;

    private final AccountStore accounts;
    private final LedgerStore ledger;
    private final LedgerWriter writer;
    private final QueryExecutor reads;
    private final Mutations mutations;
    private final Function<UUID, Future<Freshness>> freshness;
    private final Clock clock;

    private record BudgetBody(
            String amount,
            String currency,
            @Nullable List<Integer> thresholds,
            String atLimit,
            @Nullable Long graceSeconds,
            @Nullable Integer reservationHours) {}

    private record BudgetResponse(
            UUID projectId,
            UUID orgId,
            String amount,
            String currency,
            List<Integer> thresholds,
            String atLimit,
            long graceSeconds,
            int reservationHours,
            String spent,
            String remaining,
            int reachedPercent,
            @Nullable Instant stopAt,
            Instant asOf,
            boolean stale,
            long revision) {}

    private record BudgetMetadata(
            String amount,
            String currency,
            @Nullable List<Integer> thresholds,
            String atLimit,
            @Nullable Long graceSeconds,
            @Nullable Integer reservationHours,
            @Nullable BudgetBody before) {
        static BudgetMetadata of(BudgetBody body, @Nullable Budget before) {
            return new BudgetMetadata(
                    body.amount,
                    body.currency,
                    body.thresholds,
                    body.atLimit,
                    body.graceSeconds,
                    body.reservationHours,
                    before == null
                            ? null
                            : new BudgetBody(
                                    before.amount().toPlainString(),
                                    before.currency(),
                                    before.thresholds(),
                                    before.atLimit().text(),
                                    before.grace().toSeconds(),
                                    before.reservationHours()));
        }
    }

    public BudgetApi(
            AccountStore accounts,
            LedgerStore ledger,
            LedgerWriter writer,
            QueryExecutor reads,
            Mutations mutations,
            Function<UUID, Future<Freshness>> freshness,
            Clock clock) {
        this.accounts = accounts;
        this.ledger = ledger;
        this.writer = writer;
        this.reads = reads;
        this.mutations = mutations;
        this.freshness = freshness;
        this.clock = clock;
    }

    public Future<Reply> get(Request request) {
        var projectId = request.projectId();
        return accounts.findBudget(reads, projectId).compose(budget -> {
            if (budget == null) {
                throw Problem.of(ErrorCode.NOT_FOUND, "This project has no budget. Create one with PUT.")
                        .asException();
            }
            var month = month(clock.instant());
            return ledger.findSpent(reads, budget.orgId(), List.of(projectId), month)
                    .compose(spent -> respond(budget, spent.getOrDefault(projectId, BigDecimal.ZERO), month))
                    .map(BudgetApi::withETag);
        });
    }

    public Future<Reply> put(Request request) {
        var body = Json.toRecord(request.body(), BudgetBody.class);
        requireValid(body);
        var orgId = Objects.requireNonNull(request.orgId(), "a project has an organization");
        var projectId = request.projectId();
        return mutations
                .run(request, unit -> accounts.lock(unit, orgId).compose(account -> {
                    AccountApi.requireCurrency(account, body.currency);
                    AccountApi.requireDigits("/amount", new BigDecimal(body.amount), body.currency);
                    return accounts.findBudget(unit, projectId).compose(before -> {
                        ETags.requireMatchIfGiven(request, before == null ? 0 : before.revision());
                        return store(unit, request, body, before, toBudget(projectId, orgId, body, before));
                    });
                }))
                .map(BudgetApi::withETag);
    }

    private Future<Reply> store(
            UnitOfWork unit, Request request, BudgetBody body, @Nullable Budget before, Budget budget) {
        var month = month(unit.now());
        var projectId = budget.projectId();
        return ledger.findSpent(unit, budget.orgId(), List.of(projectId), month).compose(sums -> {
            var spent = sums.getOrDefault(projectId, BigDecimal.ZERO);
            writer.updateBudget(unit, budget, spent, month);
            AuditTrail.recordSuccess(
                    unit,
                    request.principal(),
                    new AuditEntry(
                            "billing.budget.write",
                            "budget",
                            projectId.toString(),
                            budget.orgId(),
                            projectId,
                            Json.toObject(BudgetMetadata.of(body, before))));
            return respond(budget.withSpent(spent, month, unit.now()), spent, month);
        });
    }

    private static Reply withETag(Reply reply) {
        return ETags.withETag(reply, "revision");
    }

    private Future<Reply> respond(Budget budget, BigDecimal spent, LocalDate month) {
        return freshness
                .apply(budget.orgId())
                .map(fresh -> Reply.ofRecord(new BudgetResponse(
                        budget.projectId(),
                        budget.orgId(),
                        budget.amount().toPlainString(),
                        budget.currency(),
                        budget.thresholds(),
                        budget.atLimit().text(),
                        budget.grace().toSeconds(),
                        budget.reservationHours(),
                        spent.toPlainString(),
                        budget.amount().subtract(spent).toPlainString(),
                        month.equals(budget.reachedPeriod()) ? budget.reachedPercent() : 0,
                        budget.stopAt(),
                        fresh.asOf(),
                        fresh.stale(),
                        budget.revision())));
    }

    private static Budget toBudget(UUID projectId, UUID orgId, BudgetBody body, @Nullable Budget before) {
        var settings = new Budget.Settings(
                body.currency,
                new BigDecimal(body.amount),
                Objects.requireNonNullElse(body.thresholds, DEFAULT_THRESHOLDS),
                TextEnum.parse(LimitAction.class, body.atLimit),
                Duration.ofSeconds(Objects.requireNonNullElse(body.graceSeconds, DEFAULT_GRACE_SECONDS)),
                Objects.requireNonNullElse(body.reservationHours, DEFAULT_RESERVATION_HOURS));
        return before == null ? Budget.create(projectId, orgId, settings) : before.withSettings(settings);
    }

    private static void requireValid(BudgetBody body) {
        if (new BigDecimal(body.amount).signum() < 0) {
            throw Problem.validationOf(ErrorCode.VALIDATION_ERROR, "/amount", "must not be negative")
                    .asException();
        }
        var thresholds = Objects.requireNonNullElse(body.thresholds, DEFAULT_THRESHOLDS);
        if (!thresholds.stream().sorted().distinct().toList().equals(thresholds)) {
            throw Problem.validationOf(ErrorCode.VALIDATION_ERROR, "/thresholds", "must be ascending")
                    .asException();
        }
    }

    private static LocalDate month(Instant time) {
        return LocalDate.ofInstant(time, ZoneOffset.UTC).withDayOfMonth(1);
    }
}

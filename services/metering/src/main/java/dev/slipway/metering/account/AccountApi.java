package dev.slipway.metering.account;

import dev.slipway.contract.Cursor;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.messaging.QueryExecutor;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.metering.ledger.AccountStore;
import dev.slipway.metering.ledger.BillingPublisher;
import dev.slipway.metering.ledger.LedgerStore;
import dev.slipway.metering.ledger.LedgerStore.PostedEntry;
import dev.slipway.metering.ledger.LedgerStore.PostedTransaction;
import dev.slipway.metering.ledger.LedgerWriter;
import dev.slipway.metering.ledger.domain.BillingAccount;
import dev.slipway.metering.ledger.domain.Freshness;
import dev.slipway.metering.ledger.domain.LedgerTransaction;
import dev.slipway.metering.ledger.domain.LimitAction;
import dev.slipway.metering.rating.domain.Allocation;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
import dev.slipway.service.ETags;
import dev.slipway.service.Mutations;
import dev.slipway.service.Page;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;

/** Serves the accounts of organizations: settings, balance, payments and transactions. */
public final class AccountApi {
    private final AccountStore accounts;
    private final LedgerStore ledger;
    private final LedgerWriter writer;
    private final Mutations mutations;
    private final Function<UUID, Future<Freshness>> freshness;
    private final QueryExecutor reads;
    private final Function<UUID, @Nullable UUID> orgOfProject;

    private record SettingsBody(@Nullable String creditLimit, String lowBalance, String atZero, long graceSeconds) {}

    private record AccountResponse(
            UUID orgId,
            String currency,
            @Nullable String creditLimit,
            String lowBalance,
            String atZero,
            long graceSeconds,
            String balance,
            @Nullable String remaining,
            String state,
            @Nullable Instant stopAt,
            Instant asOf,
            boolean stale,
            long unrated,
            long revision) {}

    private record SettingsMetadata(
            @Nullable String creditLimit,
            String lowBalance,
            String atZero,
            long graceSeconds,
            @Nullable SettingsBody before) {}

    private record PaymentBody(
            String type,
            String amount,
            String currency,
            @Nullable UUID projectId,
            String reference,
            String reason) {}

    private record EntryResponse(
            String account,
            @Nullable UUID projectId,
            String side,
            String amount,
            @Nullable String unit,
            @Nullable UUID priceId) {
        static EntryResponse of(PostedEntry entry) {
            return new EntryResponse(
                    entry.account(),
                    entry.projectId(),
                    entry.side(),
                    entry.amount().toPlainString(),
                    entry.unit(),
                    entry.priceId());
        }
    }

    private record TransactionResponse(
            UUID id,
            String type,
            String period,
            String currency,
            String reference,
            @Nullable String reason,
            String correlationId,
            Instant postedAt,
            List<EntryResponse> entries) {
        static TransactionResponse of(PostedTransaction posted) {
            return new TransactionResponse(
                    posted.id(),
                    posted.type(),
                    YearMonth.from(posted.period()).toString(),
                    posted.currency(),
                    posted.reference(),
                    posted.reason(),
                    posted.correlationId(),
                    posted.postedAt(),
                    posted.entries().stream().map(EntryResponse::of).toList());
        }
    }

    public AccountApi(
            AccountStore accounts,
            LedgerStore ledger,
            LedgerWriter writer,
            Mutations mutations,
            Function<UUID, Future<Freshness>> freshness,
            QueryExecutor reads,
            Function<UUID, @Nullable UUID> orgOfProject) {
        this.accounts = accounts;
        this.ledger = ledger;
        this.writer = writer;
        this.mutations = mutations;
        this.freshness = freshness;
        this.reads = reads;
        this.orgOfProject = orgOfProject;
    }

    public Future<Reply> get(Request request) {
        var orgId = request.pathId("org_id");
        return accounts.find(reads, orgId)
                .compose(found -> found == null ? noAccount(orgId) : Future.succeededFuture(found))
                .compose(account -> respond(reads, account))
                .map(AccountApi::withETag);
    }

    private Future<BillingAccount> noAccount(UUID orgId) {
        return Future.succeededFuture(new BillingAccount(
                orgId,
                accounts.defaultCurrency(),
                null,
                BigDecimal.ZERO,
                LimitAction.WARN,
                Duration.ofDays(1),
                BillingAccount.State.HEALTHY,
                Instant.EPOCH,
                0,
                1));
    }

    private Future<Reply> respond(QueryExecutor executor, BillingAccount account) {
        return ledger.findBalance(executor, account.orgId(), account.currency()).compose(balance -> freshness
                .apply(account.orgId())
                .map(fresh -> Reply.ofRecord(response(account, balance, fresh))));
    }

    public Future<Reply> put(Request request) {
        var body = Json.toRecord(request.body(), SettingsBody.class);
        var orgId = request.pathId("org_id");
        var creditLimit = body.creditLimit == null ? null : new BigDecimal(body.creditLimit);
        requireNotNegative("/credit_limit", creditLimit);
        requireNotNegative("/low_balance", new BigDecimal(body.lowBalance));
        return mutations
                .run(request, unit -> accounts.lock(unit, orgId).compose(account -> {
                    ETags.requireMatchIfGiven(request, account.revision());
                    requireDigits("/credit_limit", creditLimit, account.currency());
                    requireDigits("/low_balance", new BigDecimal(body.lowBalance), account.currency());
                    var next = account.withSettings(
                            creditLimit,
                            new BigDecimal(body.lowBalance),
                            TextEnum.parse(LimitAction.class, body.atZero),
                            Duration.ofSeconds(body.graceSeconds),
                            unit.now());
                    return writer.updateBalance(unit, next)
                            .compose(ok -> accounts.find(unit, orgId))
                            .compose(stored -> publish(unit, request, body, account, stored == null ? next : stored));
                }))
                .map(AccountApi::withETag);
    }

    private Future<Reply> publish(
            UnitOfWork unit, Request request, SettingsBody body, BillingAccount before, BillingAccount current) {
        BillingPublisher.publishAccount(unit, current);
        var metadata = new SettingsMetadata(
                body.creditLimit,
                body.lowBalance,
                body.atZero,
                body.graceSeconds,
                new SettingsBody(
                        before.creditLimit() == null
                                ? null
                                : before.creditLimit().toPlainString(),
                        before.lowBalance().toPlainString(),
                        before.atZero().text(),
                        before.grace().toSeconds()));
        AuditTrail.recordSuccess(
                unit,
                request.principal(),
                new AuditEntry(
                        "billing.account.write",
                        "billing_account",
                        current.orgId().toString(),
                        current.orgId(),
                        null,
                        Json.toObject(metadata)));
        return respond(unit, current);
    }

    private static Reply withETag(Reply reply) {
        return ETags.withETag(reply, "revision");
    }

    public Future<Reply> list(Request request) {
        var limit = request.limit();
        return ledger.list(request.pathId("org_id"), request.cursor(), limit + 1)
                .map(found -> Page.of(found, limit, posted -> new Cursor(posted.postedAt(), posted.id()))
                        .toReply(TransactionResponse::of));
    }

    /** Posts a top-up, a refund or an adjustment. */
    public Future<Reply> post(Request request) {
        var body = Json.toRecord(request.body(), PaymentBody.class);
        var orgId = request.pathId("org_id");
        var type = TextEnum.parse(LedgerTransaction.Type.class, body.type);
        var amount = new BigDecimal(body.amount);
        if (amount.signum() == 0 || (amount.signum() < 0 && type != LedgerTransaction.Type.ADJUSTMENT)) {
            throw Problem.validationOf(ErrorCode.VALIDATION_ERROR, "/amount", "must be positive")
                    .asException();
        }
        if (body.projectId != null && !orgId.equals(orgOfProject.apply(body.projectId))) {
            throw Problem.validationOf(
                            ErrorCode.VALIDATION_ERROR, "/project_id", "is not a project of this organization")
                    .asException();
        }
        return mutations.run(request, unit -> accounts.lock(unit, orgId).compose(account -> ledger.isPosted(
                        unit, orgId, type, body.reference)
                .compose(posted -> {
                    if (posted) {
                        throw Problem.of(
                                        ErrorCode.TRANSACTION_EXISTS,
                                        "A transaction of this type with the reference " + body.reference
                                                + " was posted. Use another reference for another payment.")
                                .asException();
                    }
                    requireCurrency(account, body.currency);
                    requireDigits("/amount", amount, body.currency);
                    var transaction = LedgerTransaction.ofPayment(
                            Ids.next(),
                            orgId,
                            type,
                            LocalDate.ofInstant(unit.now(), ZoneOffset.UTC).withDayOfMonth(1),
                            body.currency,
                            body.reference,
                            body.reason,
                            body.projectId,
                            amount);
                    AuditTrail.recordSuccess(unit, request.principal(), LedgerWriter.audit(transaction));
                    return writer.post(unit, account, transaction)
                            .map(ok -> Reply.ofRecord(
                                    response(transaction, unit.context().correlationId(), unit.now())));
                })));
    }

    static void requireCurrency(BillingAccount account, String currency) {
        if (!account.currency().equals(currency)) {
            throw Problem.of(
                            ErrorCode.CURRENCY_MISMATCH,
                            "The account of this organization is in " + account.currency() + ". Use that currency.")
                    .asException();
        }
    }

    /** Rejects an amount that has more decimals than its currency: it could never be balanced. */
    static void requireDigits(String field, @Nullable BigDecimal amount, String currency) {
        var digits = Allocation.digits(currency);
        if (amount != null && amount.stripTrailingZeros().scale() > digits) {
            throw Problem.validationOf(
                            ErrorCode.VALIDATION_ERROR,
                            field,
                            "has more than the " + digits + " decimals of " + currency)
                    .asException();
        }
    }

    private static void requireNotNegative(String field, @Nullable BigDecimal amount) {
        if (amount != null && amount.signum() < 0) {
            throw Problem.validationOf(ErrorCode.VALIDATION_ERROR, field, "must not be negative")
                    .asException();
        }
    }

    private static TransactionResponse response(LedgerTransaction posted, String correlationId, Instant now) {
        return new TransactionResponse(
                posted.id(),
                posted.type().text(),
                YearMonth.from(posted.period()).toString(),
                posted.currency(),
                posted.reference(),
                posted.reason(),
                correlationId,
                now,
                posted.entries().stream()
                        .map(entry -> new EntryResponse(
                                entry.account().kind().text(),
                                entry.account().projectId(),
                                entry.side().text(),
                                entry.amount().toPlainString(),
                                entry.unit(),
                                entry.priceId()))
                        .toList());
    }

    private static AccountResponse response(BillingAccount account, BigDecimal balance, Freshness fresh) {
        var remaining = account.remaining(balance);
        return new AccountResponse(
                account.orgId(),
                account.currency(),
                account.creditLimit() == null ? null : account.creditLimit().toPlainString(),
                account.lowBalance().toPlainString(),
                account.atZero().text(),
                account.grace().toSeconds(),
                balance.toPlainString(),
                remaining == null ? null : remaining.toPlainString(),
                account.state().text(),
                account.stopAt(),
                fresh.asOf(),
                fresh.stale(),
                fresh.unrated(),
                account.revision());
    }
}

package dev.slipway.metering.ledger;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.CanonicalJson;
import dev.slipway.contract.Json;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.metering.ledger.domain.BillingAccount;
import dev.slipway.metering.ledger.domain.Budget;
import dev.slipway.metering.ledger.domain.LedgerTransaction;
import dev.slipway.service.AuditTrail.AuditEntry;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

/** Posts transactions, and updates what follows from them: the state of the balance and of budgets, in one database transaction. */
public final class LedgerWriter {
    public static final String AUDIT_ACTION = "billing.ledger.post";

    private final LedgerStore ledger;
    private final AccountStore accounts;

    private record AuditedEntry(
            String account,
            @Nullable UUID projectId,
            String side,
            String amount,
            @Nullable String unit,
            @Nullable UUID priceId) {}

    private record AuditedEntries(List<AuditedEntry> entries) {}

    private record PostingMetadata(
            String type, String period, String currency, String reference, int entries, String entriesDigest) {}

    public LedgerWriter(LedgerStore ledger, AccountStore accounts) {
        this.ledger = ledger;
        this.accounts = accounts;
    }

    /** Posts a transaction. The account must be locked. */
    public Future<Void> post(UnitOfWork unit, BillingAccount account, LedgerTransaction transaction) {
        ledger.insert(unit, transaction, CanonicalJson.digest(entriesJson(transaction)));
        return updateBalance(unit, account).compose(ok -> updateBudgets(unit, transaction));
    }

    /** Stores the account in the state that its balance leads to. Publishes an event if the state changes. */
    public Future<Void> updateBalance(UnitOfWork unit, BillingAccount account) {
        return ledger.findBalance(unit, account.orgId(), account.currency()).map(balance -> {
            var next = account.withBalance(balance, unit.now());
            accounts.update(unit, next);
            if (next.state() != account.state()) {
                BillingPublisher.publishTransition(unit, next, balance);
                BillingPublisher.publishAccount(unit, next);
            }
            return null;
        });
    }

    private Future<Void> updateBudgets(UnitOfWork unit, LedgerTransaction transaction) {
        var projects = transaction.entries().stream()
                .map(entry -> entry.account().projectId())
                .filter(Objects::nonNull)
                .distinct()
                .toList();
        if (projects.isEmpty()) {
            return Future.succeededFuture();
        }
        var period = transaction.period();
        return accounts.findBudgets(unit, transaction.orgId(), projects)
                .compose(budgets -> budgets.isEmpty()
                        ? Future.succeededFuture()
                        : ledger.findSpent(unit, transaction.orgId(), projects, period)
                                .map(spent -> {
                                    budgets.forEach(budget -> updateBudget(
                                            unit,
                                            budget,
                                            transaction,
                                            spent.getOrDefault(budget.projectId(), BigDecimal.ZERO)));
                                    return null;
                                }));
    }

    private void updateBudget(UnitOfWork unit, Budget budget, LedgerTransaction transaction, BigDecimal spent) {
        var month = LocalDate.ofInstant(unit.now(), ZoneOffset.UTC).withDayOfMonth(1);
        if (transaction.period().equals(month)) {
            updateBudget(unit, budget, spent, month);
            return;
        }
        // The state of the budget is that of the current month. Of a month that has ended, only what was exceeded is
        // reported.
        var before = spent.subtract(transaction.usageOf(budget.projectId()));
        var exceeded = budget.exceededBetween(before, spent);
        exceeded.forEach(
                threshold -> BillingPublisher.publishExceeded(unit, budget, spent, transaction.period(), threshold));
    }

    /** Stores a budget with what is spent of it. Publishes an event for each threshold that is exceeded now. */
    public void updateBudget(UnitOfWork unit, Budget budget, BigDecimal spent, LocalDate month) {
        var next = budget.withSpent(spent, month, unit.now());
        accounts.upsertBudget(unit, next);
        next.newlyExceeded(budget)
                .forEach(threshold -> BillingPublisher.publishExceeded(unit, next, spent, month, threshold));
        BillingPublisher.publishBudget(unit, next);
    }

    /** Returns the audit entry of a transaction, with a digest of its entries: a later change of them can be detected. */
    public static AuditEntry audit(LedgerTransaction transaction) {
        var metadata = new PostingMetadata(
                transaction.type().text(),
                transaction.period().toString(),
                transaction.currency(),
                transaction.reference(),
                transaction.entries().size(),
                CanonicalJson.digest(entriesJson(transaction)));
        return new AuditEntry(
                AUDIT_ACTION,
                "ledger_transaction",
                transaction.id().toString(),
                transaction.orgId(),
                null,
                Json.toObject(metadata));
    }

    private static ObjectNode entriesJson(LedgerTransaction transaction) {
        return Json.toObject(new AuditedEntries(transaction.entries().stream()
                .map(entry -> new AuditedEntry(
                        entry.account().kind().text(),
                        entry.account().projectId(),
                        entry.side().text(),
                        entry.amount().toPlainString(),
                        entry.unit(),
                        entry.priceId()))
                .toList()));
    }
}

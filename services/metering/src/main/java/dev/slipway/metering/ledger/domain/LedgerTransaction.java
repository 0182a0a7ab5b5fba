package dev.slipway.metering.ledger.domain;

import dev.slipway.contract.domain.TextEnum;
import dev.slipway.metering.ledger.domain.LedgerAccount.Kind;
import dev.slipway.metering.ledger.domain.LedgerEntry.Side;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;

/**
 * A transaction of the ledger. Its debits equal its credits.
 *
 * @param period the first day of the month in which it is booked
 * @param reference unique per organization and type, so that nothing is posted twice
 */
public record LedgerTransaction(
        UUID id,
        UUID orgId,
        Type type,
        LocalDate period,
        String currency,
        String reference,
        @Nullable String reason,
        List<LedgerEntry> entries) {

    /** The types of transactions. */
    public enum Type implements TextEnum {
        USAGE,
        TOP_UP,
        REFUND,
        ADJUSTMENT
    }

    /**
     * An amount of usage to be paid.
     *
     * @param payer null if the organization pays without a project
     * @param amount negative for a credit
     */
    public record UsageAmount(
            @Nullable UUID payer, String unit, @Nullable UUID priceId, BigDecimal amount) {}

    public LedgerTransaction {
        entries = List.copyOf(entries);
        var difference = BigDecimal.ZERO;
        for (var entry : entries) {
            if (entry.amount().signum() <= 0 || !entry.account().currency().equals(currency)) {
                throw new IllegalArgumentException("an entry needs a positive amount in " + currency);
            }
            difference =
                    entry.side() == Side.DEBIT ? difference.add(entry.amount()) : difference.subtract(entry.amount());
        }
        if (difference.signum() != 0 || entries.size() < 2) {
            throw new IllegalArgumentException("debits and credits differ by " + difference.toPlainString());
        }
    }

    /** Returns the usage that the transaction debits to a project, less what it credits. */
    public BigDecimal usageOf(UUID projectId) {
        return entries.stream()
                .filter(entry ->
                        entry.unit() != null && projectId.equals(entry.account().projectId()))
                .map(entry -> entry.side() == Side.DEBIT
                        ? entry.amount()
                        : entry.amount().negate())
                .reduce(BigDecimal.ZERO, BigDecimal::add);
    }

    /** Creates the transaction for usage: payers are debited, and the revenue of the platform is credited, entry by entry. */
    public static LedgerTransaction ofUsage(
            UUID id, UUID orgId, LocalDate period, String currency, String reference, Collection<UsageAmount> amounts) {
        var revenue = LedgerAccount.ofPlatform(Kind.REVENUE, currency);
        var entries = new ArrayList<LedgerEntry>();
        for (var each : amounts) {
            var payer = LedgerAccount.ofPayer(orgId, each.payer, currency);
            entries.add(LedgerEntry.of(payer, Side.DEBIT, each.amount, each.unit, each.priceId));
            entries.add(LedgerEntry.of(revenue, Side.CREDIT, each.amount, each.unit, each.priceId));
        }
        return new LedgerTransaction(id, orgId, Type.USAGE, period, currency, reference, null, entries);
    }

    /**
     * Creates a top-up, a refund or an adjustment.
     *
     * @param amount positive, except for an adjustment that debits the payer
     */
    public static LedgerTransaction ofPayment(
            UUID id,
            UUID orgId,
            Type type,
            LocalDate period,
            String currency,
            String reference,
            @Nullable String reason,
            @Nullable UUID payer,
            BigDecimal amount) {
        var account = LedgerAccount.ofPayer(orgId, payer, currency);
        var platform = LedgerAccount.ofPlatform(type == Type.ADJUSTMENT ? Kind.ADJUSTMENTS : Kind.CASH, currency);
        var side =
                switch (type) {
                    case TOP_UP, ADJUSTMENT -> Side.CREDIT;
                    case REFUND -> Side.DEBIT;
                    case USAGE -> throw new IllegalArgumentException("usage is not a payment");
                };
        return new LedgerTransaction(
                id,
                orgId,
                type,
                period,
                currency,
                reference,
                reason,
                List.of(
                        LedgerEntry.of(account, side, amount, null, null),
                        LedgerEntry.of(platform, side.opposite(), amount, null, null)));
    }
}

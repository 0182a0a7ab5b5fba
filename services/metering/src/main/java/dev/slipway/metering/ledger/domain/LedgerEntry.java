package dev.slipway.metering.ledger.domain;

import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.util.UUID;

/**
 * An entry of a transaction. The amount is positive; the side says whether it is a debit or a credit.
 *
 * @param unit the usage unit; null unless the entry is for usage
 * @param priceId the price in effect when the entry was written; null unless the entry is for usage
 */
public record LedgerEntry(
        LedgerAccount account,
        Side side,
        BigDecimal amount,
        @Nullable String unit,
        @Nullable UUID priceId) {

    /** The sides of an account. */
    public enum Side {
        DEBIT,
        CREDIT;

        public String text() {
            return this == DEBIT ? "debit" : "credit";
        }

        Side opposite() {
            return this == DEBIT ? CREDIT : DEBIT;
        }
    }

    /** Creates an entry on the side, or on the other side if the amount is negative. */
    static LedgerEntry of(
            LedgerAccount account, Side side, BigDecimal amount, @Nullable String unit, @Nullable UUID priceId) {
        return amount.signum() < 0
                ? new LedgerEntry(account, side.opposite(), amount.negate(), unit, priceId)
                : new LedgerEntry(account, side, amount, unit, priceId);
    }
}

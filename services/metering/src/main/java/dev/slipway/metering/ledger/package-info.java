/** The ledger: accounts, entries, balances and budgets. */
@NullMarked
package dev.slipway.metering.ledger;

import org.jspecify.annotations.NullMarked;

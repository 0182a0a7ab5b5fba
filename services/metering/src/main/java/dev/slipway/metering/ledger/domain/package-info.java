/** Pure rules of the ledger, of balances and of budgets. */
@NullMarked
package dev.slipway.metering.ledger.domain;

import org.jspecify.annotations.NullMarked;
